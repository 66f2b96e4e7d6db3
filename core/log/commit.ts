/**
 * How changes are committed. The order of effects, and what a crash between them leaves:
 *
 *   1. the blobs are durable (PUT, or S3 has reported an upload) and the
 *      records have been read                                             -> unreferenced blobs
 *   2. `allocate` returns the next cursors of the bucket, one a change    -> unused cursors
 *   3. one transaction writes log entries, records, uploads and
 *      idempotency record, or nothing                                     -> done
 *
 * The reconciler removes the blobs; a gap fill puts a no-op entry at a cursor. A writer that does
 * not use its cursors fills them itself, at once, so that no reader waits for the gap fill.
 */
import { type BucketRef, StaleBucketRef } from '../bucket-ref';
import { ServiceError, unavailable } from '../errors';
import type { ObjectRecord, Objects } from '../store/objects';
import type { IdempotencyRecord } from '../store/uploads';
import type { Clock, Ids, Meter } from '../system';
import { CursorBlock } from './cursor-block';
import { nextAncestors } from './history';
import { type IfCursorDeps, UnchangedBucket } from './if-cursor';
import type { Change, ChangeLog, Commit, Commits } from './ports';
import { RepeatLimit } from './repeat-limit';

/** Bounds the cost of a commit. Ends the loop even if the clock stands still, as in tests. */
const MAX_ATTEMPTS = 60;

export interface CommitDeps {
  readonly objects: Pick<Objects, 'get' | 'getMany'>;
  readonly changeLog: Pick<ChangeLog, 'get' | 'fill'>;
  readonly commits: Commits;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'ulid'>;
  /** Waits a random time that grows with the attempt (0, 1, 2 …). */
  readonly backoff: (attempt: number) => Promise<void>;
  readonly meter: Meter;
}

/** The part of a new record that the commit decides. */
export interface CommitPosition {
  readonly version: number;
  readonly cursor: number;
  /** ISO 8601 UTC with milliseconds. */
  readonly at: string;
  readonly ancestors: readonly number[];
}

/** The intended change of one key. */
export interface KeyIntent {
  readonly key: string;
  /**
   * Throws a ServiceError when the change must not follow that record: a condition does not hold,
   * or there is nothing to delete.
   */
  readonly check: (previous: ObjectRecord | undefined) => void;
  readonly build: (position: CommitPosition, previous: ObjectRecord | undefined) => ObjectRecord;
  readonly uploadId?: string;
}

export interface Intent extends KeyIntent {
  readonly bucket: BucketRef;
  /** Makes the record to save under the idempotency key, from the new record and the last one. */
  readonly idempotencyRecordFor?: (
    object: ObjectRecord,
    previous: ObjectRecord | undefined,
  ) => IdempotencyRecord;
}

/** The intended changes of several keys of a bucket, all or nothing. */
export interface CommitIntent {
  readonly bucket: BucketRef;
  /** Commits only if nothing in the bucket has changed since that cursor: see if-cursor.ts. */
  readonly ifCursor?: number;
  /** 1 to LIMITS.commitChanges, of distinct keys. Their changes take cursors in this order. */
  readonly intents: readonly KeyIntent[];
  /** Makes the record to save under the idempotency key, from the changes in the same order. */
  readonly idempotencyRecordFor?: (changes: readonly CommittedChange[]) => IdempotencyRecord;
}

export interface CommittedChange {
  readonly object: ObjectRecord;
  readonly previous?: ObjectRecord;
}

/** Nothing was changed now. */
type Uncommitted =
  /** The upload, or one of them, was committed or refused before. */
  | { readonly result: 'settled' }
  /** Another request has used the idempotency key. */
  | { readonly result: 'duplicate' };

export type Committed = (CommittedChange & { readonly result: 'committed' }) | Uncommitted;

export type CommittedChanges =
  | { readonly result: 'committed'; readonly changes: readonly CommittedChange[] }
  | Uncommitted;

/** The records of the intents' keys, in the order of the intents. */
type Records = readonly (ObjectRecord | undefined)[];

/**
 * Commits a change of one key. `read` is the record as it was read before. AWS calls: 1 UpdateItem,
 * 1 TransactWriteItems; each lost race adds 1 GetItem, 1 TransactWriteItems and, when the cursor
 * was overtaken, 1 PutItem and 1 UpdateItem. Throws what `check` throws, `unavailable` when every
 * attempt lost its race or was throttled, and StaleBucketRef: after each of these it is certain
 * that nothing was changed. Any other error leaves the outcome open.
 */
export async function commitChange(
  deps: CommitDeps,
  intent: Intent,
  read: ObjectRecord | undefined,
): Promise<Committed> {
  const { bucket, idempotencyRecordFor } = intent;
  const outcome = await new Commitment(deps, {
    bucket,
    intents: [intent],
    ...(idempotencyRecordFor && {
      idempotencyRecordFor: ([change]) =>
        idempotencyRecordFor(only(change).object, change?.previous),
    }),
  }).run([read]);
  if (outcome.result !== 'committed') return outcome;
  return { result: 'committed', ...only(outcome.changes[0]) };
}

/**
 * Commits changes of several keys, all or nothing, at consecutive cursors. `reads` are their
 * records as they were read before, in the order of the intents. AWS calls: 1 UpdateItem, 1
 * TransactWriteItems; each lost race adds 1 BatchGetItem (1 GetItem for one key), 1
 * TransactWriteItems and, when the cursors were overtaken, 1 PutItem for each and 1 UpdateItem;
 * with `ifCursor` those of UnchangedBucket. Throws as `commitChange` does: what the check of a
 * change throws has its index in `details`; precondition_failed with the present cursor when
 * `ifCursor` does not hold.
 */
