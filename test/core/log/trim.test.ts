import { commitChange, type KeyIntent } from '../../../core/log/commit';
import { findVersion } from '../../../core/log/history';
import { publishChanges } from '../../../core/log/publish';
import { trimBucket } from '../../../core/log/trim';
import {
  BUCKET,
  blobsOf,
  DAY,
  openBucket,
  put,
  remove,
  type World,
} from '../../support/bucket-world';
import { commitPuts, keysNamed } from '../../support/commits';
import { createFakes } from '../../support/fakes/fakes';

/** Trims with the current statistics, as fanout does. */
async function trim(deps: World, bucket: { readonly name: string; readonly id: string }) {
  const stats = await deps.buckets.stats(BUCKET);
  if (!stats) throw new Error('no stats');
  return trimBucket(deps, bucket, stats, { entries: 1000 });
}

/** A bucket with that many no-op entries, published and expired. */
async function openEmptyLog(entries: number) {
  const { deps, bucket } = await openBucket();
  const at = deps.clock.iso();
  for (let cursor = 1; cursor <= entries; cursor++) {
    await deps.commits.allocate(bucket);
    await deps.changeLog.fill(bucket.id, { type: 'noop', bucket: BUCKET, cursor, at });
  }
  await publishChanges(deps, BUCKET);
  deps.clock.advance(8 * DAY);
  return { deps, bucket };
}

