/** Commits: several changes of a bucket, all or nothing. */
import { base64Of } from './base64';
import { StowageError } from './errors';
import { type Http, REQUEST_MS } from './http';
import { describeObject, unquoted } from './objects';
import type { RequestOptions, WriteOptions } from './options';
import { objectsPath } from './paths';
import { type DeletedObject, isRecord, type ObjectDescriptor, type UploadState } from './resources';
import { sleep } from './retry';
import { waitForCommit } from './transfer/upload-state';

/** The object whose bytes are copied: its current version unless one is named. */
export interface CopySource {
  /** @default the bucket of the commit */
  readonly bucket?: string | undefined;
  /** The key of the source. */
  readonly key: string;
  /** An older version. @default the current one */
  readonly version?: number | undefined;
}

/** Headers, metadata and expiry that a change sets. */
export interface ContentChange {
  /** The content type. */
  readonly contentType?: string | undefined;
  /** Texts by name, which replace all metadata of the object. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** The Cache-Control of the object. */
  readonly cacheControl?: string | undefined;
  /** The Content-Disposition of the object. */
  readonly contentDisposition?: string | undefined;
  /** The Content-Encoding of the object. */
  readonly contentEncoding?: string | undefined;
  /** The Content-Language of the object. */
  readonly contentLanguage?: string | undefined;
  /** When the service deletes the object, ISO 8601. In a patch, null removes the expiry. */
  readonly expiresAt?: string | null | undefined;
}

/** Conditions of a change. Without them, it is made whether or not the object exists. */
export interface ChangeConditions {
  /** An etag: only if the object has it. */
  readonly ifMatch?: string | undefined;
  /** Only if there is no such object. */
  readonly ifNoneMatch?: '*' | undefined;
}

/** Options of `copy` and `patch`. */
export interface NewContent extends ContentChange, ChangeConditions, WriteOptions {}

/** Options of a move. */
export interface MoveOptions extends ChangeConditions, WriteOptions {}

/** Options of `removeAll`. */
export interface RemoveOptions extends RequestOptions {
  /** Called after each request with the number of objects that it has deleted. */
  readonly onProgress?: ((deleted: number) => void) | undefined;
}

/** The object that a change makes or deletes. */
export interface ChangedKey extends ChangeConditions {
  /** Its key. */
  readonly key: string;
}

/** Uploads a few bytes: 256 KiB in one commit. */
export interface PutObjectChange extends ChangedKey, ContentChange {
  /** The kind of change. */
  readonly op: 'put';
  /** The bytes, or a text that is stored in UTF-8. */
  readonly content: Uint8Array | string;
}

/** Makes a staged upload the object: one by a signed URL with `commit: false`. */
export interface PutUploadChange extends ChangedKey {
  /** The kind of change. */
  readonly op: 'put';
  /** The id of the upload. */
  readonly uploadId: string;
}

/** Copies an object. */
export interface CopyObjectChange extends ChangedKey, ContentChange {
  /** The kind of change. */
  readonly op: 'copy';
  /** The source of the copy. */
  readonly from: CopySource;
}

/** Copies an object and deletes the source. */
export interface MoveObjectChange extends ChangedKey {
  /** The kind of change. */
  readonly op: 'move';
  /** The object to move, in the same bucket. */
  readonly from: Pick<CopySource, 'key'>;
}

/** Changes headers, metadata or expiry of an object. */
export interface PatchObjectChange extends ChangedKey, ContentChange {
  /** The kind of change. */
  readonly op: 'patch';
}

/** Deletes an object. */
export interface DeleteObjectChange extends ChangedKey {
  /** The kind of change. */
  readonly op: 'delete';
  /** Leaves a missing object out of the commit, instead of failing. @default false */
  readonly ifExists?: boolean | undefined;
}

/** One change of a commit; docs/api.md, "Commits". */
export type CommitChange =
  | PutObjectChange
  | PutUploadChange
  | CopyObjectChange
  | MoveObjectChange
  | PatchObjectChange
  | DeleteObjectChange;

/** The changes of a commit, 1 to 32, where a move counts two; none may change a key twice. */
export type CommitChanges = readonly CommitChange[];

/** Options of a commit. */
export interface CommitOptions extends WriteOptions {
  /** Only if nothing in the bucket has changed since this cursor. */
  readonly ifCursor?: number | undefined;
  /**
   * Only in this incarnation of the bucket: the `bucket_id` of the list that had the cursor. A
   * bucket that is deleted and created again may reach the same cursor.
   */
  readonly bucketId?: string | undefined;
}

/** The result of a commit. */
export interface Commit {
  /** The name of the bucket. */
  readonly bucket: string;
  /** The cursor of the first change; absent when nothing was to be changed. */
  readonly from?: number;
  /** The cursor of the last change. */
  readonly to?: number;
  /** In the order of their cursors; a move has made two. */
  readonly changes: readonly (ObjectDescriptor | DeletedObject)[];
  /**
   * The copy of more than 5 GiB that the commit has begun, which has no changes yet. `uploadState`
   * tells when it is committed.
   */
  readonly upload?: UploadState;
}

