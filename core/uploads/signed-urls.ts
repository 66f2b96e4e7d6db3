/** Parses the body of POST /signed-url. A field that does not belong to the method is rejected. */
import { invalid, missing } from '../errors';
import { evaluateConditions } from '../http/conditions';
import { safeContentDisposition } from '../http/content-disposition';
import {
  CONTENT_FIELDS,
  parseContentFields,
  parseContentType,
  parseMetadataField,
} from '../http/content-headers';
import { parseSha256 } from '../http/digests';
import { isWholeNumber } from '../http/json';
import { LIMITS } from '../limits';
import { isUlid, parseBucketName, parseKey, parsePrefix } from '../names';
import { parseTime } from '../times';
import { partSizeFor } from './parts';

interface Common {
  readonly bucket: string;
  readonly key: string;
  /** Seconds. */
  readonly expiresIn: number;
}

export interface SignGet extends Common {
  readonly method: 'GET';
  readonly contentDisposition?: string;
}

export interface SignPut extends Common {
  readonly method: 'PUT';
  readonly contentType?: string;
  /** The other content headers. */
  readonly headers: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
  /** When the object expires that the upload becomes. */
  readonly objectExpiresAt?: string;
  readonly contentLength?: number;
  readonly checksumSha256?: string;
  readonly ifNoneMatch?: '*';
  readonly ifMatch?: string;
  /** The upload stays staged until a commit of several changes names it. */
  readonly awaitsCommit: boolean;
  readonly multipart?: Multipart | BegunMultipart;
}

export interface Multipart {
  /** Bytes. */
  readonly size: number;
  readonly partSize: number;
}

/** A multipart upload that was begun before: its URLs are signed again. */
export interface BegunMultipart {
  readonly uploadId: string;
}

/** A ticket for the change channel. */
export interface SignSync {
  readonly method: 'SYNC';
  readonly bucket: string;
  readonly prefix?: string;
}

export type SignRequest = SignGet | SignPut | SignSync;

const COMMON = ['bucket', 'key', 'method', 'expires_in'];
const FIELDS = {
  GET: [...COMMON, 'content_disposition'],
  PUT: [
    ...COMMON,
    'content_type',
    ...CONTENT_FIELDS,
    'metadata',
    'object_expires_at',
    'content_length',
    'checksum_sha256',
    'if_none_match',
    'if_match',
    'commit',
    'multipart',
  ],
  SYNC: ['bucket', 'method', 'prefix'],
};

const FIXED_WHEN_BEGUN = [
  'content_type',
  ...CONTENT_FIELDS,
  'metadata',
  'object_expires_at',
  'if_none_match',
  'if_match',
  'commit',
];

/** What a request wants to be signed, by names alone. */
export type SignTarget =
  | (Pick<SignGet | SignPut, 'method' | 'bucket' | 'key'> & { readonly prefix?: undefined })
  | (SignSync & { readonly key?: undefined });

/**
 * Parses the body. `authorize` is called as soon as the names are known: a caller without the
 * permission does not have the rest parsed. Throws invalid_request, and what `authorize` throws.
 */
export function parseSignRequest(
  body: Record<string, unknown>,
  authorize: (target: SignTarget) => void,
): SignRequest {
  const { method } = body;
  if (method === undefined) throw missing('method');
  if (method !== 'GET' && method !== 'PUT' && method !== 'SYNC') {
    throw invalid('method', 'must be GET, PUT or SYNC');
  }
  const known = FIELDS[method];
  const unknown = Object.keys(body).find((field) => !known.includes(field));
  if (unknown !== undefined) {
    throw invalid(unknown, `is not a field of method ${method}; those are ${known.join(', ')}`);
  }
  if (method === 'SYNC') {
    const prefix = optional(body.prefix, parsePrefix) ?? '';
    const bucket = parseBucketName(body.bucket);
    const ticket: SignSync = { method, bucket, ...(prefix !== '' && { prefix }) };
    authorize(ticket);
    return ticket;
  }
  const object = { bucket: parseBucketName(body.bucket), key: parseKey(body.key) };
  authorize({ method, ...object });
  const common = { ...object, expiresIn: parseExpiry(body.expires_in) };
  if (method === 'PUT') return { ...common, method, ...parsePut(body) };
  if (body.content_disposition === undefined) return { ...common, method };
  const contentDisposition = safeContentDisposition(
    body.content_disposition,
    'content_disposition',
  );
  return { ...common, method, contentDisposition };
}

function parseExpiry(value: unknown): number {
  if (value === undefined) return LIMITS.signedUrlDefaultSeconds;
  if (!isWholeNumber(value, 1, LIMITS.signedUrlMaxSeconds)) {
    throw invalid(
      'expires_in',
      `must be a whole number of seconds from 1 to ${LIMITS.signedUrlMaxSeconds}`,
    );
  }
  return value;
}

