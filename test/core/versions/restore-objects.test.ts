/** What one call of a restore does, and where the next one continues. */
import { LIMITS } from '../../../core/limits';
import { type RestoreOptions, restoreObjects } from '../../../core/versions/restore-objects';
import { BUCKET, put, remove, type World } from '../../support/bucket-world';
import { liveObject } from '../../support/samples';
import { committed, openWith, putOf } from '../commits/world';

async function openRestorable() {
  const opened = await openWith();
  const { deps, bucket } = opened;
  const run = (options: Partial<RestoreOptions>, world: World = deps) =>
    restoreObjects(
      world,
      { bucket, by: 'restorer' },
      {
        ...{ prefix: '', start: '', asOf: 0, isDryRun: false },
        beforeCommit: async (changes) => changes,
        ...options,
      },
    );
  return { ...opened, run };
}

/** As of cursor 4 `changed`, `gone`, `large` and `same`; since then `changed` is longer. */
async function openChanged() {
  const opened = await openRestorable();
  const { deps, bucket } = opened;
  for (const key of ['changed', 'gone', 'large', 'same']) await put(deps, key, 'old');
  await put(deps, 'changed', 'longer');
  await remove(deps, 'gone');
  await put(deps, 'large', 'small');
  await put(deps, 'new', 'x');
  await put(deps, 'newer', 'x');
  await remove(deps, 'newer');
  return { ...opened, bucket };
}

test('an object with the etag of the earlier version and another checksum is restored', async () => {
  const { deps, bucket, run } = await openRestorable();
  await put(deps, 'k', 'mine');
  const earlier = await deps.objects.get(bucket.id, 'k');
  await put(deps, 'k', 'evil');
  const records = deps.state.objectsOf(bucket.id);
  const now = records.get('k');
  if (earlier?.state !== 'live' || now?.state !== 'live') throw new Error('no object');
  // Two contents can have one MD5, which is the etag.
  records.set('k', { ...now, etag: earlier.etag });
  expect(await run({ asOf: 1 })).toMatchObject({ restored: 1, unchanged: 0 });
});

test('a call returns the numbers of restored, deleted and unchanged objects', async () => {
  const { run, textOf } = await openChanged();
  expect(await run({ asOf: 4 })).toStrictEqual({
    ...{ restored: 3, deleted: 1, unchanged: 1, from: 11, to: 14, differences: [], failed: [] },
  });
  expect(await Promise.all(['changed', 'gone', 'large', 'same', 'new'].map(textOf))).toEqual([
    ...['old', 'old', 'old', 'old', 'deleted'],
  ]);
  expect(await run({ asOf: 4 })).toStrictEqual({
    ...{ restored: 0, deleted: 0, unchanged: 4, differences: [], failed: [] },
  });
});

test('a dry run names each difference, and commits nothing', async () => {
  const { run, deps, bucket, recordOf } = await openChanged();
  const entry = await deps.changeLog.get(bucket.id, 1);
  const was = entry?.type === 'put' ? entry.object : undefined;
  const done = await run({ asOf: 4, isDryRun: true, prefix: 'c', start: 'c' });
  expect(done).toEqual({
    ...{ restored: 1, deleted: 0, unchanged: 0, failed: [] },
    differences: [{ key: 'changed', now: await recordOf('changed'), was }],
  });
  const all = await run({ asOf: 4, isDryRun: true });
  expect(all).toMatchObject({ restored: 3, deleted: 1, unchanged: 1, failed: [] });
  expect(all.differences.map(({ key }) => key)).toEqual(['changed', 'gone', 'large', 'new']);
  expect((await deps.buckets.get(BUCKET))?.cursor).toBe(10);
});

/** What the change at the cursor replaced has so many bytes. */
function resize(deps: World, id: string, cursor: number, size: number) {
  const changes = deps.state.changesOf(id);
  const entry = changes.get(cursor);
  if (entry?.type !== 'put' || entry.previous?.state !== 'live') throw new Error('no put');
  changes.set(cursor, { ...entry, previous: { ...entry.previous, size } });
}

