/** What followers and readers of a bucket are shown, compared with the log that it ever had. */
import { LogPosition } from '../../../client/channel/log-position';
import { parseServerMessage } from '../../../client/channel/messages';
import { type ChangeRange, parseChangeRange } from '../../../client/resources';
import { changesPage, pageText } from '../../../core/channel/changes-page';
import { NEVER_WAITS } from '../../../core/channel/long-poll';
import { changesMessages, serializeChanges } from '../../../core/channel/messages';
import { CursorExpired } from '../../../core/log/cursor-reads';
import type { ChangeEntry, ChangeLog } from '../../../core/log/ports';
import { publishChanges } from '../../../core/log/publish';
import { readRun } from '../../../core/log/reader';
import { prefixRange } from '../../../core/names';
import type { LiveObject, ShownRecord } from '../../../core/store/objects';
import { ObjectsAsOf, openAsOf } from '../../../core/versions/as-of';
import { BUCKET, type World } from '../../support/bucket-world';
import { statsOf } from '../../support/histories';
import type { Bucket } from './whole-world';

/** What each key holds: no two versions have the same text, except that a copy has its source's. */
export type State = ReadonlyMap<string, string>;

interface Described {
  readonly size: number;
  readonly metadata: Readonly<Record<string, string>>;
}

const textOf = ({ size, metadata }: Described) => `${size}/${metadata.n?.length ?? 0}`;

/** The state that the entries up to the cursor make. */
export function stateAt(log: ReadonlyMap<number, ChangeEntry>, cursor: number): State {
  const state = new Map<string, string>();
  for (let at = 1; at <= cursor; at++) {
    const entry = log.get(at);
    if (entry?.type === 'put') state.set(entry.object.key, textOf(entry.object as LiveObject));
    if (entry?.type === 'delete') state.delete(entry.object.key);
  }
  return state;
}

/** Something that was shown: the state at a cursor. */
export interface Shown {
  readonly cursor: number;
  readonly state: State;
}

type Range = Parameters<ChangeLog['read']>;

/** The log as it is when the queries of its shards, here two, are answered at different times. */
function sharded(bucket: Bucket, deps: World): World {
  const { changeLog } = deps;
  const inHalves =
    <R extends ShownRecord>(read: (...range: Range) => Promise<readonly ChangeEntry<R>[]>) =>
    async (...range: Range) => {
      const halves = [0, 1].map(async (half) => {
        await bucket.turn();
        const entries = await read(...range);
        return entries.filter(({ cursor }) => cursor % 2 === half);
      });
      return (await Promise.all(halves)).flat().sort((one, other) => one.cursor - other.cursor);
    };
  const read = inHalves((...range) => changeLog.read(...range));
  const readShown = inHalves((...range) => changeLog.readShown(...range));
  return { ...deps, changeLog: Object.assign(Object.create(changeLog), { read, readShown }) };
}

/** Keeps a copy of the bucket by the client's rule, and verifies the digests. */
export class Follower {
  private followed: LogPosition;
  private copy = new Map<string, string>();

  constructor(
    private readonly bucket: Bucket,
    private readonly shown: Shown[],
  ) {
    this.followed = new LogPosition(BUCKET, { cursor: 0, bucketId: bucket.record.id });
  }

  get cursor(): number {
    return this.followed.cursor ?? 0;
  }

  take(range: ChangeRange): void {
    for (const event of this.followed.take(range).events) {
      if (event.type === 'put') this.copy.set(event.object.key, textOf(event.object));
      else if (event.type === 'delete') this.copy.delete(event.object.key);
      else if (event.type === 'ended') throw event.error;
      else if (event.type === 'cursor') {
        this.shown.push({ cursor: event.cursor, state: new Map(this.copy) });
        if (event.digest) this.bucket.tally.agreed += 1;
      }
    }
  }

  /** Reads a page of at most so many entries. Starts over when its cursor has expired. */
  async read(deps: World, limit: number): Promise<void> {
    const { id } = this.bucket.record;
    const request = { bucket: BUCKET, bucketId: id, prefix: '', cursor: this.cursor, limit };
    try {
      const { page } = await changesPage(deps, { ...request, wait: 0 }, NEVER_WAITS);
      const range = page && parseChangeRange(JSON.parse(pageText(page)));
      if (!range) throw new Error('no page of changes');
      this.take(range);
    } catch (error) {
      if (!(error instanceof CursorExpired)) throw error;
      const { cursor, state } = await readAsOf(deps, (await statsOf(deps)).published);
      this.followed = new LogPosition(BUCKET, { cursor, bucketId: id });
      this.copy = new Map(state);
    }
  }
}

/** The list of all objects as of the cursor. */
export async function readAsOf(deps: World, wanted: number): Promise<Shown> {
  const { bucket, asOf } = await openAsOf(deps, BUCKET, wanted);
  const source = new ObjectsAsOf(deps, asOf);
  const { items } = await source.pairs(bucket.id, prefixRange(''), 1000);
  const live = items.flatMap(({ was }) => (was.state === 'live' ? was : []));
  expect(live.filter(({ blob }) => !deps.state.blobs.has(blob))).toEqual([]);
  return { cursor: asOf, state: new Map(live.map((item) => [item.key, textOf(item)])) };
}

