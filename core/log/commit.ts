/**
 * How a change is committed. The order of effects, and what a crash between them leaves:
 *
 *   1. the blob is durable (PUT, or S3 has reported an upload); the record has been read     -> an unreferenced blob
 *   2. `allocate` hands out the next number of the bucket                                    -> an unused number
 *   3. one transaction writes log entry, record, upload row and replay, or nothing           -> done
 *
 * The reconciler removes the blob, the fence fills the number. A number that this writer gives up
 * it fills itself, at once, so that no follower waits for the fence.
 */
import type { BucketRef } from '../bucket-ref';
import { ServiceError, unavailable } from '../errors';
import { LIMITS } from '../limits';
import type { Buckets, IdempotencyRecord, ObjectRecord, Objects } from '../objects/ports';
import type { Clock, Ids, Meter } from '../system';
import { nextAncestors } from './history';
import type { ChangeEntry, ChangeLog, Commits } from './ports';

/** Bounds the cost of a commit, and the loop where the clock stands still. */
const MAX_ATTEMPTS = 60;

export interface CommitDeps {
  readonly buckets: Pick<Buckets, 'allocate'>;
  readonly objects: Pick<Objects, 'get'>;
  readonly changeLog: Pick<ChangeLog, 'get' | 'fill'>;
  readonly commits: Commits;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'ulid'>;
  /** Waits a random time that grows with the attempt (0, 1, 2 …). */
  readonly backoff: (attempt: number) => Promise<void>;
  readonly meter: Meter;
}

/** What of a new record the commit itself decides. */
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
   * Throws a ServiceError when the change may not follow that record: a condition, or nothing to
   * delete.
   */
  readonly check: (previous: ObjectRecord | undefined) => void;
  readonly build: (place: CommitPosition, previous: ObjectRecord | undefined) => ObjectRecord;
  readonly uploadId?: string;
  /** The answer to remember under the idempotency key. */
  readonly idempotency?: (
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
  | { readonly result: 'replayed' };

/** No open bucket of that name has that id any more. Nothing was changed. */
export class StaleBucketRef extends Error {}

/**
 * Commits a change of one key. `read` is the record as it was read before. AWS calls: 1 UpdateItem,
 * 1 TransactWriteItems; each lost race adds 1 GetItem, 1 TransactWriteItems and, when the number
 * was overtaken, 1 PutItem and 1 UpdateItem. Throws what `check` throws, `unavailable` when every
 * attempt lost its race, BucketMoved: after each of these it is certain that nothing was changed.
 * Any other error leaves the outcome open.
 */
export async function commitChange(
  deps: CommitDeps,
  intent: Intent,
  read: ObjectRecord | undefined,
): Promise<Committed> {
  const number = new AllocatedCursor(deps, intent);
  const deadline = deps.clock.now() + LIMITS.commitSeconds * 1000;
  let previous = read;
  for (let attempt = 0; attempt < MAX_ATTEMPTS && deps.clock.now() < deadline; attempt++) {
    const refusal = refusalOf(intent, previous);
    if (refusal !== undefined || number.isOvertakenBy(previous)) {
      const own = await number.giveUp();
      if (own) return committedBy(own);
      if (refusal !== undefined) throw refusal;
    }
    const cursor = await number.take();
    const place = {
      version: (previous?.version ?? 0) + 1,
      cursor,
      at: new Date(deps.clock.now()).toISOString(),
      ancestors: nextAncestors(previous),
    };
    const object = intent.build(place, previous);
    const outcome = await deps.commits.commit({
      bucketId: intent.bucket.id,
      object,
      at: place.at,
      previous,
      uploadId: intent.uploadId,
      idempotency: intent.idempotency?.(object, previous),
      token: deps.ids.ulid(),
    });
    if (outcome.result === 'committed') return { result: 'committed', object, previous };
    const entry = outcome.result === 'unknown' ? await number.decide(outcome.cause) : outcome.taken;
    if (entry && entry.type !== 'void') return committedBy(entry);
    if (entry) number.forget();
    if (outcome.result === 'refused' && (outcome.settled || outcome.replayed)) {
      const own = await number.giveUp();
      return own ? committedBy(own) : { result: outcome.settled ? 'settled' : 'replayed' };
    }
    deps.meter.add('CommitRetries', 1);
    await deps.backoff(attempt);
    previous = await deps.objects.get(intent.bucket.id, intent.key);
  }
  const own = await number.giveUp();
  if (own) return committedBy(own);
  throw unavailable();
}

type OwnEntry = Exclude<ChangeEntry, { type: 'void' }>;

/** A number is handed to one writer only: an entry under it that is no void is this very change. */
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

/** The number that a change was handed and has not used yet. */
class AllocatedCursor {
  private cursor: number | undefined;

  constructor(
    private readonly deps: CommitDeps,
    private readonly intent: Intent,
  ) {}

  /** The number in hand, else the bucket's next one. Throws BucketMoved. */
  async take(): Promise<number> {
    const { name, id } = this.intent.bucket;
    this.cursor ??= await this.deps.buckets.allocate(this.intent.bucket);
    if (this.cursor === undefined) {
      throw new StaleBucketRef(`bucket ${name} is closing or is no longer ${id}`);
    }
    return this.cursor;
  }

  /** Versions follow cursors, so a number below the record's is of no use any more. */
  isOvertakenBy(record: ObjectRecord | undefined): boolean {
    return this.cursor !== undefined && record !== undefined && record.cursor >= this.cursor;
  }

  /** It has its entry. */
  forget(): void {
    this.cursor = undefined;
  }

  /**
   * Fills the number, so that no follower waits for it. Answers the entry if it was used after all.
   */
  async giveUp(): Promise<OwnEntry | undefined> {
    if (this.cursor === undefined) return undefined;
    const entry = await this.fill(this.cursor);
    this.forget();
    return entry.type === 'void' ? undefined : entry;
  }

  /**
   * After a transaction with an unknown outcome: was it done? Filling the number decides it,
   * because the transaction can no longer succeed once a void is there. Answers what is there;
   * throws `cause` when that cannot be found out.
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
    return this.deps.changeLog.fill(id, { type: 'void', bucket: name, cursor, at });
  }
}

/**
 * A ServiceError of `commitChange`, or BucketMoved: nothing was changed, and the blob may be
 * removed.
 */
export function isCertainRefusal(error: unknown): boolean {
  return error instanceof ServiceError || error instanceof StaleBucketRef;
}
