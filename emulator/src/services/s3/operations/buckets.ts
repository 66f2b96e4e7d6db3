/** HeadBucket, CreateBucket, GetBucketLocation, ListObjectsV2. */

import { encodeSegment } from '../../../iam/sigv4';
import { type Call, type Reply, type ServiceCall, xmlReply } from '../calls/call';
import { S3Error } from '../protocol/errors';
import { queryValue } from '../protocol/request';
import { formatTime, type XmlElement, xmlDocument } from '../protocol/xml';
import { readLimit } from './integers';
import { decodeToken, encodeToken, listKeys } from './listing';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html */
export function headBucket(call: Call): Reply {
  return { headers: { 'x-amz-bucket-region': call.service.region } };
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketLocation.html */
export function getBucketLocation(call: Call): Reply {
  // GetBucketLocation has no name for us-east-1.
  const region = call.service.region === 'us-east-1' ? '' : call.service.region;
  const document = xmlDocument('LocationConstraint', {});
  return xmlReply(document.replace('></', `>${region}</`));
}

/**
 * For the developer only: the buckets of a stack come from its template.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html
 */
export function createBucket(call: ServiceCall): Reply {
  const { caller, request, service } = call;
  if (!caller.principal.root) throw new S3Error('AccessDenied');
  // https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html; such a name is
  // also safe as the name of a folder.
  if (!/^(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(request.bucket)) {
    throw new S3Error('InvalidBucketName', { details: { BucketName: request.bucket } });
  }
  if (service.buckets.has(request.bucket)) {
    throw new S3Error('BucketAlreadyOwnedByYou', { details: { BucketName: request.bucket } });
  }
  service.createBucket(request.bucket);
  return { headers: { location: `/${request.bucket}` } };
}

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html
 * Not emulated: Owner (fetch-owner), RestoreStatus.
 */
export function listObjectsV2(call: Call): Reply {
  const { bucket, request, store } = call;
  const [prefix, delimiter, startAfter, token, encoding] = [
    'prefix',
    'delimiter',
    'start-after',
    'continuation-token',
    'encoding-type',
  ].map((name) => queryValue(request, name));
  const limit = readLimit(request, 'max-keys');
  if (encoding !== undefined && encoding !== 'url') {
    throw new S3Error('InvalidArgument', {
      message: 'Invalid Encoding Method specified in Request',
      details: { ArgumentName: 'encoding-type', ArgumentValue: encoding },
    });
  }
  if (token === '') {
    throw new S3Error('InvalidArgument', {
      message: 'The continuation token provided is incorrect',
      details: { ArgumentName: 'continuation-token' },
    });
  }
  const page = listKeys(store.keys, {
    prefix: prefix ?? '',
    delimiter: delimiter ?? '',
    limit,
    after: token !== undefined ? decodeToken(token) : afterName(startAfter),
  });
  const shown = encoding === 'url' ? formEncode : (name: string): string => name;
  return xmlReply(
    xmlDocument('ListBucketResult', {
      Name: bucket.options.name,
      Prefix: shown(prefix ?? ''),
      StartAfter: startAfter && shown(startAfter),
      ContinuationToken: token,
      NextContinuationToken: page.next && encodeToken(page.next),
      KeyCount: page.keys.length + page.prefixes.length,
      MaxKeys: limit,
      Delimiter: delimiter && shown(delimiter),
      EncodingType: encoding,
      IsTruncated: page.next !== undefined,
      Contents: page.keys.map((key) => contents(call, key, shown)),
      CommonPrefixes: page.prefixes.map((name) => ({ Prefix: shown(name) })),
    }),
  );
}

function afterName(name: string | undefined): { name: string; isPrefix: boolean } | undefined {
  return name === undefined ? undefined : { name, isPrefix: false };
}

function contents(call: Call, key: string, shown: (name: string) => string): XmlElement {
  const object = call.store.get(key);
  if (object === undefined) throw new Error(`the list of keys has ${key}, which does not exist`);
  return {
    Key: shown(key),
    LastModified: formatTime(object.modified),
    ETag: `"${object.etag}"`,
    ChecksumAlgorithm: object.checksum?.algorithm,
    ChecksumType: object.checksum?.type,
    Size: object.size,
    StorageClass: 'STANDARD',
  };
}

/** Encodes as HTML forms do, except slashes: a space becomes a plus. */
function formEncode(name: string): string {
  return encodeSegment(name)
    .replaceAll('%2F', '/')
    .replaceAll('%20', '+')
    .replaceAll('%2A', '*')
    .replaceAll('~', '%7E');
}
