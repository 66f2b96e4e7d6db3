/** Each invariant that is broken in what is stored is noticed. */
import type { ChangeEntry } from '../../../core/log/ports';
import { publishChanges } from '../../../core/log/publish';
import type { ObjectRecord } from '../../../core/store/objects';
import { BUCKET, openBucket, put, remove, storeBlob } from '../../support/bucket-world';
import { type Acknowledged, check } from '../../support/invariants';

/** A key that was put twice, one that was deleted, with the acknowledged puts. */
async function stored() {
  const { deps, bucket } = await openBucket();
  const acknowledged: Acknowledged[] = [
    await put(deps, 'a', 'first'),
    await put(deps, 'a', 'second'),
    await put(deps, 'b', 'third'),
  ];
  await remove(deps, 'b');
  await publishChanges(deps, BUCKET, { fillAllGaps: true });
  const log = deps.state.changesOf(bucket.id);
  const records = deps.state.objectsOf(bucket.id);
  const change = (cursor: number, wanted: object) =>
    log.set(cursor, { ...log.get(cursor), ...wanted } as ChangeEntry);
  const changeObject = (cursor: number, wanted: object) => {
    const entry = log.get(cursor);
    if (!entry || entry.type === 'noop') throw new Error(`no change at ${cursor}`);
    change(cursor, { object: { ...entry.object, ...wanted } });
  };
  return { deps, bucket, acknowledged, log, records, change, changeObject };
}

type Stored = Awaited<ReturnType<typeof stored>>;

test('the check accepts a correct store', async () => {
  const { deps, acknowledged } = await stored();
  expect(await check(deps, BUCKET, acknowledged)).toHaveLength(4);
});

test.each<[string, (stored: Stored) => unknown]>([
  ['a cursor without an entry', ({ log }) => log.delete(2)],
  ['a version that is left out', ({ changeObject }) => changeObject(2, { version: 3 })],
  [
    'an object with another cursor than its entry',
    ({ changeObject }) => changeObject(2, { cursor: 1 }),
  ],
  ['an entry without what was there before', ({ change }) => change(2, { previous: undefined })],
  [
    'a record without an entry',
    ({ records }) => records.set('c', { ...records.get('a'), key: 'c' } as ObjectRecord),
  ],
  ['an entry without a record', ({ records }) => records.delete('a')],
  [
    'a record that is not the last entry',
    ({ records, log }) => records.set('a', (log.get(1) as { object: ObjectRecord }).object),
  ],
  ['a commit that lacks an entry', ({ change }) => change(4, { commit: { first: 4, last: 5 } })],
  [
    'an entry that does not name its commit',
    ({ change }) => change(4, { commit: { first: 3, last: 4 } }),
  ],
  ['a version without its blob', ({ deps, log }) => deps.state.blobs.delete(blobAt(log.get(1)))],
  [
    'a version with the bytes of another one',
    ({ changeObject, log }) => changeObject(2, { blob: blobAt(log.get(1)) }),
  ],
  [
    'an acknowledged change that is lost',
    ({ acknowledged }) => acknowledged.push({ key: 'c', version: 1, cursor: 5, etag: 'x' }),
  ],
  [
    'an acknowledged change with another etag',
    ({ acknowledged }) => acknowledged.push({ key: 'a', version: 2, cursor: 2, etag: 'x' }),
  ],
  [
    'an acknowledged deletion that is a put',
    ({ acknowledged }) => acknowledged.push({ key: 'a', version: 2, cursor: 2 }),
  ],
  [
    'a blob that no entry names',
    ({ deps, bucket }) => storeBlob(deps, `objects/${BUCKET}.${bucket.id}/x/1`),
  ],
  [
    'a counter that is wrong',
    ({ deps }) => {
      const stats = deps.state.stats.get(BUCKET);
      if (stats) deps.state.stats.set(BUCKET, { ...stats, totalSize: stats.totalSize + 1 });
    },
  ],
])('the check fails for %s', async (_, breakIt) => {
  const one = await stored();
  await breakIt(one);
  await expect(check(one.deps, BUCKET, one.acknowledged)).rejects.toThrow(/expect\(received\)/);
});

function blobAt(entry: ChangeEntry | undefined): string {
  if (!entry || entry.type === 'noop' || entry.object.state !== 'live') throw new Error('no blob');
  return entry.object.blob;
}
