/**
 * CompleteMultipartUpload: the files of the parts, in order, become the object without a copy.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html
 * Not emulated: a repeated call, which here fails with NoSuchUpload.
 */
import { createHash } from 'node:crypto';
import { type Call, type Reply, xmlReply } from '../calls/call';
import {
  CHECKSUM_ALGORITHMS,
  type Checksum,
  checksumElement,
  checksumHeader,
  combineChecksums,
} from '../payload/checksums';
import { S3Error } from '../protocol/errors';
import { children, text, xmlDocument } from '../protocol/xml';
import type { StoredPart, Upload } from '../storage/records';
import { checkWrite } from './conditions';
import { receiveDocument } from './document';
import { readPartNumber } from './integers';
import { checkWriteAllowed, ENCRYPTION } from './objects';
import { findUpload } from './uploads';

/** Least size of every part but the last, in bytes. */
const MIN_PART = 5 * 1024 ** 2;

/** A part in the client's list. */
interface ListedPart {
  readonly number: number;
  readonly etag: string;
  /** The XML of the part, which may have checksums. */
  readonly content: unknown;
}

export async function completeMultipartUpload(call: Call): Promise<Reply> {
  findUpload(call);
  checkWriteAllowed(call);
  const document = await receiveDocument(call, 'CompleteMultipartUpload', { checksums: false });
  const listed = readParts(document);
  const { key, store } = call;
  const upload = findUpload(call);
  const parts = chooseParts(upload, listed);
  const size = parts.reduce((sum, part) => sum + part.size, 0);
  checkSize(call, size);
  const checksum = combine(upload, parts);
  checkChecksum(call, checksum);
  checkWrite(call.headers, key, store.get(key));
  const etag = multipartEtag(parts);
  store.put(
    {
      key,
      size,
      etag,
      modified: Date.now(),
      headers: upload.headers,
      metadata: upload.metadata,
      checksum,
      segments: parts.flatMap((part) => part.segments),
    },
    'ObjectCreated:CompleteMultipartUpload',
    { upload },
  );
  const reply = xmlReply(
    xmlDocument('CompleteMultipartUploadResult', {
      Location: `http://${call.request.headers.host}${call.request.canonicalPath}`,
      Bucket: call.bucket.options.name,
      Key: key,
      ETag: `"${etag}"`,
      ...(checksum && {
        [checksumElement(checksum.algorithm)]: checksum.value,
        ChecksumType: checksum.type,
      }),
    }),
  );
  return { ...reply, headers: { ...reply.headers, ...ENCRYPTION } };
}

function readParts(document: Record<string, unknown>): readonly ListedPart[] {
  const parts = children(document, 'Part').map((content) => {
    const [number, etag] = [text(content, 'PartNumber'), text(content, 'ETag')];
    if (number === undefined || etag === undefined) throw new S3Error('MalformedXML');
    return {
      number: readPartNumber(number.trim()),
      etag: etag.trim().replace(/^"(.*)"$/, '$1'),
      content,
    };
  });
  if (parts.length === 0 || parts.length > 10_000) throw new S3Error('MalformedXML');
  return parts;
}

/** Throws InvalidPartOrder, InvalidPart, EntityTooSmall, InvalidRequest (a checksum is missing). */
function chooseParts(upload: Upload, listed: readonly ListedPart[]): readonly StoredPart[] {
  if (listed.some((part, index) => part.number <= (listed[index - 1]?.number ?? 0))) {
    throw new S3Error('InvalidPartOrder', { details: { UploadId: upload.id } });
  }
  const chosen = listed.map((part) => {
    const stored = upload.parts.get(part.number);
    const details = { UploadId: upload.id, PartNumber: String(part.number), ETag: part.etag };
    if (stored === undefined || stored.etag !== part.etag) {
      throw new S3Error('InvalidPart', { details });
    }
    checkPartChecksum(upload, stored, part.content);
    return stored;
  });
  for (const part of chosen.slice(0, -1)) {
    if (part.size >= MIN_PART) continue;
    throw new S3Error('EntityTooSmall', {
      details: {
        PartNumber: String(part.number),
        ETag: part.etag,
        ProposedSize: String(part.size),
        MinSizeAllowed: String(MIN_PART),
      },
    });
  }
  return chosen;
}

function checkPartChecksum(upload: Upload, stored: StoredPart, content: unknown): void {
  for (const algorithm of CHECKSUM_ALGORITHMS) {
    const claimed = text(content, checksumElement(algorithm));
    if (claimed === undefined) continue;
    if (stored.checksum?.algorithm !== algorithm || stored.checksum.value !== claimed) {
      throw new S3Error('InvalidPart', { details: { PartNumber: String(stored.number) } });
    }
    return;
  }
  if (upload.checksum?.type !== 'COMPOSITE') return;
  throw new S3Error('InvalidRequest', {
    message: `The upload was created using a ${upload.checksum.algorithm.toLowerCase()} checksum. The complete request must include the checksum for each part. It was missing for part ${stored.number} in the request.`,
  });
}

function checkSize(call: Call, size: number): void {
  const declared = call.headers['x-amz-mp-object-size'];
  if (declared === undefined || declared === String(size)) return;
  throw new S3Error('InvalidRequest', {
    message: `The provided 'x-amz-mp-object-size' header value ${declared} does not match what was computed: ${size}`,
  });
}

/**
 * The checksum of the object; undefined for an upload without checksums. Throws InvalidRequest
 * unless the part numbers are 1, 2, 3, …; S3 responds with 500 then.
 */
function combine(upload: Upload, parts: readonly StoredPart[]): Checksum | undefined {
  if (upload.checksum === undefined) return undefined;
  if (parts.some((part, index) => part.number !== index + 1)) {
    throw new S3Error('InvalidRequest', {
      message: 'Part numbers must be consecutive, from 1, in an upload with checksums.',
    });
  }
  const { algorithm, type } = upload.checksum;
  const checksums = parts.map((part) => ({ value: part.checksum?.value ?? '', size: part.size }));
  return combineChecksums(algorithm, type, checksums);
}

/** Throws BadDigest when the client sent another checksum of the object. */
function checkChecksum(call: Call, checksum: Checksum | undefined): void {
  if (checksum === undefined) return;
  const declared = call.headers[checksumHeader(checksum.algorithm)];
  if (declared === undefined || declared === checksum.value) return;
  throw new S3Error('BadDigest', {
    message: `The ${checksum.algorithm.toLowerCase()} you specified did not match the calculated checksum.`,
  });
}

/** The MD5 of the MD5s of the parts, and the number of parts. */
function multipartEtag(parts: readonly StoredPart[]): string {
  const hash = createHash('md5');
  for (const part of parts) hash.update(part.etag, 'hex');
  return `${hash.digest('hex')}-${parts.length}`;
}
