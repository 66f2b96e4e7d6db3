/**
 * CopyObject and UploadPartCopy: the bytes come from an object of this or another bucket.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPartCopy.html
 * Not emulated: tags, versions, checksums other than that of the source.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { authorize, objectArn } from '../calls/authorize';
import { type Call, type Reply, xmlReply } from '../calls/call';
import { MAX_UPLOAD_BYTES } from '../payload/payload';
import { S3Error } from '../protocol/errors';
import { checkKey, queryValue } from '../protocol/request';
import { formatTime, xmlDocument, xmlError } from '../protocol/xml';
import type { Content } from '../storage/data-files';
import type { StoredObject } from '../storage/records';
import { SMALL } from '../storage/store';
import { checkRead, checkWrite } from './conditions';
import { readPartNumber } from './integers';
import { checkWriteAllowed, ENCRYPTION, noSuchKey } from './objects';
import { readProperties } from './properties';
import { findUpload } from './uploads';

/** S3 copies a range only of an object above 5 MB. */
const MIN_RANGED = 5 * 1024 ** 2;

interface Source {
  /** The call as if it were for the source. */
  readonly call: Call;
  readonly object: StoredObject;
}

/** The bytes that a copy stores, and what S3 knows of them. */
interface Copied extends Content {
  readonly size: number;
  /** Unquoted: the MD5 of the bytes, even when the source was uploaded in parts. */
  readonly etag: string;
}

/**
 * Copies a small object before it responds. For a larger one the response begins first, so an error
 * is the body of a 200.
 */
export async function copyObject(call: Call): Promise<Reply> {
  const source = findSource(call);
  const replaces = readDirective(call) === 'REPLACE';
  checkWriteAllowed(call);
  const isSame = source.call.store === call.store && source.call.key === call.key;
  if (isSame && !replaces) {
    throw new S3Error('InvalidRequest', {
      message:
        "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
    });
  }
  if (source.object.size > MAX_UPLOAD_BYTES) throw tooLarge();
  const { headers, metadata } = replaces ? readProperties(call.headers) : source.object;
  const store = (copied: Copied): string => {
    checkWrite(call.headers, call.key, call.store.get(call.key));
    const { size, etag, segments, bytes } = copied;
    const { checksum } = source.object;
    const object: StoredObject = {
      ...{ key: call.key, size, etag, modified: Date.now(), headers, metadata, segments },
      ...(checksum?.type === 'FULL_OBJECT' && { checksum }),
    };
    call.store.put(object, 'ObjectCreated:Copy', { bytes });
    return result('CopyObjectResult', object);
  };
  if (source.object.size > SMALL) {
    return { ...slowReply(() => copy(call, source, undefined, store)), headers: HEADERS };
  }
  return { body: await copy(call, source, undefined, store), headers: HEADERS };
}

export async function uploadPartCopy(call: Call): Promise<Reply> {
  const number = readPartNumber(queryValue(call.request, 'partNumber'));
  if (findUpload(call).checksum !== undefined) {
    throw new S3Error('NotImplemented', { message: 'UploadPartCopy in an upload with checksums' });
  }
  const source = findSource(call);
  const range = readCopiedRange(call, source.object.size);
  const store = ({ size, etag, segments }: Copied): string => {
    const part = { number, size, etag, modified: Date.now(), segments };
    // The upload may have ended during the copy.
    call.store.putPart(findUpload(call), part);
    return result('CopyPartResult', part);
  };
  const reply = xmlReply(await copy(call, source, range, store));
  return { ...reply, headers: { ...reply.headers, ...ENCRYPTION } };
}

const HEADERS = { 'content-type': 'application/xml', ...ENCRYPTION } as const;

/**
 * The object that `x-amz-copy-source` names, which the caller may read and whose conditions hold.
 * The header is percent-encoded, and `+` is a space in it, as S3 reads it.
 */
function findSource(call: Call): Source {
  const header = call.headers['x-amz-copy-source'] ?? '';
  const [path = '', query] = header.split('?');
  const name = decodeSource(path);
  const slash = name.indexOf('/');
  const key = name.slice(slash + 1);
  if (slash < 1 || key === '') throw invalidSource();
  if (query !== undefined && query !== 'versionId=null') {
    throw new S3Error('NotImplemented', { details: { Header: 'x-amz-copy-source' } });
  }
  checkKey(key);
  const bucket = call.service.buckets.get(name.slice(0, slash));
  if (bucket === undefined) {
    throw new S3Error('NoSuchBucket', { details: { BucketName: name.slice(0, slash) } });
  }
  const source: Call = { ...call, bucket, store: bucket.store, key };
  authorize(source, 's3:GetObject', objectArn(source));
  const object = bucket.store.get(key);
  if (object === undefined) throw noSuchKey(source);
  checkConditions(call, object);
  return { call: source, object };
}

