/**
 * How a change is committed. The order of effects, and what a crash between them leaves:
 *
 *   1. the blob is durable (PUT, or S3 has reported an upload); the record has been read     -> an unreferenced blob
 *   2. `allocate` hands out the next number of the bucket                                    -> an unused number
 *   3. one transaction writes log entry, record, voids, upload row and replay, or nothing    -> done
 *
 * The reconciler removes the blob, the fence fills the number. A number that this writer gives up is filled with a
 * void in the transaction of its next attempt, or at once when there is none.
 */
import { ServiceError, unavailable } from './errors';
import { nextAncestors } from './history';
import type {
  Buckets,
  ChangeEntry,
  ChangeLog,
  Clock,
  Commits,
  Ids,
  ObjectRecord,
  Objects,
  Replay,
} from './ports';

/** Of a function's 29 s. Writers of one hot key queue up by losing races; most get their turn within this. */
const GIVE_UP_AFTER_MS = 20_000;
/** A bound for the bill, and for a clock that stands still. */
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
}

/** What of a new record the commit itself decides. */
export interface Place {
  readonly version: number;
  readonly cursor: number;
  /** ISO 8601 UTC with milliseconds. */
  readonly at: string;
  readonly ancestors: readonly number[];
}

export interface Intent {
  readonly bucket: { readonly name: string; readonly id: string };
  readonly key: string;
  /** Throws a ServiceError when the change may not follow that record: a condition, or nothing to delete. */
  readonly check: (previous: ObjectRecord | undefined) => void;
  readonly build: (place: Place, previous: ObjectRecord | undefined) => ObjectRecord;
  readonly uploadId?: string;
  /** The answer to remember under the idempotency key. */
  readonly replay?: (object: ObjectRecord, previous: ObjectRecord | undefined) => Replay;
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
export class BucketMoved extends Error {}

/**
 * Commits a change of one key. `read` is the record as it was read before.
 * AWS calls: 1 UpdateItem, 1 TransactWriteItems; each lost race adds 1 GetItem, 1 TransactWriteItems and, when the
 * number was overtaken, 1 UpdateItem.
 * Throws what `check` throws, `unavailable` when every attempt lost its race, BucketMoved: after each of these it is
 * certain that nothing was changed. Any other error leaves the outcome open.
 */
export async function commitChange(
  deps: CommitDeps,
  intent: Intent,
  read: ObjectRecord | undefined,
): Promise<Committed> {
  const numbers = new Numbers(deps, intent);
  const deadline = deps.clock.now() + GIVE_UP_AFTER_MS;
  let previous = read;
  for (let attempt = 0; attempt < MAX_ATTEMPTS && deps.clock.now() < deadline; attempt++) {
    try {
      intent.check(previous);
    } catch (refusal) {
      await numbers.giveUp();
      throw refusal;
    }
    const cursor = await numbers.above(previous?.cursor ?? 0);
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
      previous,
      voids: numbers.voids,
      uploadId: intent.uploadId,
      replay: intent.replay?.(object, previous),
      token: deps.ids.ulid(),
    });
    if (outcome.result === 'committed') return { result: 'committed', object, previous };
    const entry =
      outcome.result === 'unknown' ? await numbers.decide(outcome.cause) : outcome.taken;
    // Only this writer was ever given the number: an entry there that is no void is this very change.
    if (entry && entry.type !== 'void') {
      return { result: 'committed', object: entry.object, previous: entry.previous };
    }
    if (outcome.result === 'refused') {
      numbers.learn(outcome.taken !== undefined, outcome.filled);
      if (outcome.settled || outcome.replayed) {
        await numbers.giveUp();
        return { result: outcome.settled ? 'settled' : 'replayed' };
      }
    }
    await deps.backoff(attempt);
    previous = await deps.objects.get(intent.bucket.id, intent.key);
  }
  await numbers.giveUp();
  throw unavailable();
}

/** The numbers that one change was handed, and what became of them. */
class Numbers {
  private current: number | undefined;
  private givenUp: number[] = [];

  constructor(
    private readonly deps: CommitDeps,
    private readonly intent: Intent,
  ) {}

  /** Those to be filled together with the next attempt. */
  get voids(): readonly number[] {
    return this.givenUp;
  }

  /** The number in hand if it is above `floor`, else the next one of the bucket. */
  async above(floor: number): Promise<number> {
    if (this.current !== undefined && this.current > floor) return this.current;
    if (this.current !== undefined) this.givenUp.push(this.current);
    this.current = undefined;
    const { name, id } = this.intent.bucket;
    this.current = await this.deps.buckets.allocate(name, id);
    if (this.current === undefined) {
      // A closing bucket fences every hole itself, so what was given up needs no void.
      throw new BucketMoved(`bucket ${name} is closing or is no longer ${id}`);
    }
    return this.current;
  }

  /** After a refused transaction: which numbers have an entry by now. */
  learn(taken: boolean, filled: readonly number[]): void {
    if (taken) this.current = undefined;
    this.givenUp = this.givenUp.filter((cursor) => !filled.includes(cursor));
  }

  /**
   * After a transaction with an unknown outcome: was it done? Filling the number decides it, because the transaction
   * can no longer succeed once a void is there. Answers what is there; throws `cause` when that cannot be found out.
   */
  async decide(cause: unknown): Promise<ChangeEntry> {
    const { current } = this;
    if (current === undefined) throw cause;
    this.current = undefined;
    try {
      return await this.fill(current);
    } catch {
      throw cause;
    }
  }

  /** Fills every number in hand. A failure is left to the fence. */
  async giveUp(): Promise<void> {
    const open = this.current === undefined ? this.givenUp : [...this.givenUp, this.current];
    await Promise.allSettled(open.map((cursor) => this.fill(cursor)));
  }

  private fill(cursor: number) {
    const at = new Date(this.deps.clock.now()).toISOString();
    const { name, id } = this.intent.bucket;
    return this.deps.changeLog.fill(id, { type: 'void', bucket: name, cursor, at });
  }
}

/** A ServiceError of `commitChange`, or BucketMoved: nothing was changed, and the blob may be removed. */
export function isCertainRefusal(error: unknown): boolean {
  return error instanceof ServiceError || error instanceof BucketMoved;
}
