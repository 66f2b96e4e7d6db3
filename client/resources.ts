/** Resources of the service, with the field names of its JSON: docs/api.md. */

/** An object as it is now, or as it was after a change. */
export interface ObjectDescriptor {
  /** Name of its bucket. */
  readonly bucket: string;
  /** Its name within the bucket. */
  readonly key: string;
  /** Size of the content in bytes. */
  readonly size: number;
  /** The entity tag, without quotes. */
  readonly etag: string;
  /** 1 for the first change of a key, one more for each further change. */
  readonly version: number;
  /** The cursor of this change in the bucket's change log. */
  readonly cursor: number;
  /** When the first version was written; ISO 8601 UTC with milliseconds. */
  readonly created_at: string;
  /** When this version was written; ISO 8601 UTC with milliseconds. */
  readonly updated_at: string;
  /** As given with the upload. */
  readonly content_type: string;
  /** As given with the upload; names in lower case. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Base64; absent when the service does not know it. */
  readonly checksum_sha256?: string;
  /** When the service deletes the object; absent: never. ISO 8601 UTC with milliseconds. */
  readonly expires_at?: string;
}

/** A deleted object. */
export interface DeletedObject {
  /** Name of its bucket. */
  readonly bucket: string;
  /** Its name within the bucket. */
  readonly key: string;
  /** The version of the delete: one more than that of the object. */
  readonly version: number;
  /** The cursor of this change in the bucket's change log. */
  readonly cursor: number;
  /** When it was deleted; ISO 8601 UTC with milliseconds. */
  readonly deleted_at: string;
}

/** One version of an object, or the deletion of it. */
export interface ObjectVersion {
  /** Counts the changes of the key from 1. */
  readonly version: number;
  /** The cursor of this change in the bucket's change log. */
  readonly cursor: number;
  /** `delete`: there is no content, and the fields that describe it are absent. */
  readonly type: 'put' | 'delete';
  /** When it was committed; ISO 8601 UTC with milliseconds. */
  readonly at: string;
  /** Bytes. */
  readonly size?: number;
  /** The entity tag, without quotes. */
  readonly etag?: string;
  /** A media type. */
  readonly content_type?: string;
  /** `expired`: the service deleted the object by itself. */
  readonly cause?: 'expired';
  /** The id of the API key that made the change; absent when the service does not know it. */
  readonly by?: string;
}

/** The change that a restore would make to an object. */
export interface RestoredKey {
  /** The key of the object. */
  readonly key: string;
  /** `put`: it gets its earlier content; `delete`: it did not exist at that cursor. */
  readonly type: 'put' | 'delete';
  /** The earlier version. */
  readonly version?: number;
  /** Bytes of the earlier version. */
  readonly size?: number;
}

/** An object that a restore leaves as it is. */
export interface UnrestoredKey {
  /** The key of the object. */
  readonly key: string;
  /** Why it is left. */
  readonly reason: string;
}

/** The changes of a restore, or those that a dry run would make. */
export interface RestoreResult {
  /** The name of the bucket. */
  readonly bucket: string;
  /** The cursor of the restored state. */
  readonly as_of: number;
  /** Objects that have their earlier content again. */
  readonly restored: number;
  /** Objects that were deleted, because they did not exist at that cursor. */
  readonly deleted: number;
  /** Objects that need no change. */
  readonly unchanged: number;
  /** The cursor of the first change; absent when nothing was changed. */
  readonly from?: number;
  /** The cursor of the last change; absent when nothing was changed. */
  readonly to?: number;
  /** The changes that a restore would make; only in the result of a dry run. */
  readonly changes?: readonly RestoredKey[];
  /** Objects that are left as they are: docs/api.md, "Restore". */
  readonly failed?: readonly UnrestoredKey[];
  /** Whether a further call has something to do. */
  readonly has_more: boolean;
  /** Token of the next call; absent from the last one. */
  readonly next_page_token?: string;
}

/** A page of the versions of an object. */
export interface VersionPage {
  /** The name of the bucket. */
  readonly bucket: string;
  /** The key of the object. */
  readonly key: string;
  /** Newest first. */
  readonly versions: readonly ObjectVersion[];
  /** There may be older versions below this one. */
  readonly next_before?: number;
}

/** The first and the last cursor of a commit of several changes. */
export interface CommitRange {
  /** The cursor of its first change. */
  readonly from: number;
  /** The cursor of its last change. */
  readonly to: number;
}

/**
 * One entry of a bucket's change log. `commit`: absent for a change that was made alone. `cause`:
 * why the service made the change by itself.
 */