function decodeSource(path: string): string {
  try {
    // The header has ASCII only: other characters must be encoded.
    if (!/^[\x21-\x7e]*$/.test(path)) throw invalidSource();
    return decodeURIComponent(path.replaceAll('+', ' ')).replace(/^\//, '');
  } catch (cause) {
    throw cause instanceof S3Error ? cause : invalidSource();
  }
}

function invalidSource(): S3Error {
  return new S3Error('InvalidArgument', {
    message: 'Copy Source must mention the source bucket and key: sourcebucket/sourcekey',
    details: { ArgumentName: 'x-amz-copy-source' },
  });
}

/** The conditions of a copy are those of a read, and each that does not hold is 412. */
function checkConditions({ headers }: Call, object: StoredObject): void {
  const prefix = 'x-amz-copy-source-';
  const names = ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'];
  const conditions = names.flatMap((name) => {
    const value = headers[prefix + name];
    return value === undefined ? [] : [[name, value] as const];
  });
  try {
    checkRead(Object.fromEntries(conditions), object);
  } catch (cause) {
    throw new S3Error('PreconditionFailed', { details: { Condition: prefix }, cause });
  }
}

function readDirective({ headers }: Call): 'COPY' | 'REPLACE' {
  const directive = headers['x-amz-metadata-directive'] ?? 'COPY';
  if (directive === 'COPY' || directive === 'REPLACE') return directive;
  throw new S3Error('InvalidArgument', {
    message: 'Unknown metadata directive.',
    details: { ArgumentName: 'x-amz-metadata-directive', ArgumentValue: directive },
  });
}

interface CopiedRange {
  readonly start: number;
  /** Inclusive. */
  readonly end: number;
}

/** Unlike `Range`, both ends must be given, and lie in the object. */
function readCopiedRange({ headers }: Call, size: number): CopiedRange | undefined {
  const header = headers['x-amz-copy-source-range'];
  if (header === undefined && size <= MAX_UPLOAD_BYTES) return undefined;
  const [, first, last] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(header ?? 'bytes=0-') ?? [];
  const [start, end] = [Number(first ?? Number.NaN), Number(last ?? Number.NaN)];
  if (header === undefined || end - start >= MAX_UPLOAD_BYTES) throw tooLarge();
  if (size <= MIN_RANGED) {
    throw new S3Error('InvalidRequest', {
      message:
        'The specified copy source is not supported as a byte-range copy source: it is 5 MB or less',
    });
  }
  if (start <= end && end < size) return { start, end };
  throw new S3Error('InvalidArgument', {
    message: `Range specified is not valid for source object of size: ${size}`,
    details: { ArgumentName: 'x-amz-copy-source-range', ArgumentValue: header },
  });
}

function tooLarge(): S3Error {
  return new S3Error('InvalidRequest', {
    message: `The specified copy source is larger than the maximum allowable size for a copy source: ${MAX_UPLOAD_BYTES}`,
  });
}

/** Copies the bytes to the disk and calls `store`, as one who receives a body does. */
async function copy<T>(
  call: Call,
  { call: source, object }: Source,
  range: CopiedRange | undefined,
  store: (copied: Copied) => T,
): Promise<T> {
  const { start, end } = range ?? { start: 0, end: object.size - 1 };
  const sink = call.store.files.create(range ? 0 : SMALL);
  const md5 = createHash('md5');
  try {
    const bytes = source.store.read(object, start, end);
    for await (const chunk of bytes instanceof Readable ? bytes : [bytes]) {
      md5.update(chunk);
      await sink.write(chunk);
    }
    return store({ ...(await sink.finish()), size: end - start + 1, etag: md5.digest('hex') });
  } catch (error) {
    await sink.discard();
    throw error;
  }
}

function result(name: string, { etag, modified }: Pick<StoredObject, 'etag' | 'modified'>): string {
  return xmlDocument(name, { LastModified: formatTime(modified), ETag: `"${etag}"` });
}

/** Begins with the XML declaration and white space, as S3 does to keep the connection open. */
function slowReply(work: () => Promise<string>): Reply {
  async function* document(): AsyncGenerator<string> {
    yield '<?xml version="1.0" encoding="UTF-8"?>\n  ';
    const text = await work().catch((error: unknown) => {
      if (!(error instanceof S3Error)) throw error;
      return xmlError({ Code: error.code, Message: error.message, ...error.details });
    });
    yield text.replace(/^<\?xml[^>]*>\n/, '');
  }
  return { body: Readable.from(document(), { objectMode: false }) };
}
