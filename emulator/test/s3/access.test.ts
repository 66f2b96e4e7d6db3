import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetBucketLocationCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  S3,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { fetch } from 'undici';
import { allowAll } from '../../src/iam/allow-all';
import type { AccessRequest, Iam } from '../../src/iam/iam';
import { failure } from '../contract/s3/failure';
import { presign } from '../contract/s3/presign';
import { send } from './raw-http';
import { BUCKET, openServer, REGION } from './server';

const ROLE = { accessKeyId: 'ASIAROLE', secretAccessKey: 'secret', sessionToken: 'token' };

/** A role whose permissions `allows` decides, and a list of the requests to IAM. */
function withRole(allows: (request: AccessRequest) => boolean): {
  iam: Iam;
  checked: AccessRequest[];
} {
  const checked: AccessRequest[] = [];
  const iam = allowAll();
  const principal = { arn: 'arn:aws:iam::000000000000:role/r', root: false };
  return {
    checked,
    iam: {
      ...iam,
      credentials: (id) => (id === ROLE.accessKeyId ? { ...ROLE, principal } : iam.credentials(id)),
      denial: (who, request) => {
        if (who.root) return iam.denial(who, request);
        checked.push(request);
        return allows(request) ? undefined : `User: ${who.arn} may not ${request.action}`;
      },
    },
  };
}

async function open(allows: (request: AccessRequest) => boolean) {
  const { iam, checked } = withRole(allows);
  const server = await openServer({ iam });
  const config = {
    endpoint: server.endpoint,
    region: REGION,
    forcePathStyle: true,
    maxAttempts: 1,
  };
  const role = new S3({ ...config, credentials: ROLE });
  return { server, role, checked, config: { ...config, credentials: ROLE } };
}

const OBJECT = { Bucket: BUCKET, Key: 'folder/key' };
const UPLOAD = { ...OBJECT, UploadId: 'none' };
const OBJECT_ARN = `arn:aws:s3:::${BUCKET}/folder/key`;
const BUCKET_ARN = `arn:aws:s3:::${BUCKET}`;
const PARTS = { MultipartUpload: { Parts: [{ PartNumber: 1, ETag: 'a' }] } };

describe('authorisation', () => {
  it.each([
    [new PutObjectCommand({ ...OBJECT, Body: 'a' }), 's3:PutObject', OBJECT_ARN],
    [new GetObjectCommand(OBJECT), 's3:GetObject', OBJECT_ARN],
    [new HeadObjectCommand(OBJECT), 's3:GetObject', OBJECT_ARN],
    [new DeleteObjectCommand(OBJECT), 's3:DeleteObject', OBJECT_ARN],
    [new CreateMultipartUploadCommand(OBJECT), 's3:PutObject', OBJECT_ARN],
    [new UploadPartCommand({ ...UPLOAD, PartNumber: 1, Body: 'a' }), 's3:PutObject', OBJECT_ARN],
    [new CompleteMultipartUploadCommand({ ...UPLOAD, ...PARTS }), 's3:PutObject', OBJECT_ARN],
    [new AbortMultipartUploadCommand(UPLOAD), 's3:AbortMultipartUpload', OBJECT_ARN],
    [new ListPartsCommand(UPLOAD), 's3:ListMultipartUploadParts', OBJECT_ARN],
    [new ListObjectsV2Command({ Bucket: BUCKET }), 's3:ListBucket', BUCKET_ARN],
    [
      new ListMultipartUploadsCommand({ Bucket: BUCKET }),
      's3:ListBucketMultipartUploads',
      BUCKET_ARN,
    ],
    [new HeadBucketCommand({ Bucket: BUCKET }), 's3:ListBucket', BUCKET_ARN],
    [new GetBucketLocationCommand({ Bucket: BUCKET }), 's3:GetBucketLocation', BUCKET_ARN],
  ])(
    '%# is refused without its action, before anything else',
    async (command, action, resource) => {
      const { role, checked } = await open(() => false);
      const send = role.send.bind(role) as (one: typeof command) => Promise<unknown>;
      expect((await failure(send(command))).status).toBe(403);
      expect(checked).toEqual([expect.objectContaining({ action, resource })]);
      role.destroy();
    },
  );

  it('passes the condition keys of the request to IAM', async () => {
    const { role, checked, config } = await open(() => true);
    await role.putObject({ ...OBJECT, Body: 'a', IfNoneMatch: '*' });
    const { UploadId } = await role.createMultipartUpload(OBJECT);
    await role.uploadPart({ ...OBJECT, UploadId, PartNumber: 1, Body: 'a' });
    const complete = { ...OBJECT, UploadId, ...PARTS, IfNoneMatch: '*' };
    await failure(role.completeMultipartUpload(complete));
    await role.listObjectsV2({ Bucket: BUCKET, Prefix: 'folder/', Delimiter: '/' });
    await fetch(await presign(config, new GetObjectCommand(OBJECT)));
    const secure = { 'aws:securetransport': 'true' };
    expect(checked.map(({ context }) => context)).toMatchObject([
      { ...secure, 's3:if-none-match': '*', 's3:objectcreationoperation': 'true' },
      { ...secure, 's3:objectcreationoperation': 'false' },
      { ...secure, 's3:objectcreationoperation': 'false' },
      { ...secure, 's3:if-none-match': '*', 's3:objectcreationoperation': 'true' },
      { ...secure, 's3:prefix': 'folder/', 's3:delimiter': '/', 's3:authtype': 'REST-HEADER' },
      { ...secure, 's3:authtype': 'REST-QUERY-STRING' },
    ]);
    expect(checked[1]?.context).not.toHaveProperty('s3:if-none-match');
    role.destroy();
  });
});