/** Sends a commit. */
export async function sendCommit(
  http: Http,
  bucket: string,
  changes: CommitChanges,
  { ifCursor, bucketId, idempotencyKey, signal }: CommitOptions,
): Promise<Commit> {
  const conditions = { if_cursor: ifCursor, bucket_id: bucketId };
  const body = { bucket, ...conditions, changes: changes.map(bodyOf) };
  const response = await http.post('commits', body, {
    idempotencyKey: http.idempotencyKey(idempotencyKey),
    signal,
  });
  if (isRecord(response) && Array.isArray(response.changes)) return response as unknown as Commit;
  if (isRecord(response) && typeof response.upload_id === 'string') {
    return { bucket, changes: [], upload: response as unknown as UploadState };
  }
  throw new StowageError('invalid_answer', 'the response of the service is not a commit');
}

/** Sends a commit of one change, and returns the object that it makes. */
export async function commitOne(
  http: Http,
  bucket: string,
  { idempotencyKey, signal, ...change }: CommitChange & WriteOptions,
): Promise<ObjectDescriptor> {
  const options = { idempotencyKey, signal };
  const { changes } = await sendCommit(http, bucket, [change as CommitChange], options);
  return changes[0] as ObjectDescriptor;
}

/**
 * Sends a copy, waits for it if it is large, and returns the object. After a large copy the key
 * needs the permission `read`.
 */
export async function sendCopy(
  http: Http,
  { bucket, ...names }: Pick<CopyObjectChange, 'key' | 'from'> & { readonly bucket: string },
  { idempotencyKey, signal = new AbortController().signal, ...content }: NewContent,
): Promise<ObjectDescriptor> {
  const change = { op: 'copy', ...names, ...content } as const;
  const { changes, upload } = await sendCommit(http, bucket, [change], { idempotencyKey, signal });
  if (!upload) return changes[0] as ObjectDescriptor;
  const copied = { uploadId: upload.upload_id, isCompleted: true, withinMs: COPIED_WITHIN_MS };
  const committed = await waitForCommit(http, copied, signal);
  return describeObject(http, committed, { version: committed.version, signal });
}

/** Longer than the six days after which the service gives up a copy. */
const COPIED_WITHIN_MS = 7 * 86_400_000;

/** Deletes the objects below a prefix by several requests, and returns how many there were. */
export async function deleteAll(
  http: Http,
  bucket: string,
  prefix: string,
  { signal, onProgress }: RemoveOptions,
): Promise<number> {
  let deleted = 0;
  let token: string | undefined;
  for (;;) {
    try {
      const page = await deletePage(http, bucket, { prefix, page_token: token }, signal);
      deleted += page.deleted;
      onProgress?.(page.deleted);
      token = page.next_page_token;
      if (token === undefined) return deleted;
    } catch (error) {
      const { retryAfter } = error instanceof StowageError ? error : {};
      const isLimited = error instanceof StowageError && error.code === 'rate_limited';
      if (!isLimited || retryAfter === undefined) throw error;
      await sleep(retryAfter * 1000, signal ?? new AbortController().signal);
    }
  }
}

async function deletePage(
  http: Http,
  bucket: string,
  query: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal | undefined,
): Promise<{ readonly deleted: number; readonly next_page_token?: string }> {
  const path = objectsPath(bucket);
  const request = { method: 'DELETE', path, query, signal, timeoutMs: REQUEST_MS } as const;
  const page = await http.json(request);
  if (isRecord(page) && typeof page.deleted === 'number') {
    return page as { deleted: number; next_page_token?: string };
  }
  throw new StowageError('invalid_answer', 'the response of the service is not a deletion');
}

const NAMES: Readonly<Record<string, string>> = {
  contentType: 'content_type',
  cacheControl: 'cache_control',
  contentDisposition: 'content_disposition',
  contentEncoding: 'content_encoding',
  contentLanguage: 'content_language',
  expiresAt: 'expires_at',
  ifMatch: 'if_match',
  ifNoneMatch: 'if_none_match',
  ifExists: 'if_exists',
  uploadId: 'upload_id',
};

/** Returns the change with the field names of the HTTP interface. */
function bodyOf(change: CommitChange): Record<string, unknown> {
  const fields = Object.entries(change).map(([name, value]) => [
    NAMES[name] ?? name,
    name === 'ifMatch' && typeof value === 'string' ? unquoted(value) : value,
  ]);
  const body: Record<string, unknown> = Object.fromEntries(fields);
  if (!('content' in change)) return body;
  const { content } = change;
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return { ...body, content: base64Of(bytes) };
}
