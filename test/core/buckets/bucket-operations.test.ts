/** Creating, deleting and listing buckets: what callers get, and when a deletion is undone. */

import { BucketIds } from '../../../core/buckets/bucket-ids';
import { createBucket, deleteBucket, listBuckets } from '../../../core/buckets/buckets';
import { walkBuckets } from '../../../core/buckets/walk';
import { LIMITS } from '../../../core/limits';
import { publishChanges } from '../../../core/log/publish';
import { prefixRange } from '../../../core/names';
import { liveOf } from '../../../core/store/objects';
import { reportIfCurrent } from '../../../core/objects/missing-blob';
import { stopWhen } from '../../../core/stop-signal';
import type { Buckets, ListedBucket } from '../../../core/store/buckets';
import type { NameRange } from '../../../core/pages';
import { BUCKET, openBucket, put, remove, type World } from '../../support/bucket-world';
import { newIdempotencyRecord, tombstone } from '../../support/samples';

const named = { details: { bucket: BUCKET } };
const ALICE = { actor: 'alice', actorId: 'sub-1', keyId: 'MTivvttCEgQl' };

const replaced = (deps: World, operations: Partial<Buckets>): World => {
  return { ...deps, buckets: Object.assign(Object.create(deps.buckets), operations) };
};

describe('creating a bucket', () => {
  test('returns its record, once for an idempotency key', async () => {
    const { deps } = await openBucket();
    const saved = newIdempotencyRecord({ expiresAt: 9e9 });
    const made: unknown[] = [];
    const create = () =>
      createBucket(deps, 'other', (record) => {
        made.push(record);
        return saved;
      });
    const record = { name: 'other', id: 'b00000000002', cursor: 0, createdAt: deps.clock.iso() };
    expect(await create()).toEqual(record);
    expect(made).toEqual([record]);
    expect(await create()).toBeUndefined();
  });

  test('throws conflict for a name that is taken', async () => {
    const { deps } = await openBucket();
    await expect(createBucket(deps, BUCKET)).rejects.toMatchObject({ code: 'conflict', ...named });
  });
});

