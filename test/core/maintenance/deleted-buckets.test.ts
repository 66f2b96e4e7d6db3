/** What the janitor does with buckets that are being deleted, and with deleted ones. */

import { createBucket, deleteBucket } from '../../../core/buckets/buckets';
import { LIMITS } from '../../../core/limits';
import { maintainLogs } from '../../../core/maintenance/maintain-logs';
import { NEVER_STOP, stopWhen } from '../../../core/stop-signal';
import { BUCKET, DAY, openBucket, put, remove, type World } from '../../support/bucket-world';
import { createFakes } from '../../support/fakes/fakes';

const MINUTE = 60_000;

describe('a deletion that was interrupted', () => {
  async function openClosing() {
    const { deps, bucket } = await openBucket();
    await deps.buckets.close(bucket, deps.clock.iso());
    return { deps, bucket };
  }

  test.each([
    [MINUTE - 1, true],
    [MINUTE, false],
  ])('is after %j ms still left alone: %j', async (age, isLeft) => {
    const { deps, bucket } = await openClosing();
    deps.clock.advance(age);
    await maintainLogs(deps, NEVER_STOP);
    expect((await deps.buckets.get(BUCKET)) !== undefined).toBe(isLeft);
    const finished = { level: 'info', event: 'deletion_finished', fields: { bucket: BUCKET } };
    expect(deps.log.lines).toEqual(isLeft ? [] : [finished]);
    expect((await deps.buckets.deletedBuckets()).map(({ id }) => id)).toEqual(
      isLeft ? [] : [bucket.id],
    );
  });

  test('is undone when the bucket holds an object', async () => {
    const { deps, bucket } = await openBucket();
    await put(deps, 'a', 'x');
    await deps.buckets.close(bucket, deps.clock.iso());
    deps.clock.advance(MINUTE);
    await maintainLogs(deps, NEVER_STOP);
    expect(deps.log.lines).toEqual([
      {
        ...{ level: 'info', event: 'deletion_undone' },
        fields: { bucket: BUCKET, code: 'conflict' },
      },
    ]);
  });

  test('continues in the next run when the history is too long for one', async () => {
    const { deps, bucket } = await openBucket();
    await put(deps, 'a', 'x');
    await remove(deps, 'a');
    await deps.buckets.close(bucket, deps.clock.iso());
    deps.clock.advance(MINUTE);
    const list = deps.objects.list.bind(deps.objects);
    const objects = Object.assign(Object.create(deps.objects) as typeof deps.objects, {
      list: async (id: string, range: Parameters<typeof list>[1], limit: number) => {
        deps.clock.advance(11_000);
        return { ...(await list(id, range, limit)), more: true };
      },
    });
    await maintainLogs({ ...deps, objects }, NEVER_STOP);
    expect(deps.log.lines.map(({ event }) => event)).toEqual(['deletion_continues']);
    expect((await deps.buckets.get(BUCKET))?.closingAt).toBeDefined();
  });

  test('fails with the error of a table, which names the bucket', async () => {
    const { deps } = await openClosing();
    deps.clock.advance(MINUTE);
    const error = new Error('throttled');
    const fakes = createFakes({
      ...deps,
      yieldPoint: ({ port, operation }) => {
        if (port === 'objects' && operation === 'list') throw error;
      },
    });
    const run = maintainLogs({ ...deps, ...fakes, log: deps.log }, NEVER_STOP);
    await expect(run).rejects.toThrow(`failed for ${BUCKET}`);
    expect(deps.log.lines).toEqual([
      { level: 'error', event: 'bucket_failed', fields: { bucket: BUCKET, error } },
    ]);
  });

  test('is not begun by a run whose time is over', async () => {
    const { deps } = await openClosing();
    deps.clock.advance(MINUTE);
    const { consumers } = deps;
    let isOver = false;
    const all = async () => {
      isOver = true;
      return consumers.all();
    };
    const slow = Object.assign(Object.create(consumers) as typeof consumers, { all });
    await maintainLogs(
      { ...deps, consumers: slow },
      stopWhen(() => isOver),
    );
    expect((await deps.buckets.get(BUCKET))?.closingAt).toBeDefined();
    expect(deps.log.lines).toEqual([]);
  });
});

