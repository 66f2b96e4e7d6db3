/** Parses the body of POST /commits. */
import { invalid, missing, ServiceError } from '../errors';
import {
  CONTENT_FIELDS,
  parseContentFields,
  parseContentType,
  parseMetadataField,
} from '../http/content-headers';
import { isJsonObject, isWholeNumber, type JsonObject, onlyFields } from '../http/json';
import { LIMITS } from '../limits';
import { isUlid, parseBucketId, parseBucketName, parseKey } from '../names';
import { parseTime } from '../times';
import { parseIfMatch, parseIfNoneMatch } from '../uploads/signed-urls';

/**
 * Properties that a change sets besides the bytes. The operation defines what an absent field
 * means.
 */
export interface ContentFields {
  readonly contentType?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly metadata?: Readonly<Record<string, string>>;
  /** In a patch, null removes the expiry. */
  readonly expiresAt?: string | null;
}

interface Target {
  readonly key: string;
  readonly ifMatch?: string;
  readonly ifNoneMatch?: '*';
}

/** The object whose bytes are copied. Without a version, its current version is copied. */
export interface SourceName {
  /** Absent: the bucket of the commit. */
  readonly bucket?: string;
  readonly key: string;
  readonly version?: number;
}

export type RequestedChange = Target &
  (
    | { readonly op: 'put'; readonly body: Buffer; readonly content: ContentFields }
    | { readonly op: 'put'; readonly uploadId: string }
    | { readonly op: 'copy'; readonly from: SourceName; readonly content: ContentFields }
    | { readonly op: 'move'; readonly from: Pick<SourceName, 'key'> }
    | { readonly op: 'patch'; readonly content: ContentFields }
    | { readonly op: 'delete'; readonly ifExists: boolean }
  );

export interface CommitRequest {
  readonly bucket: string;
  /** The commit requires that nothing in the bucket has changed since this cursor. */
  readonly ifCursor?: number;
  /** The required incarnation of the bucket. */
  readonly bucketId?: string;
  readonly changes: readonly RequestedChange[];
}

type Op = RequestedChange['op'];

/** Operation and names of a change, without its content. */
export interface ChangeTarget {
  readonly op: Op;
  readonly bucket: string;
  readonly key: string;
  /** The source of a copy or a move. */
  readonly from?: { readonly bucket: string; readonly key: string };
}

const CONTENT = ['content_type', ...CONTENT_FIELDS, 'metadata', 'expires_at'];
const COMMON = ['op', 'key', 'if_match', 'if_none_match'];
const FIELDS: Readonly<Record<Op, readonly string[]>> = {
  put: [...COMMON, 'content', 'upload_id', ...CONTENT],
  copy: [...COMMON, 'from', ...CONTENT],
  move: [...COMMON, 'from'],
  patch: [...COMMON, ...CONTENT],
  delete: [...COMMON, 'if_exists'],
};

/** Returns the number of log entries of the change: a move writes one for each of its two keys. */
export function entriesOf({ op }: Pick<RequestedChange, 'op'>): number {
  return op === 'move' ? 2 : 1;
}

/**
 * Parses the body. `authorize` is called with each change as soon as all names are known: the rest
 * is not parsed for a caller without a permission. Throws invalid_request with the field, such as
 * `changes[3].key`, payload_too_large, and any error of `authorize`.
 */
export function parseCommit(
  body: JsonObject,
  authorize: (target: ChangeTarget) => void,
): CommitRequest {
  const bucket = parseBucketName(body.bucket);
  const named = parseChanges(body.changes, bucket);
  for (const { target } of named) authorize(target);
  onlyFields(body, TOP);
  requireDistinct(named.map(({ target }) => target));
  const { if_cursor: ifCursor, bucket_id: bucketId } = body;
  if (ifCursor !== undefined && !isWholeNumber(ifCursor, 0)) {
    throw invalid('if_cursor', 'must be a whole number from 0 on');
  }
  const changes = named.map((one, index) => inChange(index, () => parseChange(one)));
  requireSmall(changes);
  return {
    bucket,
    ...(ifCursor !== undefined && { ifCursor }),
    ...(bucketId !== undefined && { bucketId: parseBucketId(bucketId) }),
    changes,
  };
}

