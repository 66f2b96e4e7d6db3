/** Deletions of several objects in one commit. */
import { type Deletion, deleteGroup, deletionSize } from '../../../core/commits/delete-group';
import type { LiveObject } from '../../../core/store/objects';
import { BUCKET, put, remove, type World } from '../../support/bucket-world';
import { liveObject } from '../../support/samples';
import { openWith, replaced } from './world';

async function openGroup(...keys: readonly string[]) {
  const opened = await openWith(...keys);
  const { deps, bucket } = opened;
  const found = await deps.objects.getMany(bucket.id, keys);
  const group = found.flatMap((record) => (record.state === 'live' ? record : []));
  const waits: number[] = [];
  const backoff = async (attempt: number) => void waits.push(attempt);
  const run = (deletion: Partial<Deletion> = {}, world: World = deps) =>
    deleteGroup(
      { ...world, backoff },
      { bucket, by: 'writer', applies: () => true, ...deletion },
      group,
    );
  return { ...opened, group, waits, run };
}

test('the objects are deleted at consecutive cursors, with writer and cause', async () => {
  const { run, recordOf, deps, waits } = await openGroup('a', 'b');
  expect(await run({ cause: 'expired' })).toEqual([3, 4]);
  expect(await recordOf('b')).toEqual({
    ...{ state: 'deleted', bucket: BUCKET, key: 'b', version: 2, cursor: 4, ancestors: [2] },
    ...{ deletedAt: deps.clock.iso(), by: 'writer', cause: 'expired' },
  });
  expect(waits).toEqual([]);
});

test('objects to which the deletion does not apply stay, and take no cursor', async () => {
  const { run, recordOf, deps } = await openGroup('a', 'b');
  expect(await run({ applies: ({ key }) => key === 'b' })).toEqual([3]);
  expect(await recordOf('a')).toMatchObject({ state: 'live' });
  const allocated = jest.spyOn(deps.commits, 'allocate');
  expect(await run({ applies: () => false })).toEqual([]);
  expect(allocated).not.toHaveBeenCalled();
  expect((await deps.buckets.get(BUCKET))?.cursor).toBe(3);
});

test('what others have changed meanwhile is deleted if the deletion still applies', async () => {
  const { run, recordOf, deps, waits } = await openGroup('a', 'b', 'c', 'd');
  let isFirst = true;
  const raced = replaced(deps, 'commits', {
    allocate: async (...parameters) => {
      if (isFirst) {
        isFirst = false;
        await put(deps, 'a', 'a longer one');
        await put(deps, 'b', '!');
        await remove(deps, 'c');
      }
      return deps.commits.allocate(...parameters);
    },
  });
  const cursors = await run({ applies: ({ size }) => size === 1 }, raced);
  expect(cursors).toHaveLength(2);
  expect(await recordOf('a')).toMatchObject({ state: 'live', size: 12 });
  expect(await recordOf('b')).toMatchObject({ state: 'deleted', version: 3 });
  expect(await recordOf('c')).toMatchObject({ state: 'deleted', version: 2 });
  expect(await recordOf('d')).toMatchObject({ state: 'deleted', version: 2 });
  // Before the records are read again, and before the commit is made without the objects.
  expect(waits).toEqual([0, 0]);
});

test('a deletion that loses every race is unavailable', async () => {
  const { run, recordOf, waits } = await openGroup('a');
  let asked = 0;
  const applies = () => asked++ % 2 === 0;
  await expect(run({ applies })).rejects.toMatchObject({ code: 'unavailable' });
  expect(waits).toEqual(Array.from({ length: 20 }, (_, n) => n));
  expect(await recordOf('a')).toMatchObject({ state: 'live' });
});

test('an error of the commit is thrown as it is', async () => {
  const { run, deps, waits } = await openGroup('a');
  const broken = replaced(deps, 'commits', {
    allocate: async () => {
      throw new Error('broken');
    },
  });
  await expect(run({}, broken)).rejects.toThrow('broken');
  expect(waits).toEqual([]);
});

test('a deletion is as large in a message as its key in JSON', () => {
  const object = (key: string): LiveObject => liveObject({ key });
  expect(deletionSize(object('abc'))).toEqual({ view: 5, copy: 0 });
  expect(deletionSize(object('\u00e4"'))).toEqual({ view: 6, copy: 0 });
});
