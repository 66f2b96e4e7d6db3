/** A restore of a few keys in one commit, and what becomes of the bytes that it copies. */
import type { LiveObject } from '../../../core/store/objects';
import type { Difference } from '../../../core/versions/differences';
import { restoreGroup } from '../../../core/versions/restore-group';
import { BUCKET, blobsOf, put, remove, type World } from '../../support/bucket-world';
import { committed, openWith, putOf, replaced } from '../commits/world';

const DESCRIBED = {
  contentType: 'text/css',
  headers: { 'cache-control': 'no-store' },
  metadata: { a: 'b' },
};

/** The objects `a` and `b`, which have been replaced since, and `n`, which is new. */
async function openReplaced() {
  const opened = await openWith();
  const { deps, bucket, recordOf } = opened;
  const expiresAt = '2027-01-01T00:00:00.000Z';
  await committed(deps, [putOf('a', 'old', { ...DESCRIBED, expiresAt }), putOf('b', 'old')]);
  const live = async (key: string): Promise<LiveObject> => {
    const record = await recordOf(key);
    if (record?.state !== 'live') throw new Error('no object');
    return record;
  };
  const old = { a: await live('a'), b: await live('b') };
  deps.clock.advance(60_000);
  for (const key of ['a', 'b', 'n']) await put(deps, key, `${key} new`);
  const group: Difference[] = [
    { key: 'a', now: await recordOf('a'), was: old.a },
    { key: 'b', now: await recordOf('b'), was: old.b },
    { key: 'n', now: await recordOf('n'), was: undefined },
  ];
  const waits: number[] = [];
  const backoff = async (attempt: number) => void waits.push(attempt);
  const run = (world: World = deps, some: readonly Difference[] = group) =>
    restoreGroup({ ...world, backoff }, { bucket, by: 'restorer' }, some);
  const meanwhile = (change: (nth: number) => Promise<unknown>) => {
    let nth = 0;
    return replaced(deps, 'commits', {
      allocate: async (...parameters) => {
        await change(++nth);
        return deps.commits.allocate(...parameters);
      },
    });
  };
  return { ...opened, old, group, waits, run, meanwhile };
}

const once = (change: () => Promise<unknown>) => async (nth: number) =>
  nth === 1 ? change() : undefined;

test('the keys are what they were, in one commit, by who restores', async () => {
  const { deps, bucket, old, run, recordOf, waits } = await openReplaced();
  expect(await run()).toEqual({ restored: 2, deleted: 1, cursors: [6, 7, 8], lost: [] });
  const a = await recordOf('a');
  expect(a).toStrictEqual({
    ...{ ...old.a, version: 3, cursor: 7, updatedAt: deps.clock.iso(), by: 'restorer' },
    createdAt: old.a.createdAt,
    ancestors: [3, 3],
    blob: expect.stringMatching(/^objects\/photos\.b0{10}1\/a\/[0-9A-Z]{26}$/),
  });
  if (a?.state !== 'live') throw new Error('no object');
  expect(a.blob).not.toBe(old.a.blob);
  expect(deps.state.blobs.get(a.blob)).toMatchObject({
    ...{ ...DESCRIBED, bytes: Buffer.from('old') },
  });
  expect(await recordOf('n')).toEqual({
    ...{ state: 'deleted', bucket: BUCKET, key: 'n', version: 2, cursor: 6, ancestors: [5] },
    ...{ deletedAt: deps.clock.iso(), by: 'restorer' },
  });
  const entry = await deps.changeLog.get(bucket.id, 7);
  expect(entry).toMatchObject({ commit: { first: 6, last: 8 } });
  expect(waits).toEqual([]);
});

test('a patch is undone without a copy, and S3 knows as much of the bytes as before', async () => {
  const { deps, old, run, recordOf } = await openReplaced();
  const before = blobsOf(deps).length;
  const current = await recordOf('b');
  if (current?.state !== 'live') throw new Error('no object');
  const patched = (isPatched: boolean): Difference => {
    const was = { ...current, metadata: { c: 'd' }, ...(isPatched && { isPatched }) };
    return { key: 'b', now: current, was };
  };
  expect(await run(deps, [patched(true)])).toMatchObject({ restored: 1 });
  const first = await recordOf('b');
  expect(first).toMatchObject({ metadata: { c: 'd' }, isPatched: true, blob: current.blob });
  expect(await run(deps, [{ ...patched(false), now: first }])).toMatchObject({ restored: 1 });
  expect(await recordOf('b')).not.toHaveProperty('isPatched');
  expect(blobsOf(deps)).toHaveLength(before);
  const copied: Difference = {
    ...{ key: 'b', now: await recordOf('b'), was: { ...old.b, isPatched: true } },
  };
  await run(deps, [copied]);
  expect(await recordOf('b')).not.toHaveProperty('isPatched');
  expect(blobsOf(deps)).toHaveLength(before + 1);
});

