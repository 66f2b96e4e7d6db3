/** What the service answers, with the wire's own field names: docs/api.md. */

/** An object as it is now, or as a change made it. */
export interface ObjectDescriptor {
  /** Name of its bucket. */
  readonly bucket: string;
  /** Its name within the bucket. */
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** Without quotes. */
  readonly etag: string;
  /** 1 for the first of a key, one more for each change. */
  readonly version: number;
  /** The cursor of this change in the bucket's change stream. */
  readonly cursor: number;
  /** ISO 8601 UTC with milliseconds. */
  readonly created_at: string;
  /** ISO 8601 UTC with milliseconds: when this version was written. */
  readonly updated_at: string;
  /** As it was given with the upload. */
  readonly content_type: string;
  /** As it was given with the upload; names in lower case. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Base64; absent where the service does not know it. */
  readonly checksum_sha256?: string;
}

/** What a delete leaves to be told. */
export interface DeletedObject {
  /** Name of its bucket. */
  readonly bucket: string;
  /** Its name within the bucket. */
  readonly key: string;
  /** Of the delete itself: one above that of the object. */
  readonly version: number;
  /** The cursor of this change in the bucket's change stream. */
  readonly cursor: number;
  /** ISO 8601 UTC with milliseconds. */
  readonly deleted_at: string;
}

/** One entry of a bucket's change stream. */
export type ChangeEntry =
  | { readonly cursor: number; readonly type: 'put'; readonly object: ObjectDescriptor }
  | { readonly cursor: number; readonly type: 'delete'; readonly object: DeletedObject };

/**
 * The changes of the half-open range (from, to]: what is not named in it does not concern this
 * follower.
 */
export interface ChangeRange {
  readonly bucket: string;
  /** 12 characters: the life of the bucket. One made again under the same name has another. */
  readonly bucket_id: string;
  readonly from: number;
  readonly to: number;
  /** The newest cursor that can be read, as known to the sender; at least `to`. */
  readonly head: number;
  readonly changes: readonly ChangeEntry[];
}

/** A page of a list. */
export interface ListPage {
  /** In the order of their keys, as UTF-8. */
  readonly objects: readonly ObjectDescriptor[];
  /** With a delimiter: the beginnings of keys up to it, each once. */
  readonly prefixes: readonly string[];
  /** Follow from here, and nothing is missed. The same on every page of a list. */
  readonly cursor: number;
  /** The life of the bucket. One made again under the same name has another. */
  readonly bucket_id: string;
  /** For the next page; absent on the last. */
  readonly next_page_token?: string;
}

/** What `signedUrl` answers. */
export interface SignedUrl {
  /** All the authority there is: whoever has it can use it. */
  readonly url: string;
  /** Of the request. */
  readonly method: 'GET' | 'PUT';
  /** What the request must carry. */
  readonly headers: Readonly<Record<string, string>>;
  /** ISO 8601 UTC. */
  readonly expires_at: string;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isCursor(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** The range that a message or a page holds. undefined: it is none, or contradicts itself. */
export function parseChangeRange(value: unknown): ChangeRange | undefined {
  if (!isRecord(value)) return undefined;
  const { bucket, bucket_id, from, to, head, changes } = value;
  if (typeof bucket !== 'string' || typeof bucket_id !== 'string') return undefined;
  if (!isCursor(from) || !isCursor(to) || !isCursor(head) || from > to) return undefined;
  if (!Array.isArray(changes)) return undefined;
  const entries: ChangeEntry[] = [];
  let last = from;
  for (const change of changes) {
    if (!isChangeEntry(change) || change.cursor <= last || change.cursor > to) return undefined;
    last = change.cursor;
    entries.push(change);
  }
  return { bucket, bucket_id, from, to, head: Math.max(head, to), changes: entries };
}

function isChangeEntry(value: unknown): value is ChangeEntry {
  if (!isRecord(value)) return false;
  const { cursor, type, object } = value;
  const isKnown = type === 'put' || type === 'delete';
  return isKnown && isCursor(cursor) && isRecord(object) && typeof object.key === 'string';
}
