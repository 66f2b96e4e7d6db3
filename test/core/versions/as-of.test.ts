/** A bucket at an earlier cursor: which cursors there are, and what is read of them. */
import { ServiceError } from '../../../core/errors';
import { LIMITS } from '../../../core/limits';
import { publishChanges } from '../../../core/log/publish';
import { EntriesTrimmed } from '../../../core/log/reader';
import type { BucketStats } from '../../../core/store/buckets';
import {
  getAsOf,
  ObjectsAsOf,
  openAsOf,
  parseAsOf,
  requireKept,
  whileKept,
} from '../../../core/versions/as-of';
import { BUCKET, openBucket, put, remove, type World } from '../../support/bucket-world';
import { commitPuts, keysNamed } from '../../support/commits';
import { liveObject } from '../../support/samples';

test.each([
  [undefined, undefined],
  ['0', 0],
  ['17', 17],
  ['999999999999999', 999_999_999_999_999],
])('the parameter as_of %j is the cursor %j', (value, cursor) => {
  expect(parseAsOf(value)).toBe(cursor);
});

test.each(['', '-1', '01', '1.5', 'x1', '1x', '1000000000000000'])(
  'as_of %j is refused',
  (value) => {
    expect(() => parseAsOf(value)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        details: expect.objectContaining({ field: 'as_of' }),
      }),
    );
  },
);

/** The same bucket with other statistics. */
function withStats(deps: World, change: (stats: BucketStats) => BucketStats | undefined): World {
  const buckets = Object.assign(Object.create(deps.buckets) as World['buckets'], {
    stats: async (name: string) => {
      const stats = await deps.buckets.stats(name);
      return stats && change(stats);
    },
  });
  return { ...deps, buckets };
}

const refusalOf = async (promise: Promise<unknown>) => {
  const error = await promise.catch((caught: unknown) => caught);
  return error instanceof ServiceError ? { code: error.code, details: error.details } : error;
};