function parsePut(body: Record<string, unknown>) {
  const multipart = body.multipart === undefined ? undefined : parseMultipart(body.multipart);
  if (multipart && (body.content_length !== undefined || body.checksum_sha256 !== undefined)) {
    throw invalid(
      'multipart',
      'must come without content_length and checksum_sha256, which S3 takes per part',
    );
  }
  if (multipart && 'uploadId' in multipart) {
    const fixed = FIXED_WHEN_BEGUN.find((field) => body[field] !== undefined);
    if (fixed !== undefined)
      throw invalid(fixed, 'was set when the upload began and must be absent');
  }
  const { commit = true } = body;
  if (typeof commit !== 'boolean') throw invalid('commit', 'must be true or false');
  if (!commit && (body.if_match !== undefined || body.if_none_match !== undefined)) {
    throw invalid('commit', 'must be true with a condition; the commit has conditions of its own');
  }
  const length = body.content_length;
  if (length !== undefined && !isWholeNumber(length, 0, LIMITS.signedPutMaxBytes)) {
    throw invalid(
      'content_length',
      'must be a whole number of bytes up to 5 GiB; above it use multipart',
    );
  }
  return {
    contentType: optional(body.content_type, (value) =>
      parseContentType(textOf(value, 'content_type'), 'content_type'),
    ),
    headers: parseContentFields(body),
    metadata: optional(body.metadata, parseMetadataField) ?? {},
    objectExpiresAt: optional(body.object_expires_at, (value) =>
      parseTime(value, 'object_expires_at'),
    ),
    contentLength: length,
    checksumSha256: optional(body.checksum_sha256, (value) =>
      parseSha256(value, 'checksum_sha256'),
    ),
    ifNoneMatch: optional(body.if_none_match, parseIfNoneMatch),
    ifMatch: optional(body.if_match, parseIfMatch),
    awaitsCommit: !commit,
    multipart,
  };
}

export function parseIfNoneMatch(value: unknown): '*' {
  if (value !== '*') throw invalid('if_none_match', 'must be *');
  return '*';
}

/** Takes the quoted form of the header, or an unquoted etag as descriptors show it. */
export function parseIfMatch(value: unknown): string {
  const text = textOf(value, 'if_match');
  if (text.length > LIMITS.conditionFieldLength) {
    throw invalid('if_match', `must be at most ${LIMITS.conditionFieldLength} characters`);
  }
  const header = text === '*' || text.includes('"') ? text : `"${text}"`;
  try {
    evaluateConditions((name) => (name === 'if-match' ? header : undefined), undefined, false);
  } catch (cause) {
    throw Object.assign(invalid('if_match', 'must be an etag'), { cause });
  }
  return header;
}

function parseMultipart(value: unknown): Multipart | BegunMultipart {
  if (typeof value !== 'object' || value === null) throw invalid('multipart', 'must be an object');
  if ('upload_id' in value) return parseBegun(value);
  const { size, part_size: asked, ...rest } = value as Record<string, unknown>;
  const unknown = Object.keys(rest)[0];
  if (unknown !== undefined) throw invalid(`multipart.${unknown}`, 'is not a known field');
  if (size === undefined) throw missing('multipart.size');
  if (!isWholeNumber(size, 1, LIMITS.multipartMaxBytes)) {
    throw invalid('multipart.size', 'must be a whole number of bytes from 1 to 5 TiB');
  }
  const partSize =
    asked === undefined ? partSizeFor(size, LIMITS.partDefaultBytes, LIMITS.partsDefault) : asked;
  if (!isWholeNumber(partSize, LIMITS.partMinBytes, LIMITS.partMaxBytes)) {
    throw invalid('multipart.part_size', 'must be a whole number of bytes from 5 MiB to 5 GiB');
  }
  if (Math.ceil(size / partSize) > LIMITS.partsMax) {
    throw invalid(
      'multipart.part_size',
      `makes more than ${LIMITS.partsMax} parts; use a larger one`,
    );
  }
  return { size, partSize };
}

function parseBegun({ upload_id: id, ...rest }: { readonly upload_id: unknown }): BegunMultipart {
  const unknown = Object.keys(rest)[0];
  if (unknown !== undefined)
    throw invalid(`multipart.${unknown}`, 'must be absent beside upload_id');
  if (!isUlid(id))
    throw invalid('multipart.upload_id', 'must be an upload_id that this endpoint has returned');
  return { uploadId: id };
}

function optional<T>(value: unknown, parse: (value: unknown) => T): T | undefined {
  return value === undefined ? undefined : parse(value);
}

function textOf(value: unknown, field: string): string {
  if (typeof value !== 'string') throw invalid(field, 'must be a string');
  return value;
}