test('a key that changes meanwhile is compared again, and nothing is copied twice', async () => {
  const { deps, run, meanwhile, recordOf, waits } = await openReplaced();
  const before = blobsOf(deps).length;
  const raced = meanwhile(once(() => put(deps, 'a', 'theirs')));
  expect(await run(raced)).toMatchObject({ restored: 2, deleted: 1, lost: [] });
  expect(await recordOf('a')).toMatchObject({ state: 'live', size: 3, version: 4 });
  expect(blobsOf(deps)).toHaveLength(before + 1 + 2);
  // Of the commit, before it sees what has changed, and of the restore.
  expect(waits).toEqual([0, 0]);
});

test('a key that is what it was by then is left out', async () => {
  const { deps, run, meanwhile, waits } = await openReplaced();
  const { deps: world } = { deps: meanwhile(once(() => remove(deps, 'n'))) };
  expect(await run(world)).toMatchObject({ restored: 2, deleted: 0 });
  const again = await openReplaced();
  const [, , n] = again.group;
  const none = again.meanwhile(once(() => remove(again.deps, 'n')));
  expect(await again.run(none, n ? [n] : [])).toEqual({
    ...{ restored: 0, deleted: 0, cursors: [], lost: [] },
  });
  expect(waits).toEqual([0, 0]);
});

test('a key that always changes meanwhile is unavailable, and leaves no copies', async () => {
  const { deps, group, run, meanwhile } = await openReplaced();
  const [a] = group;
  const busy = meanwhile(() => put(deps, 'a', 'theirs'));
  await expect(run(busy, a ? [a] : [])).rejects.toMatchObject({ code: 'unavailable' });
  const kept = blobsOf(deps).filter((blob) => blob.includes('/a/'));
  // Two versions from the beginning, and one for each of 20 attempts.
  expect(kept).toHaveLength(22);
});

test('an object whose bytes are gone is named, and the others are restored', async () => {
  const { deps, old, run, recordOf } = await openReplaced();
  deps.state.blobs.delete(old.a.blob);
  expect(await run()).toEqual({ restored: 1, deleted: 1, cursors: [6, 7], lost: ['a'] });
  expect(await recordOf('a')).toMatchObject({ version: 2 });
  const again = await openReplaced();
  again.deps.state.blobs.clear();
  const allocated = jest.spyOn(again.deps.commits, 'allocate');
  expect(await again.run(again.deps, again.group.slice(0, 2))).toEqual({
    ...{ restored: 0, deleted: 0, cursors: [], lost: ['a', 'b'] },
  });
  expect(allocated).not.toHaveBeenCalled();
});

describe('the copies of a restore', () => {
  test('are removed when one of them fails', async () => {
    const { deps, run } = await openReplaced();
    const before = blobsOf(deps);
    const broken = replaced(deps, 'blobs', {
      copy: async (source, blob, content) => {
        if (blob.includes('/b/')) throw new Error('broken');
        return deps.blobs.copy(source, blob, content);
      },
    });
    await expect(run(broken)).rejects.toThrow('broken');
    expect(blobsOf(deps)).toEqual(before);
  });

  test('are removed when the bucket is closing, also if that fails', async () => {
    const { deps, bucket, run } = await openReplaced();
    await deps.buckets.close(bucket, deps.clock.iso());
    const before = blobsOf(deps);
    await expect(run()).rejects.toThrow('closing');
    expect(blobsOf(deps)).toEqual(before);
    const stuck = replaced(deps, 'blobs', {
      remove: async () => {
        throw new Error('broken');
      },
    });
    await expect(run(stuck)).rejects.toThrow('closing');
  });

  test('stay when nobody knows whether the commit happened', async () => {
    const { deps, run } = await openReplaced();
    const before = blobsOf(deps).length;
    const lost = async () => {
      throw new Error('lost');
    };
    await expect(run(replaced(deps, 'commits', { commit: lost }))).rejects.toThrow('lost');
    expect(blobsOf(deps)).toHaveLength(before + 2);
  });
});

test('a restore of deletions removes no blobs when it loses a race', async () => {
  const { deps, group, run, meanwhile } = await openReplaced();
  const raced = meanwhile(once(() => put(deps, 'n', 'theirs')));
  const removed = jest.spyOn(deps.blobs, 'remove');
  expect(await run(raced, group.slice(2))).toMatchObject({ deleted: 1 });
  expect(removed).not.toHaveBeenCalled();
});