const TOP = ['bucket', 'if_cursor', 'bucket_id', 'changes'];

interface NamedChange {
  readonly target: ChangeTarget;
  readonly body: JsonObject;
}

function parseChanges(value: unknown, bucket: string): readonly NamedChange[] {
  if (value === undefined) throw missing('changes');
  const most = LIMITS.commitChanges;
  const isList = Array.isArray(value) && value.length <= most;
  const named = isList
    ? value.map((one, index) => inChange(index, () => parseTarget(one, bucket)))
    : [];
  const entries = named.reduce((sum, { target }) => sum + entriesOf(target), 0);
  if (entries > 0 && entries <= most) return named;
  throw invalid('changes', `must be a list of 1 to ${most} changes, where a move counts two`);
}

function parseTarget(value: unknown, bucket: string): NamedChange {
  if (!isJsonObject(value)) throw invalid('', 'must be an object');
  const { op } = value;
  if (op === undefined) throw missing('op');
  if (!isOp(op)) throw invalid('op', `must be ${Object.keys(FIELDS).join(', ')}`);
  const key = parseKey(value.key);
  if (op !== 'copy' && op !== 'move') return { target: { op, bucket, key }, body: value };
  const { from } = value;
  if (from === undefined) throw missing('from');
  if (!isJsonObject(from)) throw invalid('from', 'must be an object with a key');
  const isElsewhere = op === 'copy' && from.bucket !== undefined;
  const source = {
    bucket: isElsewhere ? parseBucketName(from.bucket, 'from.bucket') : bucket,
    key: parseKey(from.key, 'from.key'),
  };
  return { target: { op, bucket, key, from: source }, body: value };
}

/** Throws when two changes name the same key: a transaction writes an item only once. */
function requireDistinct(targets: readonly ChangeTarget[]): void {
  const seen = new Set<string>();
  for (const [index, { op, key, from }] of targets.entries()) {
    const changed = { key, ...(op === 'move' && from && { 'from.key': from.key }) };
    for (const [field, name] of Object.entries(changed)) {
      if (seen.has(name)) throw invalid(`changes[${index}].${field}`, 'is changed twice');
      seen.add(name);
    }
  }
}

function parseChange({ target, body }: NamedChange): RequestedChange {
  const { op, key, from } = target;
  const unknown = Object.keys(body).find((name) => !FIELDS[op].includes(name));
  if (unknown !== undefined) {
    throw invalid(unknown, `is not a field of ${op}; those are ${FIELDS[op].join(', ')}`);
  }
  const common = {
    key,
    ...(body.if_match !== undefined && { ifMatch: parseIfMatch(body.if_match) }),
    ...(body.if_none_match !== undefined && { ifNoneMatch: parseIfNoneMatch(body.if_none_match) }),
  };
  switch (op) {
    case 'put':
      if (body.upload_id !== undefined) return { op, ...common, uploadId: parseUploadId(body) };
      return { op, ...common, body: parseBase64(body.content), content: newContent(body) };
    case 'copy':
      return { op, ...common, from: parseSource(body.from, target), content: newContent(body) };
    case 'move':
      parseSource(body.from, target);
      return { op, ...common, from: { key: from?.key ?? key } };
    case 'patch':
      if (!CONTENT.some((field) => body[field] !== undefined)) {
        throw invalid('op', `patch needs at least one of ${CONTENT.join(', ')}`);
      }
      return { op, ...common, content: { ...parseContent(body), ...parsePatchedExpiry(body) } };
    case 'delete':
      return { op, ...common, ifExists: parseFlag(body.if_exists) };
  }
}

