/**
 * Random histories of commits of several changes, with writers that crash or lose their connection,
 * and readers whose queries of the shards come at different times. Checks that whatever a reader, a
 * page, a message or a copy shows is whole commits.
 */
import fc from 'fast-check';
import { LogPosition } from '../../../client/channel/log-position';
import { parseServerMessage } from '../../../client/channel/messages';
import { changesPage } from '../../../core/channel/changes-page';
import { NEVER_WAITS } from '../../../core/channel/long-poll';
import { changesMessages, serializeChanges } from '../../../core/channel/messages';
import { ServiceError } from '../../../core/errors';
import { commitChanges } from '../../../core/log/commit';
import { commitOf } from '../../../core/log/entries';
import type { ChangeEntry, ChangeLog, Commits } from '../../../core/log/ports';
import { publishChanges } from '../../../core/log/publish';
import { readRun } from '../../../core/log/reader';
import { deleteIntent, putIntent } from '../../support/commits';
import { createFakes, type Fakes } from '../../support/fakes/fakes';
import { ConnectionLost } from '../../support/fakes/interleaved';
import { waitIdle } from '../../support/fakes/wait-idle';
import { type Acknowledged, repairAndCheck } from '../../support/invariants';

export const BUCKET = 'photos';
export const KEYS = ['a', 'b', 'c'] as const;
const DAY_MS = 86_400_000;

export interface Step {
  /** The keys of one commit, and whether each is deleted. */
  readonly changes: readonly { readonly key: string; readonly isDelete: boolean }[];
  /** How far behind the counter `if_cursor` is; undefined: without. */
  readonly behind?: number;
}

interface Writer {
  readonly steps: readonly Step[];
  /** At the n-th operation: crash, or lose the connection. */
  readonly fault?: {
    readonly at: number;
    readonly when: 'before' | 'after';
    readonly kind: 'crash' | 'lost';
  };
}

const step: fc.Arbitrary<Step> = fc.record(
  {
    changes: fc.uniqueArray(
      fc.record({ key: fc.constantFrom(...KEYS), isDelete: fc.constantFrom(false, false, true) }),
      { minLength: 1, maxLength: 3, selector: ({ key }) => key },
    ),
    behind: fc.constantFrom(0, 0, 1),
  },
  { requiredKeys: ['changes'] },
);
export const writer: fc.Arbitrary<Writer> = fc.record(
  {
    steps: fc.array(step, { minLength: 1, maxLength: 3 }),
    fault: fc.record({
      at: fc.nat(14),
      when: fc.constantFrom<'before' | 'after'>('before', 'after'),
      kind: fc.constantFrom<'crash' | 'lost'>('crash', 'lost'),
    }),
  },
  { requiredKeys: ['steps'] },
);

/** Breaks a rule. */
export interface Variant {
  readonly commits?: (commits: Commits, world: Fakes, pause: () => Promise<void>) => Commits;
  readonly changeLog?: (changeLog: ChangeLog) => ChangeLog;
}

/** What one commit with `if_cursor` that was acknowledged claims. */
interface Claim {
  readonly ifCursor: number;
  readonly first: number;
}

export interface World {
  readonly fakes: Fakes;
  readonly bucket: { readonly name: string; readonly id: string };
  readonly s: fc.Scheduler;
  readonly variant: Variant;
  readonly acks: Acknowledged[];
  readonly commits: number[][];
  readonly claims: Claim[];
  /** Cursors at which something that was shown ended. */
  readonly ends: number[];
  /** The keys of a copy and their cursors, by the cursor of the copy. */
  readonly copies: [number, Map<string, number>][];
}

export async function run(s: fc.Scheduler, writers: readonly Writer[], variant: Variant = {}) {
  const fakes = createFakes();
  const bucket = { name: BUCKET, id: fakes.ids.bucketId() };
  await fakes.buckets.create({ ...bucket, cursor: 0, createdAt: fakes.clock.iso() });
  const seen = { acks: [], commits: [], claims: [], ends: [], copies: [] };
  const world: World = { fakes, bucket, s, variant, ...seen };
  for (const [n, drawn] of writers.entries()) void write(world, drawn, n);
  const reading = [1, 2].map((limit) => follow(world, limit));
  for (let instance = 0; instance < 2; instance++) void publish(world);
  await waitIdle(s);
  await Promise.all(reading);
  const clock = { now: () => fakes.clock.now() + 2 * DAY_MS, sleep: async () => undefined };
  const janitor = { ...fakes, clock, backoff: async () => undefined, retentionSeconds: 7 * 86_400 };
  check(world, await repairAndCheck(fakes, janitor, BUCKET, world.acks));
}