/** Reads runs, pages and earlier states while others write. */
export async function readOn(bucket: Bucket, follower: Follower, shown: Shown[]): Promise<void> {
  const deps = sharded(bucket, bucket.process());
  for (let limit = 1; limit <= 3; limit++) {
    await follower.read(deps, limit);
    const { oldest, published } = await statsOf(deps);
    const after = oldest - 1;
    const run = await readRun(deps, bucket.record, {
      after,
      to: Math.min(published, after + limit),
    });
    bucket.ends.push(oldest - 1, after + run.entries.length);
    if (published - limit + 1 >= oldest) shown.push(await readAsOf(deps, published - limit));
  }
}

/** Fanout, woken more often than there are changes: its messages come twice and in any order. */
export async function fanOut(bucket: Bucket, follower: Follower): Promise<void> {
  const deps = sharded(bucket, bucket.process());
  const receive = async (text: string) => {
    await bucket.turn();
    const message = parseServerMessage(text);
    if (message?.type !== 'changes') throw new Error(`not understood: ${text}`);
    follower.take(message.range);
  };
  const received: Promise<void>[] = [];
  for (let wakeUp = 0; wakeUp < 3; wakeUp++) {
    await bucket.turn();
    await publishChanges(deps, BUCKET, {
      push: async (record, from, { entries, digest }) => {
        const changes = serializeChanges(entries);
        const run = { from, to: from + entries.length, changes, digest };
        for (const message of changesMessages(record, run, { prefix: '', head: run.to })) {
          received.push(receive(message), receive(message));
        }
        return undefined;
      },
    });
  }
  await Promise.all(received);
}

/** Judges what was shown, claimed and acknowledged by the log that the bucket ever had. */
export function judge(bucket: Bucket, shown: readonly Shown[]): void {
  const { log, acks, claims, tally } = bucket;
  // Few calls of `expect`, which takes longer than what it compares.
  const isInside = (cursor: number) => {
    const entry = log.get(cursor);
    const commit = entry && entry.type !== 'noop' ? entry.commit : undefined;
    return (commit?.last ?? cursor) !== cursor;
  };
  const ends = [...bucket.ends, ...shown.map(({ cursor }) => cursor)];
  expect(ends.filter(isInside)).toEqual([]);
  expect(shown.map(({ state }) => state)).toEqual(shown.map(({ cursor }) => stateAt(log, cursor)));
  tally.shown += shown.length;
  expect(acks.map(({ cursor }) => log.get(cursor))).toMatchObject(
    acks.map((object) => ({ object })),
  );
  const counter = Math.max(...log.keys());
  const isChange = (cursor: number) => (log.get(cursor)?.type ?? 'noop') !== 'noop';
  for (const { ifCursor, first } of claims) {
    const after = Array.from({ length: counter - ifCursor }, (_, n) => ifCursor + 1 + n);
    const next = after.find(isChange);
    // Nothing between the cursor and the commit; and who is refused has lost to another change.
    if (first === undefined) expect(next).toBeDefined();
    else expect(next).toBe(first);
    if (claims.some((other) => other.ifCursor === ifCursor && other.first === undefined)) {
      tally.raced += 1;
    }
  }
  const commits = new Map<string, { readonly first: number; readonly last: number }>();
  for (const entry of log.values()) {
    if (entry.type !== 'noop' && entry.commit) {
      commits.set(`${entry.commit.first}-${entry.commit.last}`, entry.commit);
    }
  }
  for (const { first, last } of commits.values()) {
    const entries = Array.from({ length: last - first + 1 }, (_, n) => log.get(first + n));
    expect(entries).toMatchObject(entries.map(() => ({ commit: { first, last } })));
  }
}

/** As of each cursor the bucket has the state of the log, or the cursor has expired. */
export async function judgeStates(bucket: Bucket): Promise<void> {
  const { deps, log, tally } = bucket;
  const { oldest, published } = await statsOf(deps);
  expect([...log.keys()].sort((a, b) => a - b)).toEqual(
    Array.from({ length: published }, (_, n) => n + 1),
  );
  for (let wanted = 0; wanted <= published; wanted++) {
    const read = readAsOf(deps, wanted);
    const entry = log.get(wanted + 1);
    const first = (entry && entry.type !== 'noop' && entry.commit?.first) || wanted + 1;
    if (Math.min(first, wanted + 1) < oldest) {
      await expect(read).rejects.toMatchObject({ code: 'cursor_expired' });
      continue;
    }
    const { cursor, state } = await read;
    const end = Math.min(first - 1, wanted);
    expect({ cursor, state }).toEqual({ cursor: end, state: stateAt(log, end) });
    tally.states += 1;
  }
}
