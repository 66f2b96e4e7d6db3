/**
 * Applies the changes of POST /commits, all or nothing: reads the records, stores the blobs, then
 * commits. A copy has the content that its source had when the records were read.
 */
import { type BucketRef, StaleBucketRef } from '../bucket-ref';
import { allEnded } from '../concurrency';
import { ServiceError, unavailable } from '../errors';
import { requireOneMessage } from '../log/change-view';
import {
  type CommitDeps,
  type CommitIntent,
  type CommittedChanges,
  commitChanges,
  isCertainRefusal,
  refusalAt,
} from '../log/commit';
import { type IfCursorDeps, UnchangedBucket } from '../log/if-cursor';
import { objectNotFound } from '../not-found';
import { blobName } from '../objects/blob-names';
import { reportIfCurrent } from '../objects/missing-blob';
import type { Blobs } from '../store/blobs';
import type { Log } from '../system';
import type { CommitRequest, RequestedChange } from './commit-request';
import { type LargeCopy, largeCopyIn } from './large-copy';
import {
  type CommitPlace,
  type Conditions,
  intentsOf,
  MissingSource,
  Outdated,
  type Records,
  type ResolvedChange,
  type SourceDeps,
  sourceOf,
  stagedOf,
  storeBlob,
  storesBlob,
} from './resolved-change';

export interface CommitObjectsDeps extends Omit<SourceDeps, 'objects' | 'changeLog'> {
  readonly objects: SourceDeps['objects'] & CommitDeps['objects'];
  readonly changeLog: SourceDeps['changeLog'] & CommitDeps['changeLog'] & IfCursorDeps['changeLog'];
  readonly buckets: IfCursorDeps['buckets'];
  readonly commits: CommitDeps['commits'];
  readonly blobs: Pick<Blobs, 'put' | 'copy' | 'remove'>;
  readonly clock: CommitDeps['clock'];
  readonly ids: CommitDeps['ids'];
  readonly backoff: CommitDeps['backoff'];
  readonly meter: CommitDeps['meter'];
  readonly log: Log;
}

export interface CommitObjectsOptions {
  /** Throws precondition_failed when the change's conditions do not hold for that object. */
  readonly conditions: Conditions;
  /** The author of the changes: `keyId` of the caller. */
  readonly by: string;
  /** Reports whether the key that signed a staged upload could still sign it. */
  readonly mayCommit: CommitPlace['mayCommit'];
  /** Makes the record to save under the request's idempotency key. */
  readonly idempotency?: CommitIntent['idempotencyRecordFor'];
}

/** Time for which a commit with changing sources is restarted, out of a function's 29 s. */
const RESTART_MS = 8_000;

/** Ends the loop even if the clock stands still, as in tests. */
const MAX_RESTARTS = 20;

/**
 * Makes the changes of the request in one commit. AWS calls: 1 BatchGetItem, 1 PutObject for each
 * put, those of Blobs.copy for each copy and move, 1 UpdateItem, 1 TransactWriteItems; +1 GetItem
 * when the bucket's id is not cached or a change names an object that does not exist; those of
 * UnchangedBucket.settle with `ifCursor` and a copy within the bucket or a deletion that may be
 * left out; those of sourceOf for a source in another bucket or an older version; 1 DeleteObjects
 * when the commit is refused after its blobs were stored; for a LargeCopy 1 BatchGetItem and 1
 * GetItem. Throws as `commitChanges` does. Commits nothing for a LargeCopy, and when no change is
 * left because none of the objects to delete exists.
 */
