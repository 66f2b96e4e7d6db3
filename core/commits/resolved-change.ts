/** One change of a commit: its source, its blob, and what it makes of its keys. */
import type { BucketRef } from '../bucket-ref';
import type { BucketIds } from '../buckets/bucket-ids';
import { DEFAULT_CONTENT_TYPE } from '../http/content-headers';
import { sha256Base64 } from '../http/digests';
import type { KeyIntent } from '../log/commit';
import { findVersion } from '../log/history';
import type { ChangeLog } from '../log/ports';
import { objectNotFound, versionNotFound } from '../not-found';
import { liveRecord, tombstone } from '../objects/objects';
import type { Blobs } from '../store/blobs';
import type { LiveObject, ObjectRecord, Objects } from '../store/objects';
import { liveOf } from '../store/objects';
import type { Upload, Uploads } from '../store/uploads';
import { noStagedUpload, stagedObject } from '../uploads/uploads';
import type { ContentFields, RequestedChange } from './commit-request';

/**
 * Thrown when a record has changed since it was read: nothing was committed, and the commit is
 * restarted.
 */
export class Outdated extends Error {}

/** Thrown when the bytes of a source are missing. */
export class MissingSource extends Outdated {
  constructor(
    readonly source: LiveObject,
    /** The index of the change in the request. */
    readonly index: number,
  ) {
    super(`the bytes of ${source.key} are no longer kept`);
  }
}

export interface ResolvedChange {
  /** The index of the change in the request. */
  readonly index: number;
  readonly change: RequestedChange;
  /** The object that is copied. */
  readonly source?: LiveObject;
  /** The name of the blob that the change stores. */
  readonly blob?: string;
  /** The cursor of the record that a patch continues, for which its size was measured. */
  readonly patched?: number;
  /** The content of a staged upload. */
  readonly staged?: ReturnType<typeof stagedObject>;
}

export interface SourceDeps {
  readonly uploads: Pick<Uploads, 'get'>;
  readonly bucketIds: BucketIds;
  readonly objects: Pick<Objects, 'get'>;
  readonly changeLog: Pick<ChangeLog, 'get'>;
}

export type Records = ReadonlyMap<string, ObjectRecord>;

/**
 * Returns the object that the change copies, if it copies one. AWS calls: none for the current
 * version in the commit's bucket, 2 GetItem in another one, those of findVersion for an older
 * version. Throws not_found.
 */
export async function sourceOf(
  deps: SourceDeps,
  bucket: BucketRef,
  change: RequestedChange,
  records: Records,
): Promise<LiveObject | undefined> {
  if (change.op !== 'copy' && change.op !== 'move') return undefined;
  const from = { bucket: bucket.name, version: undefined, ...change.from };
  const isHere = from.bucket === bucket.name;
  const { id } = isHere ? bucket : await deps.bucketIds.refresh(from.bucket);
  const newest = isHere ? records.get(from.key) : await deps.objects.get(id, from.key);
  if (from.version === undefined) {
    const live = liveOf(newest);
    if (!live) throw objectNotFound(from.bucket, from.key);
    return live;
  }
  if (!newest) throw objectNotFound(from.bucket, from.key);
  const found = await findVersion(deps.changeLog, id, newest, from.version);
  if (!found) throw versionNotFound(newest, from.version);
  return found;
}

/**
 * Returns the content of the upload that the change names, unless the key that signed it was
 * revoked since. AWS calls: 1 GetItem, and that of `mayCommit`. Throws not_found.
 */
export async function stagedOf(
  deps: Pick<SourceDeps, 'uploads'>,
  { bucket: { id: bucketId }, mayCommit }: CommitPlace,
  change: RequestedChange,
): Promise<ReturnType<typeof stagedObject> | undefined> {
  if (!('uploadId' in change)) return undefined;
  const upload = await deps.uploads.get(change.uploadId);
  const staged = stagedObject(upload, { bucketId, key: change.key });
  if (upload && !(await mayCommit(upload))) throw noStagedUpload(change.key);
  return staged;
}

/** Reports whether the change stores a blob of its own. */
export function storesBlob(change: RequestedChange): boolean {
  return 'body' in change || change.op === 'copy' || change.op === 'move';
}

/**
 * Stores the blob of the change and returns its etag, which is empty without one. AWS calls: 1
 * PutObject, or those of Blobs.copy.
 */
export async function storeBlob(
  blobs: Pick<Blobs, 'put' | 'copy'>,
  { index, change, source, blob }: ResolvedChange,
): Promise<string> {
  if (blob === undefined) return '';
  if ('body' in change) {
    const checksumSha256 = sha256Base64(change.body);
    const content = { ...contentOf(change.content), checksumSha256 };
    return (await blobs.put(blob, change.body, content)).etag;
  }
  if (!source) throw new Error(`${change.op} has no source`);
  const copied = await blobs.copy(source, blob, copiedContent(change, source));
  // The history was trimmed between the two reads, or the object was replaced and its history
  // trimmed: the next attempt finds neither.
  if (!copied) throw new MissingSource(source, index);
  return copied.etag;
}

export type Conditions = (change: RequestedChange, current: LiveObject | undefined) => void;

