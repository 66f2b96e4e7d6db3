/**
 * CreateMultipartUpload, UploadPart, AbortMultipartUpload and the lists of uploads and of parts.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html
 */
import { randomBytes } from 'node:crypto';
import { type Call, type Reply, xmlReply } from '../calls/call';
import {
  type Checksum,
  checksumElement,
  checksumHeader,
  checksumTypeFor,
  isChecksumAlgorithm,
} from '../payload/checksums';
import type { Payload } from '../payload/payload';
import { S3Error } from '../protocol/errors';
import { queryValue } from '../protocol/request';
import { formatTime, xmlDocument } from '../protocol/xml';
import type { Content } from '../storage/data-files';
import type { StoredPart, Upload } from '../storage/records';
import { compareKeys } from '../storage/sorted-keys';
import { readLimit, readMarker, readPartNumber } from './integers';
import { ENCRYPTION, receiveToDisk } from './objects';
import { readProperties } from './properties';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateMultipartUpload.html */
export function createMultipartUpload(call: Call): Reply {
  const checksum = readChecksumChoice(call);
  const id = randomBytes(48).toString('base64url');
  call.store.createUpload({
    id,
    key: call.key,
    initiated: Date.now(),
    ...readProperties(call.headers),
    checksum,
  });
  const headers: Record<string, string> = { ...ENCRYPTION };
  if (checksum !== undefined) {
    headers['x-amz-checksum-algorithm'] = checksum.algorithm;
    headers['x-amz-checksum-type'] = checksum.type;
  }
  const reply = xmlReply(
    xmlDocument('InitiateMultipartUploadResult', {
      Bucket: call.bucket.options.name,
      Key: call.key,
      UploadId: id,
    }),
  );
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

function readChecksumChoice(call: Call): Upload['checksum'] {
  const name = call.headers['x-amz-checksum-algorithm'];
  const type = call.headers['x-amz-checksum-type'];
  if (name === undefined) {
    if (type === undefined) return undefined;
    throw new S3Error('InvalidRequest', {
      message:
        'The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.',
    });
  }
  const algorithm = name.toUpperCase();
  if (!isChecksumAlgorithm(algorithm)) {
    throw new S3Error('InvalidRequest', {
      message:
        'Checksum algorithm provided is unsupported. Please try again with any of the valid types: [CRC32, CRC32C, CRC64NVME, SHA1, SHA256]',
    });
  }
  return { algorithm, type: checksumTypeFor(algorithm, type) };
}

/** The upload that the query names. Throws NoSuchUpload, also for an upload of another key. */
export function findUpload(call: Call): Upload {
  const id = queryValue(call.request, 'uploadId') ?? '';
  const upload = call.store.upload(id);
  if (upload === undefined || upload.key !== call.key) {
    throw new S3Error('NoSuchUpload', { details: { UploadId: id } });
  }
  return upload;
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPart.html */
export async function uploadPart(call: Call): Promise<Reply> {
  const number = readPartNumber(queryValue(call.request, 'partNumber'));
  const { algorithm } = findUpload(call).checksum ?? {};
  const commit = ({ size, md5, checksum }: Payload, { segments }: Content): StoredPart => {
    // Again, because the upload may have ended while the body was received.
    const upload = findUpload(call);
    const stored: StoredPart = {
      number,
      size,
      etag: md5.toString('hex'),
      modified: Date.now(),
      checksum: partChecksum(upload, checksum),
      segments,
    };
    call.store.putPart(upload, stored);
    return stored;
  };
  const part = await receiveToDisk(call, commit, { algorithm });
  const headers: Record<string, string> = { ...ENCRYPTION, etag: `"${part.etag}"` };
  if (part.checksum !== undefined) {
    headers[checksumHeader(part.checksum.algorithm)] = part.checksum.value;
  }
  return { headers };
}

/**
 * The checksum that is stored with a part; undefined in an upload without an algorithm. In a
 * composite upload the client must send it, otherwise it is computed. Throws InvalidRequest.
 */
function partChecksum(upload: Upload, checksum: Payload['checksum']): Checksum | undefined {
  if (upload.checksum === undefined) return undefined;
  const { algorithm, type } = upload.checksum;
  const usable = type === 'FULL_OBJECT' || checksum?.sent === true;
  if (usable && checksum?.algorithm === algorithm) {
    return { algorithm, value: checksum.value, type };
  }
  const actual = checksum?.sent === true ? checksum.algorithm.toLowerCase() : 'null';
  throw new S3Error('InvalidRequest', {
    message: `Checksum Type mismatch occurred, expected checksum Type: ${algorithm.toLowerCase()}, actual checksum Type: ${actual}`,
  });
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_AbortMultipartUpload.html */
export function abortMultipartUpload(call: Call): Reply {
  call.store.abortUpload(findUpload(call));
  return { status: 204 };
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListParts.html */
export function listParts(call: Call): Reply {
  const upload = findUpload(call);
  const limit = readLimit(call.request, 'max-parts');
  const marker = readMarker(call.request, 'part-number-marker');
  const parts = sortedParts(upload).filter((part) => part.number > marker);
  const page = parts.slice(0, limit);
  const truncated = parts.length > page.length;
  return xmlReply(
    xmlDocument('ListPartsResult', {
      Bucket: call.bucket.options.name,
      Key: upload.key,
      UploadId: upload.id,
      PartNumberMarker: marker,
      NextPartNumberMarker: page.at(-1)?.number ?? 0,
      MaxParts: limit,
      IsTruncated: truncated,
      ChecksumAlgorithm: upload.checksum?.algorithm,
      ChecksumType: upload.checksum?.type,
      Part: page.map((part) => ({
        PartNumber: part.number,
        LastModified: formatTime(part.modified),
        ETag: `"${part.etag}"`,
        Size: part.size,
        ...(part.checksum && { [checksumElement(part.checksum.algorithm)]: part.checksum.value }),
      })),
      StorageClass: 'STANDARD',
    }),
  );
}

export function sortedParts(upload: Upload): readonly StoredPart[] {
  return [...upload.parts.values()].sort((a, b) => a.number - b.number);
}

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListMultipartUploads.html
 * Not emulated: delimiter, encoding-type.
 */
export function listMultipartUploads(call: Call): Reply {
  const { request, store } = call;
  for (const name of ['delimiter', 'encoding-type']) {
    if (!queryValue(request, name)) continue;
    throw new S3Error('NotImplemented', { details: { Query: name } });
  }
  const prefix = queryValue(request, 'prefix') ?? '';
  const limit = readLimit(request, 'max-uploads');
  const keyMarker = queryValue(request, 'key-marker') ?? '';
  const idMarker = queryValue(request, 'upload-id-marker') ?? '';
  const uploads = [...store.uploads()]
    .filter((upload) => upload.key.startsWith(prefix))
    .sort(compareUploads);
  const marked = store.upload(idMarker);
  const rest = uploads.filter((upload) =>
    marked !== undefined && marked.key === keyMarker
      ? compareUploads(upload, marked) > 0
      : compareKeys(upload.key, keyMarker) > 0,
  );
  const page = rest.slice(0, limit);
  const truncated = rest.length > page.length;
  const last = truncated ? page.at(-1) : undefined;
  return xmlReply(
    xmlDocument('ListMultipartUploadsResult', {
      Bucket: call.bucket.options.name,
      KeyMarker: keyMarker,
      UploadIdMarker: idMarker,
      NextKeyMarker: last?.key,
      NextUploadIdMarker: last?.id,
      Prefix: prefix,
      MaxUploads: limit,
      IsTruncated: truncated,
      Upload: page.map((upload) => ({
        Key: upload.key,
        UploadId: upload.id,
        StorageClass: 'STANDARD',
        Initiated: formatTime(upload.initiated),
        ChecksumAlgorithm: upload.checksum?.algorithm,
        ChecksumType: upload.checksum?.type,
      })),
    }),
  );
}

function compareUploads(a: Upload, b: Upload): number {
  return compareKeys(a.key, b.key) || a.initiated - b.initiated || compareKeys(a.id, b.id);
}
