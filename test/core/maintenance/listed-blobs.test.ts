/** How many lists of S3 are worth it for a page of records. */
import { listedBlobs } from '../../../core/maintenance/listed-blobs';
import type { LiveObject, ObjectRecord } from '../../../core/store/objects';
import { openBucket, put, remove } from '../../support/bucket-world';

const named = (prefix: string, count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => `${prefix}${String(from + n).padStart(4, '0')}`);

/** S3 with these blobs, and the records that name some of them. */
async function open(stored: readonly string[], wanted: readonly string[]) {
  const { deps } = await openBucket();
  await put(deps, 'a', 'x');
  const [file] = deps.state.blobs.values();
  const [record] = [...deps.state.objects.values()].flatMap((one) => [...one.values()]);
  if (!file || record?.state !== 'live') throw new Error('no object');
  deps.state.blobs.clear();
  for (const blob of stored) deps.state.blobs.set(blob, file);
  const records = wanted.map((blob): LiveObject => ({ ...record, key: blob, blob }));
  const lists: [string, string | undefined][] = [];
  const list = (prefix: string, startAfter?: string) => {
    lists.push([prefix, startAfter]);
    return deps.blobs.list(prefix, startAfter);
  };
  const find = async (others: readonly ObjectRecord[] = []) => [
    ...(await listedBlobs({ list }, [...others, ...records])),
  ];
  return { deps, find, lists };
}

test.each([
  [12, 0, 0],
  [13, 13, 1],
])('of %j blobs %j are found by %j lists', async (count, found, lists) => {
  const blobs = named('objects/', count);
  const world = await open(blobs, blobs.toReversed());
  expect(await world.find()).toEqual(blobs.slice(0, found));
  expect(world.lists).toEqual(Array(lists).fill(['objects/', 'objects/000']));
});

test('a list begins just before the first blob, and shows nothing that is missing', async () => {
  const world = await open(named('objects/', 2000), [
    ...named('objects/', 13, 1500),
    ...named('objects/x', 3),
  ]);
  expect(await world.find()).toEqual(named('objects/', 13, 1500));
  expect(world.lists).toEqual([['objects/', 'objects/150']]);
});

test('each prefix has lists of its own', async () => {
  const [objects, uploads] = [named('objects/', 13), named('uploads/', 13)];
  const world = await open([...objects, ...uploads], [...uploads, ...objects]);
  expect((await world.find()).sort()).toEqual([...objects, ...uploads]);
  expect(world.lists.map(([prefix]) => prefix)).toEqual(['objects/', 'uploads/']);
});

test('a deleted object has no blob to look for', async () => {
  const blobs = named('objects/', 12);
  const world = await open(blobs, blobs);
  const { object } = await remove(world.deps, 'a').then(
    (outcome) => outcome as { object: ObjectRecord },
  );
  expect(await world.find([object])).toEqual([]);
  expect(world.lists).toEqual([]);
});

describe('a further list', () => {
  test('begins at the next blob, when the last one showed enough', async () => {
    const wanted = [...named('objects/', 13), ...named('objects/', 13, 3000)];
    const world = await open(named('objects/', 4000), wanted);
    expect(await world.find()).toEqual(wanted);
    expect(world.lists).toEqual([
      ['objects/', 'objects/000'],
      ['objects/', 'objects/300'],
    ]);
  });

  test.each([
    ['few were shown', 12, 20, 1],
    ['few are left', 20, 12, 1],
    ['many were shown, and many are left', 13, 13, 2],
  ])('is made when it is worth it: %s', async (_name, first, second, lists) => {
    const wanted = [...named('objects/', first), ...named('objects/', second, 3000)];
    const world = await open(named('objects/', 4000), wanted);
    const found = await world.find();
    expect(world.lists).toHaveLength(lists);
    expect(found).toHaveLength(lists === 2 ? first + second : first);
  });

  test('does not show the last blob of the list before again', async () => {
    const wanted = [...named('objects/', 13, 987), ...named('objects/', 13, 3000)];
    const world = await open(
      [...named('objects/', 1000, 0), ...named('objects/', 1000, 3000)],
      [...named('objects/', 1), ...wanted],
    );
    expect(await world.find()).toEqual([...named('objects/', 1), ...wanted]);
    expect(world.lists).toEqual([
      ['objects/', 'objects/000'],
      ['objects/', 'objects/300'],
    ]);
  });
});