describe('trimming', () => {
  test('keeps entries younger than the retention, and the versions that they superseded', async () => {
    const { deps, bucket } = await openBucket();
    const first = await put(deps, 'a', 'one');
    deps.clock.advance(6 * DAY);
    const second = await put(deps, 'a', 'two');
    await publishChanges(deps, BUCKET);
    deps.clock.advance(2 * DAY);
    expect(await trim(deps, bucket)).toBe(1);
    expect(await deps.buckets.stats(BUCKET)).toMatchObject({ oldest: 2, trimmed: 2 });
    expect(await findVersion(deps.changeLog, bucket.id, second, 1)).toEqual(first);
    expect(blobsOf(deps)).toHaveLength(2);
  });

  test('removes the superseded blob and the tombstone with the entry', async () => {
    const { deps, bucket } = await openBucket();
    await put(deps, 'a', 'one');
    await put(deps, 'a', 'two');
    await put(deps, 'b', 'gone');
    await remove(deps, 'b');
    await publishChanges(deps, BUCKET);
    deps.clock.advance(8 * DAY);
    expect(await trim(deps, bucket)).toBe(4);
    expect(blobsOf(deps)).toHaveLength(1);
    expect(await deps.objects.get(bucket.id, 'b')).toBeUndefined();
    expect((await deps.objects.get(bucket.id, 'a'))?.version).toBe(2);
    expect(await deps.buckets.stats(BUCKET)).toMatchObject({ oldest: 5, trimmed: 5 });
  });

  test('never moves `oldest` into a commit', async () => {
    const { deps, bucket } = await openBucket();
    for (let n = 0; n < 490; n++) await put(deps, `k${n}`, 'x');
    await commitPuts(deps, bucket, keysNamed('c', 32));
    await publishChanges(deps, BUCKET);
    deps.clock.advance(8 * DAY);
    const seen: number[] = [];
    const raiseOldest: World['buckets']['raiseOldest'] = async (ref, oldest) => {
      seen.push(oldest);
      await deps.buckets.raiseOldest(ref, oldest);
    };
    const buckets = Object.assign(Object.create(deps.buckets), { raiseOldest });

    expect(await trim({ ...deps, buckets }, bucket)).toBe(522);

    expect(seen).toEqual([491, 523]);
  });

  test('keeps a blob that the version after it shares', async () => {
    const { deps, bucket } = await openBucket();
    const first = await put(deps, 'a', 'one');
    const renamed: KeyIntent = {
      key: 'a',
      check: () => undefined,
      build: ({ version, cursor, at, ancestors }, previous) => {
        if (previous?.state !== 'live') throw new Error('no object');
        return { ...previous, metadata: { new: 'yes' }, version, cursor, updatedAt: at, ancestors };
      },
    };
    await commitChange(deps, { ...renamed, bucket }, first);
    await publishChanges(deps, BUCKET);
    deps.clock.advance(8 * DAY);
    expect(await trim(deps, bucket)).toBe(2);
    expect(blobsOf(deps)).toHaveLength(1);

    await put(deps, 'a', 'two');
    await publishChanges(deps, BUCKET);
    deps.clock.advance(8 * DAY);
    expect(await trim(deps, bucket)).toBe(1);
    const current = await deps.objects.get(bucket.id, 'a');
    expect(blobsOf(deps)).toEqual([current?.state === 'live' && current.blob]);
  });

  test('leaves the tombstone of a key that was deleted again later', async () => {
    const { deps, bucket } = await openBucket();
    await put(deps, 'a', 'one');
    await remove(deps, 'a');
    await deps.objects.removeTombstone(bucket.id, 'a', 2);
    await put(deps, 'a', 'two');
    await remove(deps, 'a');
    await deps.objects.removeTombstone(bucket.id, 'a', 2);
    expect((await deps.objects.get(bucket.id, 'a'))?.cursor).toBe(4);
  });

  test('never trims an entry that is not published', async () => {
    const { deps, bucket } = await openBucket();
    await put(deps, 'a', 'one');
    deps.clock.advance(8 * DAY);
    expect(await trim(deps, bucket)).toBe(0);
    expect((await deps.buckets.stats(BUCKET))?.oldest).toBe(1);
  });

  test('raises `oldest` before it removes entries that readers may be reading', async () => {
    const { deps, bucket } = await openBucket();
    for (const text of ['one', 'two']) await put(deps, 'a', text);
    await publishChanges(deps, BUCKET);
    deps.clock.advance(8 * DAY);
    let removals = 0;
    const watched = createFakes({
      ...deps,
      yieldPoint: async ({ operation, when }) => {
        if (when !== 'before' || operation !== 'remove') return;
        removals += 1;
        expect(await deps.buckets.stats(BUCKET)).toMatchObject({ oldest: 3 });
      },
    });
    await trim({ ...deps, ...watched }, bucket);
    expect(removals).toBe(2);
  });

  test('begins when an entry is older than the retention, and not a moment before', async () => {
    const { deps, bucket } = await openBucket();
    await put(deps, 'a', 'one');
    await publishChanges(deps, BUCKET);
    deps.clock.advance(7 * DAY);
    expect(await trim(deps, bucket)).toBe(0);
    deps.clock.advance(1);
    expect(await trim(deps, bucket)).toBe(1);
  });

  test('removes at most `entries` entries, first those below `oldest`', async () => {
    const { deps, bucket } = await openEmptyLog(510);
    await deps.buckets.raiseOldest(bucket, 511);
    const stats = await deps.buckets.stats(BUCKET);
    if (!stats) throw new Error('no stats');
    expect(await trimBucket(deps, bucket, stats, { entries: 500 })).toBe(500);
    expect(await deps.buckets.stats(BUCKET)).toMatchObject({ trimmed: 501 });
  });

  test('has the same result when it is interrupted after any operation and repeated', async () => {
    for (let cut = 1; ; cut++) {
      const { deps, bucket } = await openBucket();
      for (const text of ['one', 'two', 'three']) await put(deps, 'a', text);
      await remove(deps, 'a');
      await put(deps, 'b', 'stays');
      await publishChanges(deps, BUCKET);
      deps.clock.advance(8 * DAY);
      let operations = 0;
      const dying = createFakes({
        ...deps,
        yieldPoint: () => {
          operations += 1;
          if (operations >= cut) throw new Error('cut off');
        },
      });
      const ended = await trim({ ...deps, ...dying }, bucket).then(
        () => true,
        () => false,
      );
      await trim(deps, bucket);
      expect(blobsOf(deps)).toHaveLength(1);
      expect(deps.state.changesOf(bucket.id).size).toBe(0);
      expect([...deps.state.objectsOf(bucket.id).keys()]).toEqual(['b']);
      if (ended) break;
    }
  });
});