describe('access', () => {
  it('returns AccessDenied for a missing key when the caller may not list the bucket', async () => {
    const { server, role } = await open(({ action }) => action === 's3:GetObject');
    await server.s3.putObject({ ...OBJECT, Body: 'a' });
    await role.getObject(OBJECT);
    const missing = { Bucket: BUCKET, Key: 'missing' };
    expect(await failure(role.getObject(missing))).toEqual({
      code: 'AccessDenied',
      status: 403,
    });
    role.destroy();
  });

  it('is denied for single keys of DeleteObjects', async () => {
    const { server, role } = await open(({ resource }) => !resource.endsWith('/b'));
    for (const Key of ['a', 'b']) {
      await server.s3.putObject({ Bucket: BUCKET, Key, Body: 'x' });
    }
    const Delete = { Objects: [{ Key: 'a' }, { Key: 'b' }] };
    const deleted = await role.deleteObjects({ Bucket: BUCKET, Delete });
    expect(deleted.Deleted).toEqual([{ Key: 'a' }]);
    expect(deleted.Errors).toMatchObject([{ Key: 'b', Code: 'AccessDenied' }]);
    await server.s3.headObject({ Bucket: BUCKET, Key: 'b' });
    role.destroy();
  });

  it('is denied for If-Match without the permission to read the object', async () => {
    const { role } = await open(({ action }) => action === 's3:PutObject');
    const put = role.putObject({ ...OBJECT, Body: 'a', IfMatch: '"a"' });
    expect(await failure(put)).toEqual({ code: 'AccessDenied', status: 403 });
    role.destroy();
  });

  it('lets only the developer create buckets, which survive a restart', async () => {
    const { server, role } = await open(() => true);
    const create = new CreateBucketCommand({ Bucket: 'another' });
    expect((await failure(role.send(create))).code).toBe('AccessDenied');
    await server.s3.send(create);
    expect((await failure(server.s3.send(create))).code).toBe('BucketAlreadyOwnedByYou');
    const again = await server.restart();
    await again.s3.headBucket({ Bucket: 'another' });
    role.destroy();
  });

  it.each(['..', 'UPPER', 'a', 'x..y', '-a-', 'a'.repeat(64)])(
    '%j is no name for a bucket',
    async (name) => {
      const server = await openServer();
      const response = await send(server, { method: 'PUT', path: `/${name}` });
      expect(response).toMatchObject({ status: 400, code: 'InvalidBucketName' });
    },
  );
});

it('a bucket policy can make objects write-once, also for the developer', async () => {
  const policy = {
    Statement: [
      {
        Effect: 'Deny' as const,
        Principal: { AWS: '*' },
        Action: 's3:PutObject',
        Resource: `arn:aws:s3:::${BUCKET}/*`,
        Condition: {
          Null: { 's3:if-none-match': 'true' },
          Bool: { 's3:ObjectCreationOperation': 'true' },
        },
      },
    ],
  };
  const server = await openServer({ buckets: [{ name: BUCKET, policy }] });
  const { s3 } = server;
  const bare = s3.putObject({ ...OBJECT, Body: 'a' });
  expect(await failure(bare)).toEqual({ code: 'AccessDenied', status: 403 });
  await s3.putObject({ ...OBJECT, Body: 'a', IfNoneMatch: '*' });

  const of = { Bucket: BUCKET, Key: 'parts' };
  const { UploadId } = await s3.createMultipartUpload(of);
  const upload = { ...of, UploadId };
  const { ETag } = await s3.uploadPart({ ...upload, PartNumber: 1, Body: 'a' });
  const complete = { ...upload, MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] } };
  const refused = s3.completeMultipartUpload(complete);
  expect(await failure(refused)).toEqual({ code: 'AccessDenied', status: 403 });
  await s3.completeMultipartUpload({ ...complete, IfNoneMatch: '*' });
});