describe('openAsOf', () => {
  test('opens each cursor from the one before the oldest entry to the newest', async () => {
    const { deps, bucket } = await openBucket();
    expect(await openAsOf(deps, BUCKET, 0)).toEqual({ bucket, asOf: 0 });
    for (const text of ['1', '2', '3']) await put(deps, 'a', text);
    const record = { ...bucket, cursor: 3 };
    // Not published yet: each entry is looked at.
    for (const asOf of [0, 1, 2, 3]) {
      expect(await openAsOf(deps, BUCKET, asOf)).toEqual({ bucket: record, asOf });
    }
    await publishChanges(deps, BUCKET);
    const trimmed = withStats(deps, (stats) => ({ ...stats, oldest: 2 }));
    expect(await openAsOf(trimmed, BUCKET, 1)).toEqual({ bucket: record, asOf: 1 });
    await expect(openAsOf(trimmed, BUCKET, 0)).rejects.toThrow(/\b1 or more$/);
    expect(await refusalOf(openAsOf(trimmed, BUCKET, 0))).toEqual({
      ...{ code: 'cursor_expired', details: { oldest: 2, head: 3 } },
    });
    expect(await refusalOf(openAsOf(deps, BUCKET, 4))).toEqual({
      code: 'invalid_request',
      details: { field: 'as_of', rule: expect.any(String), head: 3 },
    });
  });

  test('opens the cursor before a commit for one in its middle', async () => {
    const { deps, bucket } = await openBucket();
    await put(deps, 'x', '1');
    await commitPuts(deps, bucket, keysNamed('k', 3));
    await put(deps, 'x', '2');
    await deps.commits.allocate(bucket);
    await put(deps, 'x', '3');
    await publishChanges(deps, BUCKET, { fillAllGaps: true });
    const opened = [0, 1, 2, 3, 4, 5, 6, 7].map(
      async (n) => (await openAsOf(deps, BUCKET, n)).asOf,
    );
    expect(await Promise.all(opened)).toEqual([0, 1, 1, 1, 4, 5, 6, 7]);
    const trimmed = withStats(deps, (stats) => ({ ...stats, oldest: 3 }));
    expect(await refusalOf(openAsOf(trimmed, BUCKET, 2))).toMatchObject({ code: 'cursor_expired' });
  });

  test('asks to be repeated while a writer is at work, or publishing is far behind', async () => {
    const { deps, bucket } = await openBucket();
    await put(deps, 'a', '1');
    await deps.commits.allocate(bucket);
    expect(await refusalOf(openAsOf(deps, BUCKET, 2))).toMatchObject({ code: 'unavailable' });
    expect(await openAsOf(deps, BUCKET, 1)).toMatchObject({ asOf: 1 });
    const many = await openBucket();
    for (let n = 0; n < 257; n++) await put(many.deps, 'a', 'x');
    expect(await openAsOf(many.deps, BUCKET, 256)).toMatchObject({ asOf: 256 });
    const late = openAsOf(many.deps, BUCKET, 257);
    expect(await refusalOf(late)).toMatchObject({ code: 'unavailable' });
  });

  test('does not find a bucket without a record or statistics', async () => {
    const { deps } = await openBucket();
    const missing = { code: 'not_found', details: { bucket: BUCKET } };
    expect(
      await refusalOf(
        openAsOf(
          withStats(deps, () => undefined),
          BUCKET,
          0,
        ),
      ),
    ).toEqual(missing);
    const buckets = Object.assign(Object.create(deps.buckets), { get: async () => undefined });
    expect(await refusalOf(openAsOf({ ...deps, buckets }, BUCKET, 0))).toEqual(missing);
  });

  test('reads again what was of two incarnations', async () => {
    const { deps, bucket } = await openBucket();
    let reads = 0;
    const mixed = withStats(deps, (stats) => (reads++ === 0 ? { ...stats, id: 'old' } : stats));
    expect(await openAsOf(mixed, BUCKET, 0)).toEqual({ bucket, asOf: 0 });
    expect(reads).toBe(2);
  });
});

describe('a read of the log', () => {
  test('counts when nothing was trimmed meanwhile', async () => {
    const { deps, bucket } = await openBucket();
    expect(await whileKept(deps, bucket, 0, async () => 'read')).toBe('read');
    const trimmed = withStats(deps, (stats) => ({ ...stats, oldest: 2 }));
    const late = whileKept(trimmed, bucket, 0, async () => 'read');
    expect(await refusalOf(late)).toMatchObject({ code: 'cursor_expired' });
    expect(await requireKept(trimmed, bucket, 1)).toBeUndefined();
  });

  test('of a bucket that was deleted meanwhile does not count', async () => {
    const { deps, bucket } = await openBucket();
    const missing = { code: 'not_found', details: { bucket: BUCKET } };
    const other = withStats(deps, (stats) => ({ ...stats, id: 'new' }));
    expect(await refusalOf(requireKept(other, bucket, 0))).toEqual(missing);
    const gone = withStats(deps, () => undefined);
    expect(await refusalOf(requireKept(gone, bucket, 0))).toEqual(missing);
  });

  test('that misses an entry is expired, or repeated when the entry is kept', async () => {
    const { deps, bucket } = await openBucket();
    const cause = new EntriesTrimmed(undefined);
    const fail = async () => {
      throw cause;
    };
    const kept = whileKept(deps, bucket, 0, fail);
    await expect(kept).rejects.toMatchObject({ code: 'unavailable', cause });
    const trimmed = withStats(deps, (stats) => ({ ...stats, oldest: 2 }));
    const expired = whileKept(trimmed, bucket, 0, fail);
    expect(await refusalOf(expired)).toMatchObject({ code: 'cursor_expired' });
    const broken = new Error('broken');
    expect(await refusalOf(whileKept(deps, bucket, 0, () => Promise.reject(broken)))).toBe(broken);
  });
});