export type ChangeEntry = {
  readonly cursor: number;
  readonly commit?: CommitRange;
} & (
  | { readonly type: 'put'; readonly object: ObjectDescriptor }
  | { readonly type: 'delete'; readonly object: DeletedObject; readonly cause?: 'expired' }
);

/**
 * The digest of a bucket's change log up to a cursor: two copies with the same cursor and the same
 * digest have read the same history. docs/api.md, "The digest of a log".
 */
export interface LogDigest {
  /** Base64. */
  readonly sha256: string;
  /** The cursor after which the digest covers every change. */
  readonly since: number;
}

/** The changes of the half-open range (from, to] that match the prefix of the subscription. */
export interface ChangeRange {
  readonly bucket: string;
  /** Identifies the incarnation of the bucket: a bucket that is created again has another id. */
  readonly bucket_id: string;
  readonly from: number;
  readonly to: number;
  /** The newest cursor that the sender knows; at least `to`. */
  readonly head: number;
  /** The digest of the log up to `to`, if the service has published it. */
  readonly digest?: LogDigest;
  readonly changes: readonly ChangeEntry[];
}

/** A page of a list. */
export interface ListPage {
  /** In the order of their keys as UTF-8. */
  readonly objects: readonly ObjectDescriptor[];
  /** With a delimiter: the distinct beginnings of keys up to the delimiter. */
  readonly prefixes: readonly string[];
  /** Subscribe from here to miss no change. The same on every page of a list. */
  readonly cursor: number;
  /** Identifies the incarnation of the bucket: a bucket that is created again has another id. */
  readonly bucket_id: string;
  /** Token of the next page; absent on the last page. */
  readonly next_page_token?: string;
}

/** A URL that permits one request without an API key. */
export interface SignedUrl {
  /** Anyone who has this URL can use it. */
  readonly url: string;
  /** The method that the request must have. */
  readonly method: 'GET' | 'PUT';
  /** Headers that the request must carry. */
  readonly headers: Readonly<Record<string, string>>;
  /** When the URL expires; ISO 8601 UTC. */
  readonly expires_at: string;
  /** PUT: the id by which `uploadState` knows the upload. */
  readonly upload_id?: string;
}

/** The state of an upload by a signed URL: docs/api.md, "What became of an upload". */
export interface UploadState {
  /** The id of the upload. */
  readonly upload_id: string;
  /** Name of the bucket. */
  readonly bucket: string;
  /** The key of the object. */
  readonly key: string;
  /**
   * `pending` until S3 has reported the bytes; `staged` until a commit names an upload that was
   * signed with `commit: false`.
   */
  readonly state: 'pending' | 'staged' | 'committed' | 'discarded';
  /** When a staged upload is discarded; ISO 8601 UTC. */
  readonly expires_at?: string;
  /** The change that committed the upload. */
  readonly object?: {
    /** Name of the bucket. */
    readonly bucket: string;
    /** The key of the object. */
    readonly key: string;
    /** The version that the upload became. */
    readonly version: number;
    /** The cursor of the change. */
    readonly cursor: number;
  };
  /** Why it was discarded. */
  readonly reason?: string;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isListPage(value: unknown): value is ListPage {
  if (!isRecord(value) || !isCursor(value.cursor)) return false;
  return Array.isArray(value.objects) && typeof value.bucket_id === 'string';
}

export function isCursor(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** Parses the range of a message or a page. Returns undefined when it is malformed. */
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
    // No range ends inside a commit.
    if (change.commit && change.commit.to > to) return undefined;
    last = change.cursor;
    entries.push(change);
  }
  const digest = parseDigest(value.digest);
  return {
    ...{ bucket, bucket_id, from, to, head: Math.max(head, to) },
    ...(digest && { digest }),
    changes: entries,
  };
}

/** Returns undefined when it is absent or malformed. */
export function parseDigest(value: unknown): LogDigest | undefined {
  if (!isRecord(value)) return undefined;
  const { sha256, since } = value;
  const isDigest = typeof sha256 === 'string' && /^[A-Za-z0-9+/]{43}=$/.test(sha256);
  return isDigest && isCursor(since) ? { sha256, since } : undefined;
}

function isChangeEntry(value: unknown): value is ChangeEntry {
  if (!isRecord(value)) return false;
  const { cursor, type, object, commit } = value;
  const isKnown = type === 'put' || type === 'delete';
  if (!isKnown || !isCursor(cursor)) return false;
  return isRecord(object) && typeof object.key === 'string' && isCommitAt(commit, cursor);
}

function isCommitAt(commit: unknown, cursor: number): boolean {
  if (commit === undefined) return true;
  if (!isRecord(commit)) return false;
  const { from, to } = commit;
  return isCursor(from) && isCursor(to) && from <= cursor && cursor <= to;
}
