/** Finds the operation of a request. Operations that are not emulated get 501 with their name. */
import { S3Error } from './protocol/errors';
import { queryValue, type S3Request } from './protocol/request';

/** The emulated operations, with the IAM action and the kind of resource that each needs. */
export const OPERATIONS = {
  PutObject: { action: 's3:PutObject', on: 'object', creates: true },
  CopyObject: { action: 's3:PutObject', on: 'object', creates: true },
  GetObject: { action: 's3:GetObject', on: 'object' },
  HeadObject: { action: 's3:GetObject', on: 'object' },
  DeleteObject: { action: 's3:DeleteObject', on: 'object' },
  CreateMultipartUpload: { action: 's3:PutObject', on: 'object', creates: false },
  UploadPart: { action: 's3:PutObject', on: 'object', creates: false },
  UploadPartCopy: { action: 's3:PutObject', on: 'object', creates: false },
  CompleteMultipartUpload: { action: 's3:PutObject', on: 'object', creates: true },
  AbortMultipartUpload: { action: 's3:AbortMultipartUpload', on: 'object' },
  ListParts: { action: 's3:ListMultipartUploadParts', on: 'object' },
  /** The operation authorises each key. */
  DeleteObjects: { action: undefined, on: 'bucket' },
  ListObjectsV2: { action: 's3:ListBucket', on: 'bucket' },
  ListMultipartUploads: { action: 's3:ListBucketMultipartUploads', on: 'bucket' },
  HeadBucket: { action: 's3:ListBucket', on: 'bucket' },
  GetBucketLocation: { action: 's3:GetBucketLocation', on: 'bucket' },
  /** The operation authorises the developer only. */
  CreateBucket: { action: undefined, on: 'service' },
} as const satisfies Record<
  string,
  {
    readonly action: string | undefined;
    readonly on: 'object' | 'bucket' | 'service';
    readonly creates?: boolean;
  }
>;
export type OperationName = keyof typeof OPERATIONS;

/**
 * Operations that a query parameter selects and that are not emulated: by parameter, the end of the
 * operation's name.
 */
const BUCKET_PARTS: Readonly<Record<string, string>> = {
  accelerate: 'BucketAccelerateConfiguration',
  acl: 'BucketAcl',
  analytics: 'BucketAnalyticsConfiguration',
  cors: 'BucketCors',
  encryption: 'BucketEncryption',
  'intelligent-tiering': 'BucketIntelligentTieringConfiguration',
  inventory: 'BucketInventoryConfiguration',
  lifecycle: 'BucketLifecycleConfiguration',
  logging: 'BucketLogging',
  metrics: 'BucketMetricsConfiguration',
  notification: 'BucketNotificationConfiguration',
  'object-lock': 'ObjectLockConfiguration',
  ownershipControls: 'BucketOwnershipControls',
  policy: 'BucketPolicy',
  policyStatus: 'BucketPolicyStatus',
  publicAccessBlock: 'PublicAccessBlock',
  replication: 'BucketReplication',
  requestPayment: 'BucketRequestPayment',
  tagging: 'BucketTagging',
  versioning: 'BucketVersioning',
  versions: 'ObjectVersions',
  website: 'BucketWebsite',
};
const OBJECT_PARTS: Readonly<Record<string, string>> = {
  acl: 'ObjectAcl',
  attributes: 'ObjectAttributes',
  'legal-hold': 'ObjectLegalHold',
  renameObject: 'RenameObject',
  restore: 'RestoreObject',
  retention: 'ObjectRetention',
  select: 'SelectObjectContent',
  tagging: 'ObjectTagging',
  torrent: 'ObjectTorrent',
};

/** Throws NotImplemented with the name of the operation, or MethodNotAllowed. */
export function operationOf(request: S3Request): OperationName {
  if (request.bucket === '') throw notImplemented('ListBuckets');
  const parts = request.key === '' ? BUCKET_PARTS : OBJECT_PARTS;
  const part = Object.keys(parts).find((name) => queryValue(request, name) !== undefined);
  if (part !== undefined) throw notImplemented(partName(request, part, parts[part] ?? ''));
  const version = queryValue(request, 'versionId');
  if (version !== undefined && version !== 'null') throw notImplemented(`versionId=${version}`);
  return request.key === '' ? bucketOperation(request) : objectOperation(request);
}

function partName(request: S3Request, part: string, name: string): string {
  if (/^(Rename|Restore|Select)/.test(name)) return name;
  if (part === 'versions') return 'ListObjectVersions';
  const verb = { PUT: 'Put', DELETE: 'Delete', POST: 'Post' }[request.method] ?? 'Get';
  return `${verb}${name}`;
}

function objectOperation(request: S3Request): OperationName {
  const inUpload = queryValue(request, 'uploadId') !== undefined;
  const copies = request.headers['x-amz-copy-source'] !== undefined;
  switch (request.method) {
    case 'PUT':
      if (copies) return inUpload ? 'UploadPartCopy' : 'CopyObject';
      return inUpload ? 'UploadPart' : 'PutObject';
    case 'GET':
      return inUpload ? 'ListParts' : 'GetObject';
    case 'HEAD':
      return 'HeadObject';
    case 'DELETE':
      return inUpload ? 'AbortMultipartUpload' : 'DeleteObject';
    case 'POST':
      if (inUpload) return 'CompleteMultipartUpload';
      if (queryValue(request, 'uploads') !== undefined) return 'CreateMultipartUpload';
  }
  throw methodNotAllowed(request);
}

function bucketOperation(request: S3Request): OperationName {
  switch (request.method) {
    case 'PUT':
      return 'CreateBucket';
    case 'GET':
      if (queryValue(request, 'uploads') !== undefined) return 'ListMultipartUploads';
      if (queryValue(request, 'location') !== undefined) return 'GetBucketLocation';
      if (queryValue(request, 'session') !== undefined) throw notImplemented('CreateSession');
      if (queryValue(request, 'list-type') === '2') return 'ListObjectsV2';
      throw notImplemented('ListObjects');
    case 'HEAD':
      return 'HeadBucket';
    case 'DELETE':
      throw notImplemented('DeleteBucket');
    case 'POST':
      if (queryValue(request, 'delete') !== undefined) return 'DeleteObjects';
      throw notImplemented('PostObject');
  }
  throw methodNotAllowed(request);
}

function notImplemented(operation: string): S3Error {
  return new S3Error('NotImplemented', {
    message: `The emulator does not implement ${operation}.`,
    details: { Operation: operation },
  });
}

function methodNotAllowed(request: S3Request): S3Error {
  return new S3Error('MethodNotAllowed', {
    details: { Method: request.method, ResourceType: request.key === '' ? 'BUCKET' : 'OBJECT' },
  });
}