test('getAsOf returns the record of a key at a cursor, a tombstone included', async () => {
  const { deps } = await openBucket();
  const first = await put(deps, 'a', '1');
  await remove(deps, 'a');
  const third = await put(deps, 'a', '3');
  await publishChanges(deps, BUCKET);
  const read = (asOf: number) => getAsOf(deps, BUCKET, 'a', asOf);
  expect(await read(0)).toBeUndefined();
  expect(await read(1)).toEqual(first);
  expect(await read(2)).toMatchObject({ state: 'deleted', version: 2 });
  expect(await read(3)).toEqual(third);
  expect(await getAsOf(deps, BUCKET, 'none', 3)).toBeUndefined();
  const [stats, entries] = [jest.spyOn(deps.buckets, 'stats'), jest.spyOn(deps.changeLog, 'get')];
  await read(3);
  // The newest record at the newest cursor needs no entry.
  expect([stats.mock.calls.length, entries.mock.calls.length]).toEqual([1, 0]);
});

describe('ObjectsAsOf', () => {
  test('pairs each record with what it was, at most 16 of them at the same time', async () => {
    const { deps, bucket } = await openBucket();
    const keys = Array.from({ length: 40 }, (_, n) => `k${n + 10}`);
    const old = [];
    for (const key of keys) old.push(await put(deps, key, 'old'));
    for (const key of keys) await put(deps, key, 'new');
    await put(deps, 'l', 'x');
    let [reading, most] = [0, 0];
    const changeLog = Object.assign(Object.create(deps.changeLog) as World['changeLog'], {
      get: async (id: string, cursor: number) => {
        reading += 1;
        most = Math.max(most, reading);
        await new Promise(setImmediate);
        reading -= 1;
        return deps.changeLog.get(id, cursor);
      },
    });
    const source = new ObjectsAsOf({ ...deps, changeLog }, 40);
    const { items, more } = await source.pairs(bucket.id, { from: '' }, 1000);
    expect(items.map(({ was }) => was)).toEqual([
      ...old,
      {
        ...{ state: 'deleted', bucket: BUCKET, key: 'l', version: 0, cursor: 0, deletedAt: '' },
        ancestors: [],
      },
    ]);
    expect(items.map(({ now }) => now.key)).toEqual([...keys, 'l']);
    expect([more, most, source.isSpent]).toEqual([false, 16, false]);
    expect(await source.listShown(bucket.id, { from: '' }, 1)).toEqual({
      ...{ items: [old[0]], more: true },
    });
  });

  test('is spent after LIMITS.asOfRecords records that are newer, and reads one at least', async () => {
    const { deps, bucket } = await openBucket();
    const kept = await put(deps, 'a', '1');
    await put(deps, 'a', '2');
    const records = deps.state.objectsOf(bucket.id);
    const { ancestors } = records.get('a') ?? { ancestors: [] };
    const keys = Array.from({ length: LIMITS.asOfRecords + 1 }, (_, n) => `k${1000 + n}`);
    // Neither one that is older nor a first version takes a read.
    records.set('b', liveObject({ key: 'b', cursor: 1, ancestors: [1] }));
    records.set('c', liveObject({ key: 'c', cursor: 2 }));
    for (const key of keys) records.set(key, liveObject({ key, cursor: 2, version: 2, ancestors }));
    const source = new ObjectsAsOf(deps, 1);
    const pages = { all: { from: '' }, rest: { from: keys.at(-2) ?? '' } };
    const first = await source.pairs(bucket.id, pages.all, 2000);
    expect(first.items).toHaveLength(3 + LIMITS.asOfRecords - 1);
    expect([first.items[0]?.was, first.more, source.isSpent]).toEqual([kept, true, true]);
    const second = await source.pairs(bucket.id, pages.rest, 2000);
    expect([second.items.length, second.more]).toEqual([1, true]);
  });
});
