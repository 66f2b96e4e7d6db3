/**
 * Tables that were put back to a moment, or lost, beside an S3 that went on: what a restore makes
 * of them.
 */
import fc from 'fast-check';
import { changesPage } from '../../../../core/channel/page';
import { CursorExpired } from '../../../../core/channel/read-changes';
import type { ChangeEntry } from '../../../../core/log/ports';
import { publishChanges } from '../../../../core/log/publish';
import { maintainLogs } from '../../../../core/maintenance/maintain-logs';
import { reconcile } from '../../../../core/maintenance/reconcile';
import { deleteBucket } from '../../../../core/objects/buckets';
import type { ObjectRecord } from '../../../../core/objects/ports';
import { NEVER_STOP } from '../../../../core/stop-signal';
import {
  BUCKET,
  DAY,
  openBucket,
  put,
  remove,
  storeBlob,
  type World,
} from '../../../support/bucket-world';
import { backUp, EMPTY, putBack, runRestore } from '../../../support/restore-world';

const HOUR = 3_600_000;

/** A bucket with a past, its backup of an hour ago, and what happened since. */
async function setUp(meanwhile: (deps: World, bucketId: string) => Promise<void>) {
  const { deps, bucket } = await openBucket();
  deps.clock.advance(HOUR);
  for (const key of ['kept', 'changed', 'deleted', 'recreated']) await put(deps, key, `${key} 1`);
  await put(deps, 'gone before', '1');
  deps.clock.advance(1000);
  await remove(deps, 'gone before');
  await publishChanges(deps, BUCKET, { fillAllGaps: true });
  deps.clock.advance(HOUR);
  const moment = deps.clock.now();
  const backup = backUp(deps.state);
  deps.clock.advance(HOUR);
  await meanwhile(deps, bucket.id);
  deps.clock.advance(HOUR);
  return { deps, bucket, moment, backup };
}

async function usual(deps: World): Promise<void> {
  await put(deps, 'changed', 'changed 2', { colour: 'red' });
  await put(deps, 'new', 'new 1');
  await remove(deps, 'deleted');
  await remove(deps, 'recreated');
  deps.clock.advance(1000);
  await put(deps, 'recreated', 'recreated 2');
  await publishChanges(deps, BUCKET, { fillAllGaps: true });
}

type Seen = Readonly<Record<string, readonly [etag: string, version: number]>>;

const seen = (deps: World, bucketId: string): Seen =>
  Object.fromEntries(
    [...deps.state.objectsOf(bucketId).values()].flatMap((record) =>
      record.state === 'live' ? [[record.key, [record.etag, record.version] as const]] : [],
    ),
  );

/** The invariants of the protocol, of a log that begins above `to`. */
async function check(deps: World, bucketId: string, to: number): Promise<void> {
  await maintainLogs({ ...deps, retentionSeconds: 1e9 }, NEVER_STOP);
  const record = await deps.buckets.get(BUCKET);
  const cursor = record?.cursor ?? 0;
  const entries = [...deps.state.changesOf(bucketId).values()].sort((a, b) => a.cursor - b.cursor);
  expect(entries.map((entry) => entry.cursor)).toEqual(
    Array.from({ length: cursor - to }, (_, i) => to + 1 + i),
  );
  const last = new Map<string, ObjectRecord>();
  for (const entry of entries.filter((one) => one.type !== 'void') as Exclude<
    ChangeEntry,
    { type: 'void' }
  >[]) {
    const before = last.get(entry.object.key) ?? entry.previous;
    expect(entry.previous).toEqual(before);
    expect(entry.object.version).toBe((before?.version ?? 0) + 1);
    last.set(entry.object.key, entry.object);
  }
  const live = [...deps.state.objectsOf(bucketId).values()].filter((one) => one.state === 'live');
  for (const one of live)
    expect([one.key, deps.state.blobs.has(one.blob)]).toEqual([one.key, true]);
  expect(await deps.buckets.stats(BUCKET)).toMatchObject({
    oldest: to + 1,
    published: cursor,
    objectCount: live.length,
    totalSize: live.reduce((sum, { size }) => sum + size, 0),
  });
}