describe('deleting a bucket', () => {
  test('returns its last state, which is also that of the saved response', async () => {
    const { deps, bucket } = await openBucket();
    await put(deps, 'a', 'x');
    await remove(deps, 'a');
    const made: unknown[] = [];
    const idempotency = (record: unknown) => {
      made.push(record);
      return newIdempotencyRecord();
    };
    const closingAt = deps.clock.iso();
    const closed = { ...bucket, cursor: 2, closingAt, closingBy: ALICE };
    expect(await deleteBucket(deps, bucket, { by: ALICE, idempotency })).toEqual(closed);
    expect(made).toEqual([closed]);
    expect(deps.state.idempotencyRecords.size).toBe(1);
    const { name, id } = bucket;
    expect(await deps.buckets.deletedBuckets()).toEqual([
      { name, id, cursor: 2, trimmed: 1, deletedAt: closingAt },
    ]);
  });

  test('leaves no audit record when nobody knows who began it', async () => {
    const { deps, bucket } = await openBucket();
    await deleteBucket(deps, bucket);
    expect((await deps.audit.list(10)).records).toEqual([]);
  });

  test('throws not_found for another incarnation', async () => {
    const { deps, bucket } = await openBucket();
    const missing = { code: 'not_found', ...named };
    await expect(deleteBucket(deps, { ...bucket, id: 'old' })).rejects.toMatchObject(missing);
    expect((await put(deps, 'a', 'x')).cursor).toBe(1);
  });

  test('names the bucket that holds objects, wherever they are seen', async () => {
    const { deps, bucket } = await openBucket();
    await put(deps, 'a', 'x');
    const conflict = { code: 'conflict', ...named };
    await expect(deleteBucket(deps, bucket)).rejects.toMatchObject(conflict);
    const records = deps.state.objectsOf(bucket.id);
    for (let n = 100; n < 200; n++) records.set(`${n}`, tombstone({ key: `${n}` }));
    // Seen by the counters, and when these are wrong by the records.
    await expect(deleteBucket(deps, bucket)).rejects.toMatchObject(conflict);
    await publishChanges(deps, BUCKET);
    const stats = deps.state.stats.get(BUCKET);
    if (!stats) throw new Error('no bucket');
    deps.state.stats.set(BUCKET, { ...stats, objectCount: 0 });
    await expect(deleteBucket(deps, bucket)).rejects.toMatchObject(conflict);
    expect((await deps.buckets.get(BUCKET))?.closingAt).toBeUndefined();
  });

  test('asks to be repeated when counters and records disagree, or it was undone', async () => {
    const { deps, bucket } = await openBucket();
    const stats = deps.state.stats.get(BUCKET);
    if (!stats) throw new Error('no bucket');
    deps.state.stats.set(BUCKET, { ...stats, objectCount: -1 });
    await expect(deleteBucket(deps, bucket)).rejects.toMatchObject({ code: 'unavailable' });
    expect((await deps.buckets.get(BUCKET))?.closingAt).toBeUndefined();
    deps.state.stats.set(BUCKET, stats);
    const undone = replaced(deps, { remove: async () => false });
    await expect(deleteBucket(undone, bucket)).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('is not finished by a call whose time ends before all is published', async () => {
    const { deps, bucket } = await openBucket();
    // More than one step of publishing covers.
    for (let n = 0; n <= LIMITS.entriesPerRead / 2; n++) {
      await put(deps, 'a', 'x');
      await remove(deps, 'a');
    }
    const slow = replaced(deps, {
      movePublished: async (...step) => {
        deps.clock.advance(10_000);
        return deps.buckets.movePublished(...step);
      },
    });
    expect(await deleteBucket(slow, bucket)).toBeUndefined();
    expect((await deps.buckets.get(BUCKET))?.closingAt).toBeDefined();
    expect(await deleteBucket(deps, bucket)).toMatchObject({ id: bucket.id });
  });
});

/** Buckets with these names. */
async function openBuckets(...names: readonly string[]) {
  const { deps } = await openBucket();
  for (const name of names) await createBucket(deps, name);
  const queries: [NameRange, number][] = [];
  const buckets = {
    list: async (range: NameRange, limit: number) => {
      queries.push([range, limit]);
      return deps.buckets.list(range, limit);
    },
  };
  return { deps, buckets, queries };
}

const namesOf = (listed: readonly ListedBucket[]) => listed.map(({ record }) => record.name);

describe('a list of buckets', () => {
  test('has as many as fit, and the name of the next one', async () => {
    const { buckets, queries } = await openBuckets('aaa', 'aab', 'zzz');
    const ranges = [prefixRange('a'), prefixRange('z')];
    const first = await listBuckets(buckets, ranges, 2, '');
    expect([namesOf(first.buckets), first.next]).toEqual([['aaa', 'aab'], 'zzz']);
    // One more than fits shows whether there is a next page.
    expect(queries.map(([, limit]) => limit)).toEqual([3, 1]);
    const rest = await listBuckets(buckets, ranges, 2, 'zzz');
    expect([namesOf(rest.buckets), rest.next]).toEqual([['zzz'], undefined]);
    const whole = await listBuckets(buckets, ranges, 3, 'aab');
    expect([namesOf(whole.buckets), whole.next]).toEqual([['aab', 'zzz'], undefined]);
    queries.length = 0;
    await listBuckets(buckets, [prefixRange('')], LIMITS.pageMax, '');
    expect(queries).toEqual([[{ from: '', before: undefined }, 1000]]);
  });

  test('continues within a range whose query ended early', async () => {
    const { deps } = await openBuckets('aaa', 'aab');
    const short = { list: (range: NameRange) => deps.buckets.list(range, 1) };
    const listed = await listBuckets(short, [prefixRange('')], 10, '');
    expect([namesOf(listed.buckets), listed.next]).toEqual([['aaa', 'aab', BUCKET], undefined]);
  });

  test('ends after 50 queries, with the place of the next one', async () => {
    const { buckets, queries } = await openBuckets('zzz');
    const ranges = Array.from({ length: 51 }, (_, n) => prefixRange(`b${n + 10}`));
    expect(await listBuckets(buckets, ranges, 10, '')).toEqual({ buckets: [], next: 'b60' });
    expect(queries).toHaveLength(50);
    expect(await listBuckets(buckets, ranges.slice(1), 10, '')).toEqual({ buckets: [] });
  });
});

test('a walk passes all buckets page by page, until it is stopped', async () => {
  const names = Array.from({ length: 205 }, (_, n) => `b${n + 100}`);
  const { buckets, queries } = await openBuckets(...names);
  const walk = async (signal?: ReturnType<typeof stopWhen>) => {
    const passed: string[] = [];
    for await (const { record } of walkBuckets(buckets, signal)) passed.push(record.name);
    return passed;
  };
  expect(await walk()).toEqual([...names, BUCKET]);
  expect(queries.map(([{ from }, limit]) => [from, limit])).toEqual([
    ...[
      ['', 100],
      [`${names[99]}\0`, 100],
      [`${names[199]}\0`, 100],
    ],
  ]);
  queries.length = 0;
  expect(await walk(stopWhen(() => queries.length === 2))).toEqual(names.slice(0, 200));
});

test('the ids of 10,000 buckets are remembered', async () => {
  let reads = 0;
  const get = async (name: string) => {
    reads += 1;
    return { name, id: `id of ${name}`, cursor: 0, createdAt: '' };
  };
  const ids = new BucketIds({ get });
  for (let n = 0; n < 10_000; n++) await ids.resolve(`b${n}`);
  expect(await ids.resolve('b0')).toEqual({ name: 'b0', id: 'id of b0' });
  expect(reads).toBe(10_000);
  // The next one takes the place of the others.
  await ids.resolve('other');
  await ids.resolve('other');
  expect(reads).toBe(10_001);
  await ids.resolve('b0');
  expect(reads).toBe(10_002);
});

test('a read that finds nothing under the present id is not repeated', async () => {
  const { deps } = await openBucket();
  let reads = 0;
  await deps.bucketIds.runRead(BUCKET, async () => {
    reads += 1;
  });
  expect(reads).toBe(1);
});

test('a bucket that is not there is named', async () => {
  const { deps } = await openBucket();
  await expect(deps.bucketIds.resolve('none')).rejects.toMatchObject({
    ...{ code: 'not_found', details: { bucket: 'none' } },
  });
});

test('the missing blob of an object is reported while the object is current', async () => {
  const { deps } = await openBucket();
  const object = liveOf(await put(deps, 'a', 'x'));
  if (!object) throw new Error('no object');
  await reportIfCurrent(deps, object);
  const { blob } = object;
  expect(deps.log.lines).toEqual([
    { level: 'error', event: 'blob_missing', fields: { bucket: BUCKET, version: 1, blob } },
  ]);
  await put(deps, 'a', 'y');
  await reportIfCurrent(deps, object);
  await remove(deps, 'a');
  await reportIfCurrent(deps, object);
  expect(deps.log.lines).toHaveLength(1);
});