export function commitObjects(
  deps: CommitObjectsDeps,
  request: CommitRequest,
  options: CommitObjectsOptions,
): Promise<CommittedChanges | LargeCopy> {
  return deps.bucketIds.runWrite(request.bucket, async (bucket) => {
    await requireIncarnation(deps, bucket, request.bucketId);
    const until = deps.clock.now() + RESTART_MS;
    let missing: string | undefined;
    for (let restart = 0; restart < MAX_RESTARTS && deps.clock.now() < until; restart++) {
      try {
        return await attempt(deps, bucket, request, options);
      } catch (error) {
        if (!(error instanceof Outdated)) throw error;
        if (error instanceof MissingSource) {
          const { source, index } = error;
          // The source was read again and has not been replaced.
          if (source.blob === missing) {
            await reportIfCurrent(deps, source);
            throw refusalAt(index, objectNotFound(source.bucket, source.key));
          }
          missing = source.blob;
        }
        await deps.backoff(restart);
      }
    }
    throw unavailable();
  });
}

/**
 * Throws precondition_failed if the bucket is another incarnation, and StaleBucketRef if only its
 * cached id is out of date.
 */
async function requireIncarnation(
  deps: Pick<CommitObjectsDeps, 'bucketIds'>,
  bucket: BucketRef,
  wanted: string | undefined,
): Promise<void> {
  if (wanted === undefined || wanted === bucket.id) return;
  await requirePresentId(deps, bucket);
  throw new ServiceError('precondition_failed', {
    message: 'bucket_id: the bucket was deleted and created again',
    details: { field: 'bucket_id' },
  });
}

async function attempt(
  deps: CommitObjectsDeps,
  bucket: BucketRef,
  request: CommitRequest,
  options: CommitObjectsOptions,
): Promise<CommittedChanges | LargeCopy> {
  const { by, conditions, mayCommit } = options;
  const place = { bucket, by, conditions, mayCommit };
  const { ifCursor } = request;
  const unchanged =
    ifCursor === undefined ? undefined : new UnchangedBucket(deps, bucket, ifCursor);
  if (request.changes.some((change) => isReadOnly(change, bucket))) await unchanged?.settle();
  const records = await readRecords(deps, bucket, request);
  const changes = await resolve(deps, place, request, records);
  if (changes.length === 0) {
    await unchanged?.require();
    return { result: 'committed', changes: [] };
  }
  requireFit(deps, place, changes, records);
  const large = largeCopyIn(request, bucket, changes);
  if (large) {
    await requirePresentId(deps, bucket);
    return large;
  }
  const etags = await storeBlobs(deps, changes);
  const intents = changes.flatMap((one, n) =>
    intentsOf(place, one, etags[n]).map((intent) => ({ ...intent, of: one })),
  );
  try {
    const outcome = await commitChanges(
      deps,
      {
        bucket,
        intents,
        ...(ifCursor !== undefined && { ifCursor }),
        ...(options.idempotency && { idempotencyRecordFor: options.idempotency }),
      },
      intents.map(({ key }) => records.get(key)),
    );
    if (outcome.result !== 'committed') await removeBlobs(deps, changes);
    // Another commit took the upload, or it has expired: the next attempt says so.
    if (outcome.result === 'settled') throw new Outdated('an upload is no longer staged');
    return outcome;
  } catch (error) {
    const isCertain = isCertainRefusal(error) || error instanceof Outdated;
    if (isCertain) await removeBlobs(deps, changes);
    throw inRequest(error, (n) => intents[n]?.of.index);
  }
}

/** Reports whether the commit depends on a record that its transaction does not write. */
function isReadOnly(change: RequestedChange, bucket: BucketRef): boolean {
  if (change.op === 'copy') return (change.from.bucket ?? bucket.name) === bucket.name;
  return change.op === 'delete' && change.ifExists;
}

/** Reads the records of the changed keys, and of the sources in the bucket. */
async function readRecords(
  deps: Pick<CommitObjectsDeps, 'objects'>,
  bucket: BucketRef,
  { changes }: CommitRequest,
): Promise<Records> {
  const keys = changes.flatMap((change) => {
    if (change.op === 'move') return [change.key, change.from.key];
    const isHere = change.op === 'copy' && change.from.bucket === undefined;
    return isHere ? [change.key, change.from.key] : [change.key];
  });
  const records = await deps.objects.getMany(bucket.id, keys);
  return new Map(records.map((record) => [record.key, record]));
}