describe('tables of an earlier moment', () => {
  test('what was written since is recovered; what was deleted since is back', async () => {
    const { deps: before, bucket, moment, backup } = await setUp(usual);
    const after = seen(before, bucket.id);
    const deps = putBack(before, backup);
    const [told] = await runRestore(deps, { moment });
    expect(told).toMatchObject({ made: false, keys: 6, blobs: 8, recovered: 3, lost: 0, live: 5 });
    const now = seen(deps, bucket.id);
    expect(Object.keys(now).sort()).toEqual(['changed', 'deleted', 'kept', 'new', 'recreated']);
    for (const key of ['changed', 'kept', 'new', 'recreated'])
      expect([key, now[key]?.[0]]).toEqual([key, after[key]?.[0]]);
    expect(now.kept).toEqual(after.kept);
    expect(now.changed?.[1]).toBe(2);
    await check(deps, bucket.id, told?.head ?? 0);
  });

  test('with dropNewer what was written since stays out, and is removed as an orphan later', async () => {
    const { deps: before, bucket, moment, backup } = await setUp(usual);
    const deps = putBack(before, backup);
    const [told] = await runRestore(deps, { moment, dropNewer: true });
    expect(told).toMatchObject({ recovered: 0, live: 4 });
    expect(Object.keys(seen(deps, bucket.id))).toEqual(['kept', 'changed', 'deleted', 'recreated']);
    await check(deps, bucket.id, told?.head ?? 0);
    deps.clock.advance(3 * DAY);
    await reconcile(deps, NEVER_STOP);
    await check(deps, bucket.id, told?.head ?? 0);
    expect(deps.state.blobs.size).toBe(4);
  });

  test('every follower is told to start over, wherever it is', async () => {
    const { deps: before, bucket, moment, backup } = await setUp(usual);
    const last = (await before.buckets.get(BUCKET))?.cursor ?? 0;
    const deps = putBack(before, backup);
    await runRestore(deps, { moment });
    for (const cursor of [0, 1, last, last + 1, deps.clock.now() - 1]) {
      for (const bucketId of [undefined, bucket.id]) {
        const page = changesPage(deps, {
          bucket: BUCKET,
          bucketId,
          cursor,
          limit: 100,
          wait: 0,
          prefix: '',
        });
        await expect(page).rejects.toBeInstanceOf(CursorExpired);
      }
    }
  });

  test('a record whose bytes are gone is deleted and named', async () => {
    const { deps: before, bucket, moment, backup } = await setUp(async () => undefined);
    const deps = putBack(before, backup);
    const record = deps.state.objectsOf(bucket.id).get('kept');
    deps.state.blobs.delete(record?.state === 'live' ? record.blob : '');
    const [told] = await runRestore(deps, { moment });
    expect(told).toMatchObject({ lost: 1, live: 3 });
    expect(deps.state.objectsOf(bucket.id).get('kept')).toMatchObject({
      state: 'deleted',
      version: 2,
    });
    expect(deps.log.lines.map(({ event, fields }) => [event, fields.key])).toEqual([
      ['bytes_lost', 'kept'],
    ]);
    await check(deps, bucket.id, told?.head ?? 0);
  });

  test('a write that was on its way at that moment is recovered, one deleted just before is not', async () => {
    const { deps: before, bucket } = await openBucket();
    await put(before, 'deleted', 'x');
    before.clock.advance(500);
    await remove(before, 'deleted');
    const backup = backUp(before.state);
    // Its blob was there before the moment, its commit came after.
    await storeBlob(before, `objects/${BUCKET}.${bucket.id}/late/${before.ids.ulid()}`);
    before.clock.advance(10_000);
    const moment = before.clock.now();
    const deps = putBack(before, backup);
    await runRestore(deps, { moment });
    expect(Object.keys(seen(deps, bucket.id))).toEqual(['late']);
  });

  test('uploads that were pending are settled: the newest committed, those before it given up', async () => {
    const { deps: before, bucket } = await openBucket();
    const mint = async () => {
      const id = before.ids.ulid();
      const blob = `uploads/${BUCKET}.${bucket.id}/a/${id}`;
      const expiresAt = new Date(before.clock.now() + HOUR).toISOString();
      const row = { id, bucket: BUCKET, bucketId: bucket.id, key: 'a', blob, expiresAt, ttl: 9e9 };
      await before.uploads.create({ ...row, state: 'pending' });
      return { id, blob };
    };
    const [first, second] = [await mint(), await mint()];
    const backup = backUp(before.state);
    const moment = before.clock.now();
    before.clock.advance(5_000);
    await storeBlob(before, first.blob, 'first');
    before.clock.advance(5_000);
    await storeBlob(before, second.blob, 'second');
    const deps = putBack(before, backup);
    await runRestore(deps, { moment });
    const states = [first, second].map(({ id }) => deps.state.uploads.get(id)?.state);
    expect(states).toEqual(['refused', 'committed']);
    expect(deps.state.objectsOf(bucket.id).get('a')).toMatchObject({
      blob: second.blob,
      version: 1,
    });
  });

  test('a bucket made since is made again; one deleted since is back; one that was buried stays so', async () => {
    const { deps: before, bucket, moment, backup } = await setUp(async () => undefined);
    const moved = await before.buckets.get(BUCKET);
    for (const key of ['kept', 'changed', 'deleted', 'recreated']) await remove(before, key);
    await publishChanges(before, BUCKET, { fillAllGaps: true });
    if (moved) await deleteBucket(before, moved);
    await storeBlob(before, `objects/later.NEWBUCKETID1/a/${before.ids.ulid()}`);
    const deps = putBack(before, backup);
    deps.state.deletedBuckets.set('DEADBUCKETID', {
      name: 'dead',
      id: 'DEADBUCKETID',
      cursor: 1,
      trimmed: 1,
      deletedAt: deps.clock.iso(),
    });
    await storeBlob(deps, `objects/dead.DEADBUCKETID/a/${deps.ids.ulid()}`);
    const told = await runRestore(deps, { moment });
    expect(told.map(({ bucket: name, made, live }) => [name, made, live])).toEqual([
      [BUCKET, false, 4],
      ['later', true, 1],
    ]);
    expect((await deps.buckets.get('later'))?.id).toBe('NEWBUCKETID1');
    expect(seen(deps, bucket.id)).toHaveProperty('kept');
  });

  test('a newer life of a bucket that the tables know is reported, and left alone', async () => {
    const { deps: before, bucket, moment, backup } = await setUp(async () => undefined);
    await storeBlob(before, `objects/${BUCKET}.NEWBUCKETID1/a/${before.ids.ulid()}`);
    const deps = putBack(before, backup);
    expect(await runRestore(deps, { moment })).toHaveLength(1);
    expect((await deps.buckets.get(BUCKET))?.id).toBe(bucket.id);
    expect(deps.log.lines.map(({ event }) => event)).toEqual(['newer_incarnation']);
  });
});

