/**
 * A bucket under random operations: the processes that change it, and the log that it ever had, by
 * which everything that was shown is judged.
 */
import fc from 'fast-check';
import { BucketIds } from '../../../core/buckets/bucket-ids';
import { commitObjects } from '../../../core/commits/commit-objects';
import type { RequestedChange } from '../../../core/commits/commit-request';
import { deletePrefix } from '../../../core/commits/delete-prefix';
import { ServiceError } from '../../../core/errors';
import type { ChangeEntry } from '../../../core/log/ports';
import { publishChanges } from '../../../core/log/publish';
import type { BucketRecord } from '../../../core/store/buckets';
import type { ObjectRecord } from '../../../core/store/objects';
import { openAsOf } from '../../../core/versions/as-of';
import { restoreObjects } from '../../../core/versions/restore-objects';
import { BUCKET, openBucket, put, remove, type World } from '../../support/bucket-world';
import { createFakes } from '../../support/fakes/fakes';
import { ConnectionLost } from '../../support/fakes/interleaved';
import { statsOf } from '../../support/histories';

export const KEYS = ['a', 'b/1', 'b/2', 'c'] as const;

export type Op =
  | { readonly kind: 'put' | 'delete'; readonly key: string }
  /** `behind`: how far `if_cursor` is behind the counter; undefined: without. */
  | {
      readonly kind: 'commit';
      readonly keys: readonly string[];
      readonly ops: readonly RequestedChange['op'][];
      readonly behind?: number;
    }
  | { readonly kind: 'deletePrefix'; readonly prefix: string }
  /** To a cursor so far before the published mark. */
  | { readonly kind: 'restore'; readonly back: number; readonly prefix: string };

export interface Fault {
  /** Before or after an operation of a port: two moments each, in the order of the moments. */
  readonly at: number;
  readonly kind: 'killed' | 'disconnected';
}

const key = fc.constantFrom(...KEYS);
const prefix = fc.constantFrom('b/', 'b/', 'b/', '');
const OPS = ['put', 'put', 'copy', 'move', 'patch', 'delete'] as const;
const ops = fc.array(fc.constantFrom(...OPS), { minLength: 4, maxLength: 4 });
const keys = fc.shuffledSubarray([...KEYS], { minLength: 2 });
const behind = fc.constantFrom(undefined, undefined, 0, 0, 1);

export const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('put' as const), key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), key }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('commit' as const), keys, ops, behind }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('deletePrefix' as const), prefix }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('restore' as const), back: fc.nat(4), prefix }),
  },
);

export const fault: fc.Arbitrary<Fault> = fc.record({
  at: fc.integer({ min: 1, max: 40 }),
  kind: fc.constantFrom('killed', 'disconnected'),
});

/** How a commit with `if_cursor` ended. */
interface Claim {
  readonly ifCursor: number;
  /** The first cursor of the commit; undefined: refused, because something has changed. */
  readonly first?: number;
}

/** What a test has done, to show that it has not missed its subject. */
export type Tally = Record<
  'commits' | 'crashes' | 'raced' | 'restored' | 'states' | 'trimmed' | 'shown' | 'agreed',
  number
>;

export class Bucket {
  /** Every entry that the log ever had. */
  readonly log = new Map<number, ChangeEntry>();
  readonly acks: ObjectRecord[] = [];
  readonly claims: Claim[] = [];
  /** Cursors at which what a reader was shown ended or began. */
  readonly ends: number[] = [];
  private written = 0;

  private constructor(
    readonly deps: World,
    readonly record: BucketRecord,
    /** Lets the others run. */
    readonly turn: () => Promise<void>,
    readonly tally: Tally,
  ) {}

  /** With an object under each key. */
  static async open(turn: () => Promise<void>, tally: Tally): Promise<Bucket> {
    const { deps, bucket } = await openBucket();
    const opened = new Bucket(deps, bucket, turn, tally);
    for (const name of KEYS) await put(deps, name, opened.text());
    await publishChanges(deps, BUCKET);
    return opened;
  }

  /** A function instance, which may meet a fault. */
  process(met?: Fault): World {
    const { deps, tally, turn } = this;
    let moments = 0;
    let isDead = false;
    const fakes = createFakes({
      ...deps,
      yieldPoint: async () => {
        const moment = ++moments;
        await turn();
        if (moment === met?.at) {
          tally.crashes += 1;
          if (met.kind === 'disconnected') throw new ConnectionLost();
          isDead = true;
        }
        if (isDead) throw new Killed();
      },
    });
    // Waiting makes gaps old, so that they are filled under writers at work.
    const backoff = async () => {
      deps.clock.advance(200);
      await turn();
    };
    return { ...deps, ...fakes, bucketIds: new BucketIds(fakes.buckets), backoff };
  }