/**
 * Returns the changes with their sources, without the permitted deletions of missing objects.
 * Refuses a commit that must fail later, before a byte is stored.
 */
async function resolve(
  deps: CommitObjectsDeps,
  place: CommitPlace,
  request: CommitRequest,
  records: Records,
): Promise<readonly ResolvedChange[]> {
  const { bucket } = place;
  const resolved: ResolvedChange[] = [];
  for (const [index, change] of request.changes.entries()) {
    const isLive = records.get(change.key)?.state === 'live';
    if (change.op === 'delete' && change.ifExists && !isLive) continue;
    const blob = blobName(bucket, change.key, deps.ids.ulid());
    try {
      const source = await sourceOf(deps, bucket, change, records);
      const staged = await stagedOf(deps, place, change);
      const patched = change.op === 'patch' ? records.get(change.key)?.cursor : undefined;
      const one = { index, change, source, staged, patched, ...(storesBlob(change) && { blob }) };
      for (const { key, check } of intentsOf(place, one)) check(records.get(key));
      resolved.push(one);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      await requirePresentId(deps, bucket);
      throw refusalAt(index, error);
    }
  }
  if (resolved.length < request.changes.length) await requirePresentId(deps, bucket);
  return resolved;
}

/** Throws payload_too_large for changes that do not fit into one message. */
function requireFit(
  deps: Pick<CommitObjectsDeps, 'clock'>,
  place: CommitPlace,
  changes: readonly ResolvedChange[],
  records: Records,
): void {
  const at = new Date(deps.clock.now()).toISOString();
  const position = { version: 1, cursor: 1, at, ancestors: [] };
  const intents = changes.flatMap((one) => intentsOf(place, one, SOME_ETAG));
  requireOneMessage(intents.map(({ key, build }) => build(position, records.get(key))));
}

/** Placeholder with the length of the etag of a copy in parts. */
const SOME_ETAG = `${'0'.repeat(32)}-10000`;

/**
 * Throws StaleBucketRef when the cached id of the bucket is out of date, so that BucketIds repeats
 * the commit: an object that was not found may exist under the present id.
 */
async function requirePresentId(
  deps: Pick<CommitObjectsDeps, 'bucketIds'>,
  bucket: BucketRef,
): Promise<void> {
  const { id } = await deps.bucketIds.refresh(bucket.name);
  if (id !== bucket.id) throw new StaleBucketRef(`bucket ${bucket.name} is no longer ${bucket.id}`);
}

/**
 * Stores all blobs concurrently: the limits of a commit bound the number of calls. Returns the etag
 * of each change's blob.
 */
async function storeBlobs(
  deps: CommitObjectsDeps,
  changes: readonly ResolvedChange[],
): Promise<readonly string[]> {
  try {
    return await allEnded(changes.map((one) => storeBlob(deps.blobs, one)));
  } catch (error) {
    await removeBlobs(deps, changes);
    throw error;
  }
}

/** Removes blobs, as far as possible. The reconciler removes the rest. */
async function removeBlobs(
  deps: Pick<CommitObjectsDeps, 'blobs'>,
  changes: readonly ResolvedChange[],
): Promise<void> {
  const blobs = changes.flatMap(({ blob }) => blob ?? []);
  if (blobs.length > 0) await deps.blobs.remove(blobs).catch(() => undefined);
}

/** Returns the refusal of an intent, with the index of its change in the request. */
function inRequest(error: unknown, changeOf: (intent: number) => number | undefined): unknown {
  if (!(error instanceof ServiceError) || !(error.cause instanceof ServiceError)) return error;
  const index = changeOf(Number(error.details?.index));
  return index === undefined ? error : refusalAt(index, error.cause);
}