describe('tables that are lost', () => {
  test('every key is live with its newest content; deleted ones are back as long as their bytes are', async () => {
    const { deps: before, bucket } = await setUp(usual);
    const objects = new Map(before.state.objectsOf(bucket.id));
    const deps = putBack(before, EMPTY);
    const [told] = await runRestore(deps, {});
    expect(told).toMatchObject({
      bucket: BUCKET,
      id: bucket.id,
      made: true,
      recovered: 6,
      live: 6,
    });
    for (const [key, was] of objects) {
      const is = deps.state.objectsOf(bucket.id).get(key);
      expect(is).toMatchObject({ state: 'live', version: 1 });
      if (was.state !== 'live' || is?.state !== 'live') continue;
      const { version, cursor, ancestors, createdAt, updatedAt, ...whole } = was;
      expect(is).toMatchObject(whole);
      expect(is.updatedAt).toBe(updatedAt);
    }
    await check(deps, bucket.id, told?.head ?? 0);
  });

  test('of several lives the one that was written to last comes back', async () => {
    const { deps: before, bucket } = await openBucket();
    await storeBlob(before, `objects/${BUCKET}.OLDBUCKETID1/a/${before.ids.ulid()}`);
    before.clock.advance(HOUR);
    await put(before, 'a', 'x');
    before.clock.advance(HOUR);
    await storeBlob(before, `objects/${BUCKET}.MIDBUCKETID1/a/${before.ids.ulid()}`);
    const deps = putBack(before, EMPTY);
    const told = await runRestore(deps, {});
    expect(told.map(({ id }) => id)).toEqual(['MIDBUCKETID1']);
    expect(told[0]?.id).not.toBe(bucket.id);
  });

  test('the janitor removes nothing before they are restored', async () => {
    const { deps: before, bucket } = await setUp(usual);
    const blobs = [...before.state.blobs.keys()];
    before.clock.advance(5 * DAY);
    const lost = putBack(before, EMPTY);
    await reconcile(lost, NEVER_STOP);
    expect([...lost.state.blobs.keys()]).toEqual(blobs);
    // Only the records are lost: the bucket counts objects and has none.
    const { record, stats } = { record: bucket, stats: { objectCount: 5 } };
    lost.state.buckets.set(BUCKET, record);
    lost.state.stats.set(BUCKET, {
      id: bucket.id,
      oldest: 1,
      trimmed: 1,
      published: 0,
      totalSize: 1,
      ...stats,
    });
    await lost.serviceState.save('reconcile', '');
    await reconcile(lost, NEVER_STOP);
    expect([...lost.state.blobs.keys()]).toEqual(blobs);
    expect(new Set(lost.log.lines.map(({ event }) => event))).toContain('records_missing');
  });

  test.each([
    ['in rounds to come', 0],
    ['when something is written meanwhile', 3],
  ])('the janitor does not count the bucket to nothing, %s', async (_name, writes) => {
    const { deps, bucket } = await openBucket();
    for (let n = 0; n < 30; n++) await put(deps, `key ${n}`, `${n}`);
    await publishChanges(deps, BUCKET, { fillAllGaps: true });
    const blobs = [...deps.state.blobs.keys()];
    deps.state.objectsOf(bucket.id).clear();
    for (let n = 0; n < writes; n++) await put(deps, `new ${n}`, 'new');
    for (let round = 0; round < 3; round++) {
      deps.clock.advance(2 * DAY);
      await deps.serviceState.save('reconcile', '');
      await reconcile(deps, NEVER_STOP);
    }
    expect([...deps.state.blobs.keys()]).toEqual(expect.arrayContaining(blobs));
    expect(deps.log.lines.map(({ event }) => event)).toContain('records_missing');
    await runRestore(deps, {});
    expect(Object.keys(seen(deps, bucket.id))).toHaveLength(30 + writes);
  });
});

