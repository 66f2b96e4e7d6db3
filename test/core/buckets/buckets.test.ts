import { createBucket, deleteBucket, listBuckets } from '../../../core/buckets/buckets';
import type { Commits } from '../../../core/log/ports';
import { publishChanges } from '../../../core/log/publish';
import { maintainLogs } from '../../../core/maintenance/maintain-logs';
import { prefixRange } from '../../../core/names';
import { NEVER_STOP } from '../../../core/stop-signal';
import {
  BUCKET,
  blobsOf,
  DAY,
  openBucket,
  put,
  remove,
  type World,
} from '../../support/bucket-world';
import { createFakes } from '../../support/fakes/fakes';
import { tombstone } from '../../support/samples';

const ALICE = { actor: 'alice', actorId: 'sub-1', keyId: 'MTivvttCEgQl' };

describe('deleting a bucket', () => {
  test('is recorded with who did it, the id of the bucket, and the time', async () => {
    const { deps, bucket } = await openBucket();
    await deleteBucket(deps, bucket, { by: ALICE });
    const { records } = await deps.audit.list(10);
    expect(records).toEqual([
      {
        ...ALICE,
        id: expect.any(String),
        at: deps.clock.iso(),
        action: 'delete_bucket',
        details: { bucket: BUCKET, bucket_id: bucket.id },
      },
    ]);
  });

  test('throws conflict while the bucket holds objects, and leaves it writable', async () => {
    const { deps, bucket } = await openBucket();
    await put(deps, 'a', 'one');
    await expect(deleteBucket(deps, bucket)).rejects.toMatchObject({ code: 'conflict' });
    expect((await put(deps, 'b', 'two')).cursor).toBe(2);
  });

  test('stops a writer that has its cursor but no entry yet', async () => {
    const { deps, bucket } = await openBucket();
    const commits: Commits = {
      allocate: (ref) => deps.commits.allocate(ref),
      commit: async (change) => {
        await deleteBucket(deps, bucket);
        return deps.commits.commit(change);
      },
    };
    await expect(put({ ...deps, commits }, 'a', 'late')).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await deps.buckets.get(BUCKET)).toBeUndefined();
    expect(deps.state.objectsOf(bucket.id).size).toBe(0);
    expect(blobsOf(deps)).toEqual([]);
  });

  test('throws not_found when another request has deleted and recreated the bucket', async () => {
    const { deps, bucket } = await openBucket();
    await put(deps, 'a', 'one');
    await remove(deps, 'a');
    let closed = false;
    const fakes = createFakes({
      ...deps,
      yieldPoint: async ({ operation, when }) => {
        if (closed || operation !== 'close' || when !== 'after') return;
        closed = true;
        await deleteBucket(deps, bucket);
        await createBucket(deps, BUCKET);
      },
    });
    await expect(deleteBucket({ ...deps, ...fakes }, bucket)).rejects.toMatchObject({
      code: 'not_found',
    });
    expect((await put(deps, 'a', 'new incarnation')).cursor).toBe(1);
  });

  test('makes a recreated bucket independent of the old one', async () => {
    const { deps, bucket } = await openBucket();
    await put(deps, 'a', 'one');
    await remove(deps, 'a');
    await deleteBucket(deps, bucket);
    const again = await createBucket(deps, BUCKET);
    expect(again?.id).not.toBe(bucket.id);
    expect(await put(deps, 'a', 'two')).toMatchObject({ version: 1, cursor: 1 });
  });

  test('is finished or undone by the janitor when it is interrupted at any point', async () => {
    for (const holds of [false, true]) {
      for (let cut = 1; ; cut++) {
        const { deps, bucket } = await openBucket();
        await put(deps, 'a', 'one');
        if (!holds) await remove(deps, 'a');
        let operations = 0;
        const dying = createFakes({
          ...deps,
          yieldPoint: () => {
            operations += 1;
            if (operations >= cut) throw new Error('cut off');
          },
        });
        const dead = deleteBucket({ ...deps, ...dying }, bucket, { by: ALICE });
        const error = await dead.catch((e: Error) => e);
        deps.clock.advance(61_000);
        await maintainLogs(deps, NEVER_STOP);
        const left = await deps.buckets.get(BUCKET);
        expect(left?.closingAt).toBeUndefined();
        if (holds) expect((await put(deps, 'b', 'two')).version).toBe(1);
        const { records } = await deps.audit.list(10);
        expect(records).toMatchObject(left ? [] : [{ ...ALICE, action: 'delete_bucket' }]);
        if (!(error instanceof Error && error.message === 'cut off')) break;
      }
    }
  });

  describe('whose history is too long for one call', () => {
    const TOMBSTONES = 2500;
    const name = (n: number) => `k${String(n).padStart(4, '0')}`;

    /** A bucket of three pages of tombstones. Reading one takes as long as a call may. */
    async function openLongBucket() {
      const { deps, bucket } = await openBucket();
      for (let n = 0; n < TOMBSTONES; n++) {
        const key = name(n);
        deps.state.objectsOf(bucket.id).set(key, tombstone({ bucket: BUCKET, key }));
      }
      const read: string[] = [];
      const { list } = deps.objects;
      const objects = Object.assign(Object.create(deps.objects), {
        list: async (...[id, range, limit]: Parameters<typeof list>) => {
          if (limit === 1000) {
            read.push(range.from);
            deps.clock.advance(10_000);
          }
          return deps.objects.list(id, range, limit);
        },
      });
      const slow: World = { ...deps, objects };
      return { slow, bucket, read };
    }

    test('continues where the last call stopped', async () => {
      const { slow, bucket, read } = await openLongBucket();
      expect(await deleteBucket(slow, bucket)).toBeUndefined();
      expect((await slow.buckets.get(BUCKET))?.closingAt).toBeDefined();
      expect(await deleteBucket(slow, bucket)).toBeUndefined();
      expect(await deleteBucket(slow, bucket)).toMatchObject({ id: bucket.id });
      expect(read).toEqual(['', `${name(999)}\0`, `${name(1999)}\0`]);
      expect(await slow.buckets.get(BUCKET)).toBeUndefined();
    });

    test('begins again when the bucket was written to since', async () => {
      const { slow, bucket } = await openLongBucket();
      expect(await deleteBucket(slow, bucket)).toBeUndefined();
      await slow.buckets.reopen(bucket);
      await put(slow, `${name(500)}x`, 'late');
      // The counters are wrong, so that the records alone show the object.
      await publishChanges(slow, BUCKET);
      const stats = slow.state.stats.get(BUCKET);
      if (stats) slow.state.stats.set(BUCKET, { ...stats, objectCount: 0 });
      await expect(deleteBucket(slow, bucket)).rejects.toMatchObject({ code: 'conflict' });
      expect((await slow.buckets.get(BUCKET))?.closingAt).toBeUndefined();
    });

    test.each([false, true])(
      'is finished or undone by the janitor wherever a call ends, when it holds an object: %s',
      async (holds) => {
        for (let cut = 1; ; cut++) {
          const { slow, bucket } = await openLongBucket();
          if (holds) await put(slow, `${name(2000)}x`, 'kept');
          let operations = 0;
          const yieldPoint = () => {
            operations += 1;
            if (operations >= cut) throw new Error('cut off');
          };
          const { buckets, changeLog, serviceState } = createFakes({ ...slow, yieldPoint });
          const dying = { ...slow, buckets, changeLog, serviceState };
          const error = await deleteBucket(dying, bucket).catch((e: Error) => e);
          for (let run = 0; run < 4; run++) {
            slow.clock.advance(61_000);
            await maintainLogs(slow, NEVER_STOP);
          }
          const left = await slow.buckets.get(BUCKET);
          expect([left !== undefined, left?.closingAt]).toEqual([
            // Cut off before the bucket was closed, the deletion never began.
            holds || cut === 1,
            undefined,
          ]);
          if (!(error instanceof Error && error.message === 'cut off')) break;
        }
      },
    );
  });

  test('leaves history and consumers that the janitor removes after the retention', async () => {
    const { deps, bucket } = await openBucket();
    await put(deps, 'a', 'one');
    await remove(deps, 'a');
    const consumer = { bucketId: bucket.id, name: 'indexer', prefix: '', cursor: 1 };
    await deps.consumers.put({ ...consumer, updatedAt: deps.clock.iso() }, undefined);
    await deleteBucket(deps, bucket);
    await maintainLogs(deps, NEVER_STOP);
    expect(blobsOf(deps)).toHaveLength(1);
    deps.clock.advance(8 * DAY);
    await maintainLogs(deps, NEVER_STOP);
    expect(blobsOf(deps)).toEqual([]);
    expect(deps.state.changesOf(bucket.id).size).toBe(0);
    expect(deps.state.objectsOf(bucket.id).size).toBe(0);
    expect(await deps.buckets.deletedBuckets()).toEqual([]);
    expect(await deps.consumers.all()).toEqual([]);
  });
});

test('listBuckets returns the buckets of the ranges page by page in name order', async () => {
  const { deps } = await openBucket();
  for (const name of ['team-a', 'team-b', 'zoo', 'alpha']) await createBucket(deps, name);
  const ranges = [prefixRange('photos'), prefixRange('team-')];
  const names: string[] = [];
  let from: string | undefined = '';
  while (from !== undefined) {
    const page: Awaited<ReturnType<typeof listBuckets>> = await listBuckets(
      deps.buckets,
      ranges,
      1,
      from,
    );
    names.push(...page.buckets.map(({ record }) => record.name));
    from = page.next;
  }
  expect(names).toEqual(['photos', 'team-a', 'team-b']);
});