describe('a deleted bucket', () => {
  /** A deleted bucket with a log of so many entries, which are not published or trimmed. */
  async function openDeleted(entries: number) {
    const { deps, bucket } = await openBucket();
    await deps.commits.allocate(bucket, entries);
    const consumer = { bucketId: bucket.id, name: 'indexer', prefix: '', cursor: 0 };
    await deps.consumers.put({ ...consumer, updatedAt: deps.clock.iso() }, undefined);
    deps.clock.advance(MINUTE);
    await deleteBucket(deps, bucket);
    const left = () => deps.state.changesOf(bucket.id).size;
    const isKnown = async () => (await deps.buckets.deletedBuckets()).length > 0;
    return { deps, bucket, left, isKnown };
  }

  const RETENTION = 7 * DAY;

  test.each([
    [RETENTION - 1, 3],
    [RETENTION, 0],
  ])('has after %j ms %j entries left', async (age, entries) => {
    const { deps, left, isKnown } = await openDeleted(3);
    deps.clock.advance(age);
    await maintainLogs(deps, NEVER_STOP);
    expect(left()).toBe(entries);
    expect(await isKnown()).toBe(entries > 0);
  });

  test('is known for three days, in which the reconciler may find its last blob', async () => {
    const { deps, isKnown, left } = await openDeleted(3);
    const brief = { ...deps, retentionSeconds: 60 };
    deps.clock.advance(3 * LIMITS.orphanSeconds * 1000 - 1);
    await maintainLogs(brief, NEVER_STOP);
    expect({ left: left(), isKnown: await isKnown() }).toEqual({ left: 0, isKnown: true });
    expect(await deps.consumers.all()).toHaveLength(1);
    deps.clock.advance(1);
    await maintainLogs(brief, NEVER_STOP);
    expect(await isKnown()).toBe(false);
    expect(await deps.consumers.all()).toEqual([]);
  });

  test('loses its log in steps of 500 entries, and the next run continues', async () => {
    const { deps, bucket, left, isKnown } = await openDeleted(1200);
    deps.clock.advance(RETENTION);
    const ranges: unknown[] = [];
    const watched = (world: World): World => {
      const { changeLog } = world;
      const read = (id: string, after: number, to: number) => {
        ranges.push([id, after, to]);
        return changeLog.read(id, after, to);
      };
      const watching = { read };
      return { ...world, changeLog: Object.assign(Object.create(changeLog), watching) };
    };
    await maintainLogs(
      watched(deps),
      stopWhen(() => left() === 700),
    );
    expect({ left: left(), isKnown: await isKnown() }).toEqual({ left: 700, isKnown: true });
    await maintainLogs(watched(deps), NEVER_STOP);
    expect(ranges).toEqual(
      [
        [0, 500],
        [500, 1000],
        [1000, 1200],
      ].map((range) => [bucket.id, ...range]),
    );
    expect(await isKnown()).toBe(false);
  });

  test('is looked at from its first entry that is not trimmed', async () => {
    const { deps, bucket } = await openDeleted(3);
    const stored = deps.state.deletedBuckets.get(bucket.id);
    if (!stored) throw new Error('no bucket');
    deps.state.deletedBuckets.set(bucket.id, { ...stored, trimmed: 3 });
    deps.clock.advance(RETENTION);
    await maintainLogs(deps, NEVER_STOP);
    // No bucket has such a log; it shows what was read.
    expect([...deps.state.changesOf(bucket.id).keys()]).toEqual([1, 2]);
  });

  test('keeps its log in a run whose time is over', async () => {
    const { deps, left } = await openDeleted(3);
    await createBucket(deps, BUCKET);
    deps.clock.advance(RETENTION);
    let asked = 0;
    // Aborts with the last look before the deleted buckets.
    const loads: string[] = [];
    const { serviceState } = deps;
    const load = (name: string) => {
      loads.push(name);
      return serviceState.load(name);
    };
    const watching = Object.assign(Object.create(serviceState) as typeof serviceState, { load });
    const signal = stopWhen(() => loads.length > 0 && ++asked > 0);
    await maintainLogs({ ...deps, serviceState: watching }, signal);
    expect(loads).toEqual(['trimmed-bucket']);
    expect(left()).toBe(3);
  });
});