export function commitChanges(
  deps: CommitDeps & IfCursorDeps,
  intent: CommitIntent,
  reads: Records,
): Promise<CommittedChanges> {
  const { bucket, ifCursor } = intent;
  const intents = intent.intents.map((one, index) => ({
    ...one,
    check: (previous: ObjectRecord | undefined) => atIndex(index, () => one.check(previous)),
  }));
  const unchanged =
    ifCursor === undefined ? undefined : new UnchangedBucket(deps, bucket, ifCursor);
  return new Commitment(deps, { ...intent, intents }, unchanged).run(reads);
}

/** Adds the index of the change to the refusal. */
function atIndex(index: number, check: () => void): void {
  try {
    check();
  } catch (error) {
    throw error instanceof ServiceError ? refusalAt(index, error) : error;
  }
}

/** Returns the refusal of one of several changes with its index; `cause` is the refusal. */
export function refusalAt(index: number, refusal: ServiceError): ServiceError {
  const { code, message, details, headers } = refusal;
  return new ServiceError(code, {
    message: `changes[${index}]: ${message}`,
    details: { ...details, index },
    headers,
    cause: refusal,
  });
}

/** One commit, with its attempts. */
class Commitment {
  private readonly block: CursorBlock;

  constructor(
    private readonly deps: CommitDeps,
    private readonly intent: CommitIntent,
    private readonly unchanged?: UnchangedBucket,
  ) {
    const { bucket, intents } = intent;
    const count = intents.length;
    const allocate = async () => {
      if (unchanged) return unchanged.allocate(count);
      const first = await deps.commits.allocate(bucket, count);
      if (first !== undefined) return first;
      throw new StaleBucketRef(`bucket ${bucket.name} is closing or is no longer ${bucket.id}`);
    };
    this.block = new CursorBlock(deps, { bucket, count, allocate });
  }

  async run(reads: Records): Promise<CommittedChanges> {
    const { deps, block } = this;
    const limit = new RepeatLimit(deps.clock);
    let records = reads;
    for (let attempt = 0; attempt < MAX_ATTEMPTS && !limit.isReached(); attempt++) {
      const refusal = await this.refusalOf(records);
      if (refusal !== undefined || block.isOvertakenBy(records)) {
        const own = await block.release();
        if (own) return committedBy(own);
        if (refusal !== undefined) throw refusal;
      }
      const commit = this.build(await block.take(), records);
      const outcome = await deps.commits.commit(commit);
      if (outcome.result === 'committed') return committedBy(commit.changes);
      const own =
        outcome.result === 'unknown'
          ? await block.decide(outcome.cause)
          : outcome.taken && (await block.settle(outcome.taken));
      if (own) return committedBy(own);
      if (outcome.result === 'refused' && (outcome.settled || outcome.isDuplicate)) {
        const late = await block.release();
        return late ? committedBy(late) : { result: outcome.settled ? 'settled' : 'duplicate' };
      }
      limit.failed(outcome.result === 'refused' && outcome.isThrottled === true);
      deps.meter.add('CommitRetries', 1);
      await deps.backoff(attempt);
      records = await this.readAgain();
    }
    const own = await block.release();
    if (own) return committedBy(own);
    throw unavailable();
  }

  /** Returns the reason why the changes must not follow those records. */
  private async refusalOf(records: Records): Promise<unknown> {
    try {
      if (this.unchanged?.hasChanged(records)) throw await this.unchanged.refusal();
      for (const [index, { check }] of this.intent.intents.entries()) check(records[index]);
      return undefined;
    } catch (refusal) {
      return refusal;
    }
  }

  /** Builds the commit whose changes follow those records, with its first change at the cursor. */
  private build(first: number, records: Records): Commit {
    const { bucket, intents, idempotencyRecordFor } = this.intent;
    const at = new Date(this.deps.clock.now()).toISOString();
    const changes = intents.map(({ build, uploadId }, index): Change => {
      const previous = records[index];
      const position = {
        version: (previous?.version ?? 0) + 1,
        cursor: first + index,
        at,
        ancestors: nextAncestors(previous),
      };
      return { object: build(position, previous), previous, uploadId };
    });
    const idempotency = idempotencyRecordFor?.(changes);
    return { bucketId: bucket.id, changes, at, idempotency, token: this.deps.ids.ulid() };
  }

  private async readAgain(): Promise<Records> {
    const { objects } = this.deps;
    const { bucket, intents } = this.intent;
    const keys = intents.map(({ key }) => key);
    const [only] = keys;
    if (only !== undefined && keys.length === 1) return [await objects.get(bucket.id, only)];
    const found = await objects.getMany(bucket.id, keys);
    const byKey = new Map(found.map((record) => [record.key, record]));
    return keys.map((key) => byKey.get(key));
  }
}

function committedBy(changes: readonly CommittedChange[]): CommittedChanges {
  return {
    result: 'committed',
    changes: changes.map(({ object, previous }) => ({ object, previous })),
  };
}

/** The change of a commit of one. */
function only(change: CommittedChange | undefined): CommittedChange {
  if (change === undefined) throw new Error('a commit has at least one change');
  return change;
}

/**
 * True for a ServiceError of a commit and for StaleBucketRef: nothing was changed, and the
 * blob may be removed.
 */
export function isCertainRefusal(error: unknown): boolean {
  return error instanceof ServiceError || error instanceof StaleBucketRef;
}
