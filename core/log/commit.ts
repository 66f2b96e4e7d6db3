/**
 * How a change is committed. The order of effects, and what a crash between them leaves:
 *
 *   1. the blob is durable (PUT, or S3 has reported an upload) and the
 *      record has been read                                               -> an unreferenced blob
 *   2. `allocate` returns the next cursor of the bucket                   -> an unused cursor
 *   3. one transaction writes log entry, record, upload and idempotency
 *      record, or nothing                                                 -> done
 *
 * The reconciler removes the blob; a gap fill puts a no-op entry at the cursor. A writer that does
 * not use its cursor fills it itself, at once, so that no reader waits for the gap fill.
 */
import { type BucketRef, StaleBucketRef } from '../bucket-ref';
import { ServiceError, unavailable } from '../errors';
import { LIMITS } from '../limits';
import type { IdempotencyRecord, ObjectRecord, Objects } from '../objects/ports';
import type { Clock, Ids, Meter } from '../system';
import { nextAncestors } from './history';
import type { ChangeEntry, ChangeLog, Commits } from './ports';

/** Bounds the cost of a commit. Ends the loop even if the clock stands still, as in tests. */
const MAX_ATTEMPTS = 60;

export interface CommitDeps {
  readonly objects: Pick<Objects, 'get'>;
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

export interface Intent {
  readonly bucket: BucketRef;
  readonly key: string;
  /**
   * Throws a ServiceError when the change must not follow that record: a condition does not hold,
   * or there is nothing to delete.
   */
  readonly check: (previous: ObjectRecord | undefined) => void;
  readonly build: (position: CommitPosition, previous: ObjectRecord | undefined) => ObjectRecord;
  readonly uploadId?: string;
  /** Makes the record to save under the idempotency key, from the new record and the last one. */
  readonly idempotencyRecordFor?: (
    object: ObjectRecord,
    previous: ObjectRecord | undefined,
  ) => IdempotencyRecord;
}

export type Committed =
  | {
      readonly result: 'committed';
      readonly object: ObjectRecord;
      readonly previous?: ObjectRecord;
    }
  /** The upload was committed or refused before: nothing was changed now. */
  | { readonly result: 'settled' }
  /** The idempotency key was used meanwhile: nothing was changed now. */
  | { readonly result: 'duplicate' };

/**
 * Commits a change of one key. `read` is the record as it was read before. AWS calls: 1 UpdateItem,
 * 1 TransactWriteItems; each lost race adds 1 GetItem, 1 TransactWriteItems and, when the cursor
 * was overtaken, 1 PutItem and 1 UpdateItem. Throws what `check` throws, `unavailable` when every
 * attempt lost its race, and StaleBucketRef: after each of these it is certain that nothing was
 * changed. Any other error leaves the outcome open.
 */
export async function commitChange(
  deps: CommitDeps,
  intent: Intent,
  read: ObjectRecord | undefined,
): Promise<Committed> {
  const allocated = new AllocatedCursor(deps, intent);
  const deadline = deps.clock.now() + LIMITS.commitSeconds * 1000;
  let previous = read;
  for (let attempt = 0; attempt < MAX_ATTEMPTS && deps.clock.now() < deadline; attempt++) {
    const refusal = refusalOf(intent, previous);
    if (refusal !== undefined || allocated.isOvertakenBy(previous)) {
      const own = await allocated.release();
      if (own) return committedBy(own);
      if (refusal !== undefined) throw refusal;
    }
    const cursor = await allocated.take();
    const position = {
      version: (previous?.version ?? 0) + 1,
      cursor,
      at: new Date(deps.clock.now()).toISOString(),
      ancestors: nextAncestors(previous),
    };
    const object = intent.build(position, previous);
    const outcome = await deps.commits.commit({
      bucketId: intent.bucket.id,
      object,
      at: position.at,
      previous,
      uploadId: intent.uploadId,
      idempotency: intent.idempotencyRecordFor?.(object, previous),
      token: deps.ids.ulid(),
    });
    if (outcome.result === 'committed') return { result: 'committed', object, previous };
    const entry =
      outcome.result === 'unknown' ? await allocated.decide(outcome.cause) : outcome.taken;
    if (entry && entry.type !== 'noop') return committedBy(entry);
    if (entry) allocated.clear();
    if (outcome.result === 'refused' && (outcome.settled || outcome.isDuplicate)) {
      const own = await allocated.release();
      return own ? committedBy(own) : { result: outcome.settled ? 'settled' : 'duplicate' };
    }
    deps.meter.add('CommitRetries', 1);
    await deps.backoff(attempt);
    previous = await deps.objects.get(intent.bucket.id, intent.key);
  }
  const own = await allocated.release();
  if (own) return committedBy(own);
  throw unavailable();
}

type OwnEntry = Exclude<ChangeEntry, { type: 'noop' }>;

/** A cursor has one writer only: an entry there that is not a no-op entry is this change. */
function committedBy({ object, previous }: OwnEntry): Committed {
  return { result: 'committed', object, previous };
}

function refusalOf(intent: Intent, previous: ObjectRecord | undefined): unknown {
  try {
    intent.check(previous);
    return undefined;
  } catch (refusal) {
    return refusal;
  }
}

/** The cursor that was allocated to a change and has no entry yet. */
class AllocatedCursor {
  private cursor: number | undefined;

  constructor(
    private readonly deps: CommitDeps,
    private readonly intent: Intent,
  ) {}

  /** The cursor that is left from an earlier attempt, else a new one. Throws StaleBucketRef. */
  async take(): Promise<number> {
    const { name, id } = this.intent.bucket;
    this.cursor ??= await this.deps.commits.allocate(this.intent.bucket);
    if (this.cursor === undefined) {
      throw new StaleBucketRef(`bucket ${name} is closing or is no longer ${id}`);
    }
    return this.cursor;
  }

  /** Versions follow cursors, so a cursor below the record's cannot be used. */
  isOvertakenBy(record: ObjectRecord | undefined): boolean {
    return this.cursor !== undefined && record !== undefined && record.cursor >= this.cursor;
  }

  /** The cursor has its entry. */
  clear(): void {
    this.cursor = undefined;
  }

  /**
   * Fills the cursor, so that no reader waits for it. Returns the entry if it has been used.
   */
  async release(): Promise<OwnEntry | undefined> {
    if (this.cursor === undefined) return undefined;
    const entry = await this.fill(this.cursor);
    this.clear();
    return entry.type === 'noop' ? undefined : entry;
  }

  /**
   * Decides a transaction with an unknown outcome by filling its cursor: once a no-op entry is
   * there, the transaction can no longer succeed. Returns the entry that is stored; throws `cause`
   * when that cannot be determined.
   */
  async decide(cause: unknown): Promise<ChangeEntry> {
    try {
      return await this.fill(await this.take());
    } catch {
      throw cause;
    }
  }

  private fill(cursor: number): Promise<ChangeEntry> {
    const at = new Date(this.deps.clock.now()).toISOString();
    const { name, id } = this.intent.bucket;
    return this.deps.changeLog.fill(id, { type: 'noop', bucket: name, cursor, at });
  }
}

/**
 * True for a ServiceError of `commitChange` and for StaleBucketRef: nothing was changed, and the
 * blob may be removed.
 */
export function isCertainRefusal(error: unknown): boolean {
  return error instanceof ServiceError || error instanceof StaleBucketRef;
}