  /** Performs the operations one after the other, until the process dies. */
  async act(deps: World, all: readonly Op[]): Promise<void> {
    for (const one of all) {
      try {
        await this.perform(deps, one);
      } catch (error) {
        if (isFault(error)) return;
        if (!(error instanceof ServiceError)) throw error;
      }
    }
  }

  private async perform(deps: World, one: Op): Promise<void> {
    const { record, tally } = this;
    const beforeCommit = async (changes: number) => changes;
    if (one.kind === 'restore') {
      const { published } = await statsOf(deps);
      const { asOf } = await openAsOf(deps, BUCKET, Math.max(0, published - one.back));
      const { prefix } = one;
      const options = { prefix, start: prefix, asOf, isDryRun: false, beforeCommit };
      const done = await restoreObjects(deps, { bucket: record, by: 'k' }, options);
      tally.restored += done.restored + done.deleted;
    } else if (one.kind === 'put') this.acks.push(await put(deps, one.key, this.text()));
    else if (one.kind === 'delete') {
      const outcome = await remove(deps, one.key);
      if (outcome.result === 'committed') this.acks.push(outcome.object);
    } else if (one.kind === 'commit') await this.commit(deps, one);
    else if (one.kind === 'deletePrefix') {
      const options = { prefix: one.prefix, by: 'k', start: one.prefix, beforeCommit };
      await deletePrefix(deps, record, options);
    }
  }

  private async commit(deps: World, one: Op & { readonly kind: 'commit' }): Promise<void> {
    const counter = (await deps.buckets.get(BUCKET))?.cursor ?? 0;
    const ifCursor = one.behind === undefined ? undefined : Math.max(0, counter - one.behind);
    const request = { bucket: BUCKET, changes: this.changesOf(one) };
    const options = { by: 'k', conditions: () => undefined, mayCommit: async () => true };
    try {
      const guard = ifCursor === undefined ? {} : { ifCursor };
      const outcome = await commitObjects(deps, { ...request, ...guard }, options);
      if (outcome.result !== 'committed') throw new Error(outcome.result);
      const objects = outcome.changes.map(({ object }) => object);
      this.acks.push(...objects);
      this.tally.commits += 1;
      const first = objects[0]?.cursor;
      if (ifCursor !== undefined && first !== undefined) this.claims.push({ ifCursor, first });
    } catch (error) {
      const isRefused = error instanceof ServiceError && error.code === 'precondition_failed';
      // Once trimmed, an entry after the cursor refuses the commit, also when it was a no-op.
      const { oldest } = await statsOf(this.deps);
      if (ifCursor !== undefined && isRefused && ifCursor + 1 >= oldest) {
        this.claims.push({ ifCursor });
      }
      throw error;
    }
  }

  private changesOf({ keys: of, ops: drawn }: Op & { readonly kind: 'commit' }) {
    const changes: RequestedChange[] = [];
    const left = [...of];
    for (const [n, name] of drawn.entries()) {
      const target = left.shift();
      if (target === undefined) break;
      const metadata = { n: this.text() };
      const content = { headers: {}, metadata };
      const source = name === 'move' ? left.shift() : KEYS[n];
      if (name === 'put') {
        changes.push({ op: 'put', key: target, body: Buffer.from(this.text()), content });
      } else if (name === 'patch') changes.push({ op: 'patch', key: target, content });
      else if (name === 'copy' && source !== undefined) {
        changes.push({ op: 'copy', key: target, from: { key: source }, content: { headers: {} } });
      } else if (name === 'move' && source !== undefined) {
        changes.push({ op: 'move', key: target, from: { key: source } });
      } else changes.push({ op: 'delete', key: target, ifExists: true });
    }
    return changes;
  }

  /** Each differs from all others in its length. */
  private text(): string {
    return 'x'.repeat(++this.written);
  }

  /** Remembers the entries that are there now. */
  remember(): void {
    for (const [cursor, entry] of this.deps.state.changesOf(this.record.id)) {
      const known = this.log.get(cursor);
      if (known === undefined) this.log.set(cursor, entry);
      else if (known !== entry) expect(entry).toEqual(known);
    }
  }
}

/** The process does nothing more. */
class Killed extends Error {}

export function isFault(error: unknown): boolean {
  return error instanceof Killed || error instanceof ConnectionLost;
}