function parseContent(body: JsonObject): ContentFields {
  const { content_type: type, metadata } = body;
  if (type !== undefined && typeof type !== 'string') {
    throw invalid('content_type', 'must be a string');
  }
  return {
    ...(type !== undefined && { contentType: parseContentType(type, 'content_type') }),
    headers: parseContentFields(body),
    ...(metadata !== undefined && { metadata: parseMetadataField(metadata) }),
  };
}

/** Parses the content of a new object, which has no expiry to remove. */
function newContent(body: JsonObject): ContentFields {
  const { expires_at: value } = body;
  if (value === undefined) return parseContent(body);
  return { ...parseContent(body), expiresAt: parseTime(value, 'expires_at') };
}

function parsePatchedExpiry({ expires_at: value }: JsonObject): Pick<ContentFields, 'expiresAt'> {
  if (value === undefined) return {};
  return { expiresAt: value === null ? null : parseTime(value, 'expires_at') };
}

const SOURCE = { copy: ['bucket', 'key', 'version'], move: ['key'] } as const;

/** `target` has the names that were parsed before. */
function parseSource(value: unknown, { op, bucket, key, from }: ChangeTarget): SourceName {
  const fields: readonly string[] = SOURCE[op === 'move' ? op : 'copy'];
  const body = isJsonObject(value) ? value : {};
  const unknown = Object.keys(body).find((name) => !fields.includes(name));
  if (unknown !== undefined) {
    throw invalid(`from.${unknown}`, `is not a field of ${op}; those are ${fields.join(', ')}`);
  }
  const { version } = body;
  if (version !== undefined && !isWholeNumber(version, 1)) {
    throw invalid('from.version', 'must be a whole number from 1 on');
  }
  return {
    key: from?.key ?? key,
    ...(from && from.bucket !== bucket && { bucket: from.bucket }),
    ...(version !== undefined && { version }),
  };
}

/** Parses padded base64 in the alphabet of RFC 4648 §4. */
function parseBase64(value: unknown): Buffer {
  if (value === undefined) throw missing('content');
  const bytes = typeof value === 'string' ? Buffer.from(value, 'base64') : undefined;
  // Node.js skips unknown characters, so the decoded bytes must encode to the same text.
  if (bytes === undefined || bytes.toString('base64') !== value) {
    throw invalid('content', 'must be the bytes in base64, with padding');
  }
  return bytes;
}

/** Parses the id of the upload, which has the bytes and their metadata. */
function parseUploadId({ upload_id: id, ...body }: JsonObject): string {
  const other = ['content', ...CONTENT].find((field) => body[field] !== undefined);
  if (other !== undefined) throw invalid(other, 'must be absent beside upload_id');
  if (isUlid(id)) return id;
  throw invalid('upload_id', 'must be an upload_id that POST /signed-url has returned');
}

function parseFlag(value: unknown): boolean {
  if (value === undefined || typeof value === 'boolean') return value ?? false;
  throw invalid('if_exists', 'must be true or false');
}

function requireSmall(changes: readonly RequestedChange[]): void {
  const bytes = changes.reduce((sum, one) => sum + ('body' in one ? one.body.length : 0), 0);
  if (bytes <= LIMITS.commitContentBytes) return;
  throw new ServiceError('payload_too_large', {
    message: `the contents of a commit exceed ${LIMITS.commitContentBytes} bytes; upload larger objects first, and copy or move them in the commit`,
  });
}

/** Puts the index of the change before the field of an invalid_request. */
function inChange<T>(index: number, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    const { field, rule } = (error instanceof ServiceError && error.details) || {};
    if (typeof field !== 'string' || typeof rule !== 'string') throw error;
    const place = `changes[${index}]`;
    throw Object.assign(invalid(field === '' ? place : `${place}.${field}`, rule), {
      cause: error,
    });
  }
}

function isOp(value: unknown): value is Op {
  return typeof value === 'string' && Object.hasOwn(FIELDS, value);
}
