/**
 * What the service has ever written, recorded at the moment at which DynamoDB has it: the reference
 * that all checks compare with. Trimming removes nothing from it.
 */
import type { ChangeEntry } from '../../../core/log/ports';
import type { LifecycleRule } from '../../../core/store/buckets';
import type { ObjectRecord } from '../../../core/store/objects';
import type { Anomalies } from './anomalies';

export interface RecordedEntry {
  readonly entry: ChangeEntry;
  /** When it was written, of the virtual clock. */
  readonly at: number;
}

/** Lifecycle rules, and since when they hold. */
export interface RecordedRules {
  readonly rules: readonly LifecycleRule[];
  readonly at: number;
}

/** The object of each key at a cursor; keys that have none are absent. */
export type BucketState = ReadonlyMap<string, ObjectRecord & { readonly state: 'live' }>;

export class BucketHistory {
  /** By cursor; the entry at index 0 is empty. */
  readonly entries: (RecordedEntry | undefined)[] = [undefined];
  /** Key -> cursors of its changes, in order. */
  readonly ofKey = new Map<string, number[]>();
  readonly rules: RecordedRules[] = [];
  private readonly states: BucketState[] = [new Map()];

  constructor(readonly id: string) {}

  entry(cursor: number): ChangeEntry | undefined {
    return this.entries[cursor]?.entry;
  }

  /** The last cursor up to which every cursor has its entry. */
  get settled(): number {
    let cursor = this.states.length - 1;
    while (this.entries[cursor + 1] !== undefined) cursor += 1;
    return cursor;
  }

  /** The state at a cursor up to which every cursor has its entry; undefined: none has it yet. */
  stateAt(cursor: number): BucketState | undefined {
    while (this.states.length <= cursor) {
      const entry = this.entry(this.states.length);
      const before = this.states.at(-1);
      if (!entry || !before) return undefined;
      this.states.push(entry.type === 'noop' ? before : changed(before, entry.object));
    }
    return this.states[cursor];
  }

  /** Those that held at any time between the two. */
  rulesDuring(from: number, until: number): readonly RecordedRules[] {
    return this.rules.filter((one, index) => {
      const end = this.rules[index + 1]?.at ?? Number.POSITIVE_INFINITY;
      return one.at <= until && end >= from;
    });
  }

  /** The last change of the key up to that cursor. */
  changeOf(key: string, cursor: number): Exclude<ChangeEntry, { type: 'noop' }> | undefined {
    const last = this.ofKey.get(key)?.findLast((one) => one <= cursor) ?? 0;
    const entry = this.entry(last);
    return entry?.type === 'noop' ? undefined : entry;
  }
}

function changed(before: BucketState, object: ObjectRecord): BucketState {
  const state = new Map(before);
  if (object.state === 'live') state.set(object.key, object);
  else state.delete(object.key);
  return state;
}

export class History {
  private readonly buckets = new Map<string, BucketHistory>();

  constructor(private readonly anomalies: Anomalies) {}

  of(bucketId: string): BucketHistory {
    const known = this.buckets.get(bucketId) ?? new BucketHistory(bucketId);
    this.buckets.set(bucketId, known);
    return known;
  }

  get all(): Iterable<BucketHistory> {
    return this.buckets.values();
  }

  /** DynamoDB has an entry that it did not have before. */
  record(bucketId: string, entry: ChangeEntry, at: number): void {
    const bucket = this.of(bucketId);
    const { cursor } = entry;
    const earlier = bucket.entry(cursor);
    if (earlier !== undefined) {
      const what = `${bucketId}: cursor ${cursor} was ${earlier.type}, and is ${entry.type}`;
      this.anomalies.report('an entry never changes', what);
      return;
    }
    if (entry.type !== 'noop') {
      const { object, previous } = entry;
      const cursors = bucket.ofKey.get(object.key) ?? [];
      const last = cursors.at(-1) ?? 0;
      this.anomalies.require(
        'versions follow cursors',
        last < cursor,
        () => `${bucketId}: ${object.key} changes at ${cursor}, after ${last}`,
      );
      const lastEntry = bucket.entry(last);
      // Trimming removes tombstones, after which a key begins anew.
      const mayBegin = lastEntry === undefined || lastEntry.type === 'delete';
      const isNext = previous === undefined ? mayBegin : previous.cursor === last;
      const isCounted = object.version === (previous?.version ?? 0) + 1;
      this.anomalies.require(
        'a change follows the last one of its key',
        isNext && isCounted,
        () =>
          `${bucketId}: version ${object.version} of ${object.key} at ${cursor} follows ${previous?.cursor} of ${last}`,
      );
      bucket.ofKey.set(object.key, [...cursors, cursor]);
    }
    bucket.entries[cursor] = { entry, at };
  }
}