/** The bucket and the author of the changes. */
export interface CommitPlace {
  readonly bucket: BucketRef;
  /** `keyId` of the caller. */
  readonly by: string;
  readonly conditions: Conditions;
  /** Reports whether the key that signed the upload could still sign it. */
  readonly mayCommit: (upload: Upload) => Promise<boolean>;
}

/**
 * Returns the intents for the keys of the change: two for a move. `etag` is the etag of the stored
 * blob.
 */
export function intentsOf(
  place: CommitPlace,
  { change, source, staged, patched, blob = '' }: ResolvedChange,
  etag = '',
): readonly KeyIntent[] {
  const { key } = change;
  const { bucket, by, conditions } = place;
  const check = (record: ObjectRecord | undefined) => conditions(change, liveOf(record));
  switch (change.op) {
    case 'put': {
      if ('uploadId' in change) {
        const { uploadId } = change;
        if (!staged) throw new Error('the upload was not read');
        const fields = { bucket, key, by, ...staged };
        const build: KeyIntent['build'] = (position, before) =>
          liveRecord(fields, position, before);
        return [{ key, check, build, uploadId }];
      }
      const { body } = change;
      const checksumSha256 = sha256Base64(body);
      const stored = { bucket, key, by, blob, etag, size: body.length, checksumSha256 };
      const fields = { ...stored, ...contentOf(change.content), ...expiryOf(change.content) };
      return [{ key, check, build: (position, before) => liveRecord(fields, position, before) }];
    }
    case 'copy':
    case 'move': {
      if (!source) throw new Error(`${change.op} has no source`);
      const { size, checksumSha256 } = source;
      const stored = { bucket, key, by, blob, etag, size, checksumSha256 };
      const expiry = change.op === 'copy' ? expiryOf(change.content) : expiryOf(source);
      const fields = { ...stored, ...copiedContent(change, source), ...expiry };
      const put: KeyIntent = {
        key,
        check,
        build: (position, before) => liveRecord(fields, position, before),
      };
      return change.op === 'copy' ? [put] : [put, removalOf(place, source)];
    }
    case 'patch':
      return [patchOf(place, { ...change, patched }, check)];
    case 'delete':
      return [deletionOf(place, change, check)];
  }
}

type Check = KeyIntent['check'];

/** Returns the intent that removes the source of a move, only if it is still the copied version. */
function removalOf({ bucket, by }: CommitPlace, { key, cursor }: LiveObject): KeyIntent {
  const check: Check = (record) => {
    if (record?.cursor !== cursor) throw new Outdated(`${key} has changed since it was copied`);
  };
  return { key, check, build: (position) => tombstone({ bucket, key, by }, position) };
}

function deletionOf(
  { bucket, by }: CommitPlace,
  { key, ...change }: RequestedChange & { readonly op: 'delete' },
  conditions: Check,
): KeyIntent {
  const check: Check = (record) => {
    if (!liveOf(record)) {
      if (change.ifExists) throw new Outdated(`${key} was deleted by another writer`);
      throw objectNotFound(bucket.name, key);
    }
    conditions(record);
  };
  return { key, check, build: (position) => tombstone({ bucket, key, by }, position) };
}

/** Returns a version with the same bytes. The next version with other bytes supersedes the blob. */
function patchOf(
  { bucket, by }: CommitPlace,
  { key, content, patched }: RequestedChange & { readonly op: 'patch'; readonly patched?: number },
  conditions: Check,
): KeyIntent {
  const check: Check = (record) => {
    if (!liveOf(record)) throw objectNotFound(bucket.name, key);
    conditions(record);
    // Another record may be larger, so that the commit no longer fits into one message.
    if (record?.cursor !== patched) throw new Outdated(`${key} has changed since it was read`);
  };
  const build: KeyIntent['build'] = (position, before) => {
    const live = liveOf(before);
    if (!live) throw new Error('a patch was checked without an object');
    const { version, cursor, at, ancestors } = position;
    const { expiresAt, ...kept } = live;
    return {
      ...kept,
      ...expiryOf(content.expiresAt === undefined ? live : content),
      ...{ version, cursor, updatedAt: at, by, ancestors },
      contentType: content.contentType ?? live.contentType,
      headers: { ...live.headers, ...content.headers },
      metadata: content.metadata ?? live.metadata,
      isPatched: true,
    };
  };
  return { key, check, build };
}

function contentOf({ contentType = DEFAULT_CONTENT_TYPE, headers, metadata = {} }: ContentFields) {
  return { contentType, headers, metadata };
}

/**
 * Returns the expiry of the new object. A copy expires only if the change says so: a client that
 * copies an object to keep it must not lose it. A moved object keeps its expiry.
 */
export function expiryOf({
  expiresAt,
}: Pick<ContentFields, 'expiresAt'>): Pick<LiveObject, 'expiresAt'> {
  return typeof expiresAt === 'string' ? { expiresAt } : {};
}

/**
 * Returns the content headers and metadata; the source supplies every field that the change omits.
 */
export function copiedContent(change: RequestedChange, source: LiveObject) {
  const fields: ContentFields = change.op === 'copy' ? change.content : { headers: {} };
  return {
    contentType: fields.contentType ?? source.contentType,
    headers: { ...source.headers, ...fields.headers },
    metadata: fields.metadata ?? source.metadata,
  };
}
