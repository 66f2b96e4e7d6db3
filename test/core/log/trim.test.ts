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
import { createFakes } from '../../support/fakes/fakes';

/** As fanout does: with the stats as they are. */
async function trim(deps: World, bucket: { readonly name: string; readonly id: string }) {
  const stats = await deps.buckets.stats(BUCKET);
  if (!stats) throw new Error('no stats');
  return trimBucket(deps, bucket, stats, { entries: 1000 });
}

describe('trimming', () => {
  test('keeps what is younger than the retention, and old versions with it', async () => {
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

  test('takes the superseded blob and the tombstone with the entry', async () => {
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

  test('a trimmer that comes late leaves the tombstone of a later life of the key', async () => {
    const { deps, bucket } = await openBucket();
    await put(deps, 'a', 'one');
    await remove(deps, 'a');
    await deps.objects.removeTombstone(bucket.id, 'a', 2);
    await put(deps, 'a', 'two');
    await remove(deps, 'a');
    await deps.objects.removeTombstone(bucket.id, 'a', 2);
    expect((await deps.objects.get(bucket.id, 'a'))?.cursor).toBe(4);
  });

  test('never passes what was not delivered', async () => {
    const { deps, bucket } = await openBucket();
    await put(deps, 'a', 'one');
    deps.clock.advance(8 * DAY);
    expect(await trim(deps, bucket)).toBe(0);
    expect((await deps.buckets.stats(BUCKET))?.oldest).toBe(1);
  });

  test('cut off after any operation, it goes on and ends the same', async () => {
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
