import { readBucketLog, type TargetBucket } from '../../../core/targets/bucket-log';
import { createFakes } from '../../support/fakes/fakes';

const ID = 'b00000000001';

/** A deleted bucket whose log holds the entries of these cursors. */
function deletedBucket(head: number, stored: readonly number[]) {
  const world = createFakes();
  const at = world.clock.iso();
  for (const cursor of stored) {
    const entry = { type: 'noop' as const, bucket: 'photos', cursor, at };
    world.state.changesOf(ID).set(cursor, entry);
  }
  let gets = 0;
  const changeLog = {
    readShown: world.changeLog.readShown.bind(world.changeLog),
    fill: () => Promise.reject(new Error('the log of a deleted bucket is not written to')),
    get: (id: string, cursor: number) => {
      gets += 1;
      return world.changeLog.get(id, cursor);
    },
  };
  const bucket: TargetBucket = { name: 'photos', id: ID, head, deletedAt: at };
  const read = (after: number) => readBucketLog({ ...world, changeLog }, bucket, after, 100);
  return { read, gets: () => gets };
}

describe('readBucketLog of a deleted bucket', () => {
  test('returns the entries up to the head', async () => {
    const { read } = deletedBucket(3, [1, 2, 3]);
    expect(await read(1)).toMatchObject({ from: 1, to: 3, head: 3, more: false });
  });

  test('returns nothing at the head', async () => {
    const { read } = deletedBucket(3, [1, 2, 3]);
    expect(await read(3)).toEqual({ from: 3, to: 3, entries: [], head: 3, more: false });
  });

  test('returns the entries before trimmed ones first, then the trimmed range', async () => {
    const { read } = deletedBucket(9, [2, 3, 7, 8, 9]);
    expect(await read(1)).toMatchObject({ from: 1, to: 3, more: true });
    expect(await read(3)).toEqual({ oldest: 7, head: 9 });
  });

  test('returns no more than the limit, and then the rest', async () => {
    const cursors = Array.from({ length: 150 }, (_, n) => n + 1);
    const { read } = deletedBucket(150, cursors);
    expect(await read(0)).toMatchObject({ from: 0, to: 100, more: true });
    expect(await read(100)).toMatchObject({ from: 100, to: 150, more: false });
  });

  test('returns the trimmed range between entries that are stored', async () => {
    const { read } = deletedBucket(9, [1, 2, 3, 5, 6, 7, 8, 9]);
    expect(await read(3)).toEqual({ oldest: 5, head: 9 });
  });

  test('returns a trimmed range up to the head when every entry is trimmed', async () => {
    const { read } = deletedBucket(9, []);
    expect(await read(4)).toEqual({ oldest: 10, head: 9 });
  });

  test('finds the end of a range as wide as a restore leaves it within 53 reads', async () => {
    const first = 1_795_000_000_000;
    const { read, gets } = deletedBucket(first + 2, [first, first + 1, first + 2]);
    expect(await read(5)).toEqual({ oldest: first, head: first + 2 });
    expect(gets()).toBeLessThan(53);
  });
});
