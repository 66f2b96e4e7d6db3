import { readBucket, type TargetBucket } from '../../../core/targets/bucket-log';
import { createFakes } from '../../support/fakes/fakes';

const ID = 'b00000000001';

/** A deleted bucket whose log holds these numbers. */
function grave(head: number, kept: readonly number[]) {
  const world = createFakes();
  const at = world.clock.iso();
  for (const cursor of kept) {
    const entry = { type: 'void' as const, bucket: 'photos', cursor, at };
    world.state.changesOf(ID).set(cursor, entry);
  }
  let looked = 0;
  const changeLog = {
    read: world.changeLog.read.bind(world.changeLog),
    fill: () => Promise.reject(new Error('a log that has ended is not written to')),
    get: (id: string, cursor: number) => {
      looked += 1;
      return world.changeLog.get(id, cursor);
    },
  };
  const life: TargetBucket = { name: 'photos', id: ID, head, endedAt: at };
  const read = (after: number) => readBucket({ ...world, changeLog }, life, after, 100);
  return { read, looked: () => looked };
}

test('the log of a deleted bucket is read to its end', async () => {
  const { read } = grave(3, [1, 2, 3]);
  expect(await read(1)).toMatchObject({ from: 1, to: 3, head: 3, more: false });
});

test('what is left before a gap is read first', async () => {
  const { read } = grave(9, [2, 3, 7, 8, 9]);
  expect(await read(1)).toMatchObject({ from: 1, to: 3, more: true });
  expect(await read(3)).toEqual({ oldest: 7, head: 9 });
});

test('when all is gone, it says so', async () => {
  const { read } = grave(9, []);
  expect(await read(4)).toEqual({ oldest: 10, head: 9 });
});

test('a gap as wide as a restore leaves it is passed in some fifty steps', async () => {
  const first = 1_795_000_000_000;
  const { read, looked } = grave(first + 2, [first, first + 1, first + 2]);
  expect(await read(5)).toEqual({ oldest: first, head: first + 2 });
  expect(looked()).toBeLessThan(53);
});