async function write({ fakes: all, bucket, s, variant, ...seen }: World, drawn: Writer, n: number) {
  let operations = 0;
  let dead = false;
  const { steps, fault } = drawn;
  const pause = () => s.schedule(Promise.resolve());
  const fakes = createFakes({
    ...all,
    yieldPoint: async ({ when, operation }) => {
      if (when === 'before') operations += 1;
      await pause();
      if (dead) await new Promise(() => undefined);
      if (fault?.at !== operations || fault.when !== when) return;
      if (fault.kind === 'lost' && operation === 'commit') throw new ConnectionLost();
      dead = fault.kind === 'crash';
      if (dead) await new Promise(() => undefined);
    },
  });
  const commits = variant.commits?.(fakes.commits, all, pause) ?? fakes.commits;
  // Waiting for another writer makes gaps old, so that readers fill them under writers at work.
  const backoff = async () => all.clock.advance(200);
  const deps = { ...fakes, commits, backoff };
  for (const { changes, behind } of steps) {
    const intents = await Promise.all(
      changes.map(({ key, isDelete }) =>
        isDelete ? deleteIntent(bucket, key) : putIntent(all, bucket, key, `${n}${key}`),
      ),
    );
    const counter = (await deps.buckets.get(BUCKET))?.cursor ?? 0;
    const ifCursor = behind === undefined ? undefined : Math.max(0, counter - behind);
    const reads = await Promise.all(intents.map(({ key }) => deps.objects.get(bucket.id, key)));
    try {
      const outcome = await commitChanges(deps, { bucket, intents, ifCursor }, reads);
      if (outcome.result !== 'committed') throw new Error(outcome.result);
      const objects = outcome.changes.map(({ object }) => object);
      seen.commits.push(objects.map(({ cursor }) => cursor));
      if (ifCursor !== undefined) {
        seen.claims.push({ ifCursor, first: objects[0]?.cursor ?? Number.NaN });
      }
      for (const object of objects) {
        const { key, version, cursor } = object;
        const etag = object.state === 'live' ? { etag: object.etag } : {};
        seen.acks.push({ key, version, cursor, ...etag });
      }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
    }
  }
}

/** The log as it is when the queries of its shards, here two, are answered at different times. */
function shards({ fakes, s, variant }: World): ChangeLog {
  const read: ChangeLog['read'] = async (...range) => {
    const halves = [0, 1].map(async (half) => {
      await s.schedule(Promise.resolve());
      const entries = await fakes.changeLog.read(...range);
      return entries.filter(({ cursor }) => cursor % 2 === half);
    });
    return (await Promise.all(halves)).flat().sort((one, other) => one.cursor - other.cursor);
  };
  const changeLog: ChangeLog = Object.assign(Object.create(fakes.changeLog), { read });
  return variant.changeLog?.(changeLog) ?? changeLog;
}

/** Reads runs and pages, one after the other. */
async function follow(world: World, limit: number) {
  const { bucket, ends, fakes } = world;
  const deps = { ...fakes, changeLog: shards(world) };
  for (let round = 0, after = 0; round < 6; round++) {
    const { cursor = 0 } = (await deps.buckets.get(BUCKET)) ?? {};
    if (round % 2 === 0) {
      const fillAllGaps = round === 4;
      const run = await readRun(deps, bucket, {
        after,
        to: Math.min(cursor, after + 3),
        fillAllGaps,
      });
      after += run.entries.length;
    } else {
      const request = { bucket: BUCKET, prefix: '', cursor: after, limit, wait: 0 };
      after = (await changesPage(deps, request, NEVER_WAITS)).page?.to ?? after;
    }
    ends.push(after);
  }
}

/** Fanout, for a follower that receives its messages twice and in any order. */
async function publish(world: World) {
  const { fakes, s, copies, ends, bucket } = world;
  const follower = new LogPosition(BUCKET, { cursor: 0, bucketId: bucket.id });
  const copy = new Map<string, number>();
  const receive = async (text: string) => {
    await s.schedule(Promise.resolve());
    const message = parseServerMessage(text);
    if (message?.type !== 'changes') throw new Error(`not understood: ${text}`);
    for (const event of follower.take(message.range).events) {
      if (event.type === 'put') copy.set(event.object.key, event.cursor);
      else if (event.type === 'delete') copy.delete(event.object.key);
      else if (event.type === 'cursor') copies.push([event.cursor, new Map(copy)]);
    }
  };
  const deps = { ...fakes, changeLog: shards(world) };
  for (let round = 0; round < 5; round++) {
    await s.schedule(Promise.resolve());
    const log = await publishChanges(deps, BUCKET, {
      push: async (record, from, { entries }) => {
        const run = { from, to: from + entries.length, changes: serializeChanges(entries) };
        for (const message of changesMessages(record, run, { prefix: '', head: run.to })) {
          void receive(message);
          void receive(message);
        }
        return undefined;
      },
    });
    ends.push(log?.stats.published ?? 0);
  }
}

function check({ commits, claims, ends, copies }: World, log: readonly ChangeEntry[]): void {
  const ranges = log.flatMap((entry) => (entry.type !== 'noop' && entry.commit) || []);
  const isInside = (end: number) => ranges.some(({ first, last }) => first <= end && end < last);
  expect(ends.filter(isInside)).toEqual([]);
  const made = commits.filter(({ length }) => length > 1);
  const namedBy = (cursor: number) => commitOf(log[cursor - 1]);
  expect(made.map((cursors) => cursors.map(namedBy))).toEqual(
    made.map((cursors) => cursors.map(() => ({ first: cursors[0], last: cursors.at(-1) }))),
  );
  const changesOf = ({ ifCursor, first }: (typeof claims)[number]) =>
    log.slice(ifCursor, first - 1).filter(({ type }) => type !== 'noop');
  expect(claims.flatMap(changesOf)).toEqual([]);
  expect(copies).toEqual(copies.map(([cursor]) => [cursor, stateAt(log, cursor)]));
}

/** The cursor of each key that exists after the entries up to `end`. */
function stateAt(log: readonly ChangeEntry[], end: number): Map<string, number> {
  const state = new Map<string, number>();
  for (const entry of log.slice(0, end)) {
    if (entry.type === 'put') state.set(entry.object.key, entry.cursor);
    else if (entry.type === 'delete') state.delete(entry.object.key);
  }
  return state;
}