test('an object that is too large or without bytes is named, and the others are restored', async () => {
  const { run, deps, bucket, textOf } = await openChanged();
  resize(deps, bucket.id, 7, LIMITS.copyBytes + 1);
  const entry = await deps.changeLog.get(bucket.id, 2);
  const object = entry?.type === 'put' ? entry.object : undefined;
  if (object?.state === 'live') deps.state.blobs.delete(object.blob);
  expect(await run({ asOf: 4, isDryRun: true })).toMatchObject({
    ...{ restored: 3, deleted: 1, unchanged: 1 },
    failed: [{ key: 'large', reason: 'too_large' }],
  });
  expect(await run({ asOf: 4 })).toEqual({
    ...{ restored: 1, deleted: 1, unchanged: 1, from: 11, to: 12, differences: [] },
    failed: [
      { key: 'gone', reason: 'expired' },
      { key: 'large', reason: 'too_large' },
    ],
  });
  expect(await Promise.all(['changed', 'large'].map(textOf))).toEqual(['old', 'small']);
});

/** So many objects that did not exist as of cursor 0. */
async function openNew(count: number) {
  const opened = await openRestorable();
  await put(opened.deps, 'a', 'x');
  const records = opened.deps.state.objectsOf(opened.bucket.id);
  for (let n = 0; n < count; n++) {
    records.set(keyOf(n), liveObject({ bucket: BUCKET, key: keyOf(n), cursor: 1 }));
  }
  records.delete('a');
  return opened;
}

const keyOf = (n: number) => String(n).padStart(5, '0');

test('a call makes no more changes than it has tokens for', async () => {
  const { run } = await openNew(70);
  const asked: number[] = [];
  const beforeCommit = async (changes: number) => {
    asked.push(changes);
    return asked.length === 2 ? 5 : changes;
  };
  expect(await run({ beforeCommit })).toEqual({
    ...{ restored: 0, deleted: 37, unchanged: 0, from: 2, to: 38, differences: [], failed: [] },
    next: keyOf(37),
  });
  expect(asked).toEqual([32, 32]);
});

test('a call makes at most LIMITS.restoresPerCall changes, failures included', async () => {
  const { run, deps, bucket } = await openRestorable();
  const keys = Array.from({ length: LIMITS.restoresPerCall + 2 }, (_, n) => keyOf(n));
  // Of two keys one is restored, and one that is new is deleted.
  const old = keys.filter((_, n) => n % 2 === 0);
  for (const [some, text] of [
    [old, 'old'],
    [keys, 'newer'],
  ] as const) {
    for (let n = 0; n < some.length; n += 32) {
      const group = some.slice(n, n + 32);
      await committed(
        deps,
        group.map((key) => putOf(key, text)),
      );
    }
  }
  resize(deps, bucket.id, old.length + 1, LIMITS.copyBytes + 1);
  const half = LIMITS.restoresPerCall / 2;
  const first = await run({ asOf: old.length });
  expect(first).toMatchObject({ restored: half - 1, deleted: half, next: keys.at(-2) });
  expect(first.failed).toHaveLength(1);
  const rest = await run({ asOf: old.length, start: first.next ?? '' });
  expect(rest).toMatchObject({ restored: 1, deleted: 1 });
});

test('a dry run names at most LIMITS.pageMax differences', async () => {
  const { run } = await openNew(LIMITS.pageMax + 1);
  const first = await run({ isDryRun: true });
  expect(first.differences).toHaveLength(LIMITS.pageMax);
  expect(first.next).toBe(`${keyOf(LIMITS.pageMax - 1)}\0`);
  expect(await run({ isDryRun: true, start: first.next ?? '' })).toMatchObject({ deleted: 1 });
});

test('a call commits for 8 seconds, and the next one continues', async () => {
  const { run, deps } = await openNew(100);
  const beforeCommit = async (changes: number) => {
    deps.clock.advance(4_000);
    return changes;
  };
  expect(await run({ beforeCommit })).toMatchObject({ deleted: 64, from: 2, next: keyOf(64) });
});