describe('a restore', () => {
  test('without apply changes nothing, and tells what it would do', async () => {
    const { deps: before, moment, backup } = await setUp(usual);
    for (const [tables, options, expected] of [
      [backup, { moment }, { made: false, recovered: 3 }],
      [EMPTY, {}, { made: true, recovered: 6 }],
    ] as const) {
      const deps = putBack(before, tables);
      const [told] = await runRestore(deps, { ...options, apply: false });
      expect(told).toMatchObject({ head: 0, droppedEntries: 0, ...expected });
      expect(backUp(deps.state)).toEqual(tables);
    }
  });

  test('run again does nothing more, also after the service went on', async () => {
    const { deps: before, bucket, moment, backup } = await setUp(usual);
    const deps = putBack(before, backup);
    const [first] = await runRestore(deps, { moment });
    const after = backUp(deps.state);
    deps.clock.advance(HOUR);
    const [again] = await runRestore(deps, { moment });
    expect(again).toMatchObject({ head: first?.head, recovered: 0, lost: 0, droppedEntries: 0 });
    expect({ ...backUp(deps.state), service: after.service }).toEqual(after);
    await put(deps, 'changed', 'changed 3');
    await remove(deps, 'new');
    const went = seen(deps, bucket.id);
    expect((await runRestore(deps, { moment }))[0]).toMatchObject({ recovered: 0 });
    expect(seen(deps, bucket.id)).toEqual(went);
    await check(deps, bucket.id, first?.head ?? 0);
  });

  test.each([
    ['an earlier moment', false],
    ['nothing', true],
  ])('from %s may be cut off at any step and run again', async (_name, lost) => {
    const { deps: before, bucket, moment, backup } = await setUp(usual);
    const tables = lost ? EMPTY : backup;
    const options = lost ? {} : { moment };
    const whole = putBack(before, tables);
    let steps = 0;
    await runRestore(whole, options, () => {
      steps += 1;
    });
    const expected = seen(whole, bucket.id);
    expect(steps).toBeGreaterThan(50);
    for (let cut = 1; cut <= steps; cut++) {
      const deps = putBack(before, tables);
      let step = 0;
      const killed = runRestore(deps, options, () => {
        step += 1;
        if (step >= cut) throw new Error('killed');
      });
      await expect(killed).rejects.toThrow('killed');
      deps.clock.advance(60_000);
      const [told] = await runRestore(deps, options);
      expect([cut, seen(deps, bucket.id)]).toEqual([cut, expected]);
      await check(deps, bucket.id, told?.head ?? 0);
    }
  });

  test('whatever happened before and since: each key that was written since has what it had', async () => {
    const key = fc.constantFrom('a', 'a/b', 'c');
    const act = fc.record({
      key,
      text: fc.option(fc.string({ minLength: 1 })),
      wait: fc.nat(90_000),
    });
    const acts = fc.array(act, { maxLength: 12 });
    const doAll = async (
      deps: World,
      todo: typeof act extends fc.Arbitrary<infer A> ? A[] : never,
    ) => {
      const written = new Set<string>();
      for (const { key: name, text, wait } of todo) {
        deps.clock.advance(wait + 1000);
        if (text === null) await remove(deps, name).catch(() => undefined);
        else await put(deps, name, text);
        if (text !== null) written.add(name);
        else written.delete(name);
      }
      return written;
    };
    await fc.assert(
      fc.asyncProperty(acts, acts, async (first, second) => {
        const { deps: before, bucket } = await openBucket();
        await doAll(before, first);
        await publishChanges(before, BUCKET, { fillAllGaps: true });
        const moment = before.clock.now();
        const backup = backUp(before.state);
        const written = await doAll(before, second);
        const after = seen(before, bucket.id);
        const deps = putBack(before, backup);
        const [told] = await runRestore(deps, { moment });
        const now = seen(deps, bucket.id);
        for (const name of written)
          expect([name, now[name]?.[0]]).toEqual([name, after[name]?.[0]]);
        await check(deps, bucket.id, told?.head ?? 0);
      }),
      { numRuns: 60 },
    );
  });
});
