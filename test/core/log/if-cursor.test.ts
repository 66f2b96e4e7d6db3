/** Property test of commits with `if_cursor`: test/core/commits/if-cursor.property.test.ts. */
import { UnchangedBucket } from '../../../core/log/if-cursor';
import { publishChanges } from '../../../core/log/publish';
import { GAP_FILL_AFTER_MS } from '../../../core/log/reader';
import { BUCKET, openBucket, put, type World } from '../../support/bucket-world';

const changedAt = (cursor: number) =>
  expect.objectContaining({
    code: 'precondition_failed',
    details: { field: 'if_cursor', cursor },
  });

/** A bucket at cursor 2. `wait` runs whenever a commit waits for a writer. */
async function open(wait: (world: World) => Promise<void> = async () => {}) {
  const { deps, bucket } = await openBucket();
  for (const key of ['a', 'b']) await put(deps, key, 'x');
  const backoff = () => wait(deps);
  const at = (ifCursor: number) => new UnchangedBucket({ ...deps, backoff }, bucket, ifCursor);
  /** A writer that takes a cursor and writes no entry. */
  const takeCursor = async () => Number(await deps.commits.allocate(bucket));
  const fill = async (cursor: number) => {
    const noop = { type: 'noop', bucket: BUCKET, cursor, at: deps.clock.iso() } as const;
    await deps.changeLog.fill(bucket.id, noop);
  };
  return { deps, bucket, at, takeCursor, fill };
}

describe.each(['allocate', 'require'] as const)('%s', (operation) => {
  const run = (unchanged: UnchangedBucket) =>
    operation === 'allocate' ? unchanged.allocate(1) : unchanged.require();

  test('succeeds at the cursor, and after no-op entries', async () => {
    const { at, takeCursor, fill } = await open();
    expect(await run(at(2))).toBe(operation === 'allocate' ? 3 : undefined);
    await fill(operation === 'allocate' ? 3 : await takeCursor());
    expect(await run(at(2))).toBe(operation === 'allocate' ? 4 : undefined);
  });

  test('is refused after a change, and before the bucket has reached the cursor', async () => {
    const { at } = await open();
    await expect(run(at(1))).rejects.toEqual(changedAt(2));
    await expect(run(at(3))).rejects.toEqual(changedAt(2));
  });

  test('waits two seconds for each of two writers, and then fills their cursors', async () => {
    const world = await open(async ({ clock }) => clock.advance(GAP_FILL_AFTER_MS / 4));
    await world.takeCursor();
    await world.takeCursor();
    const from = world.deps.clock.now();
    await run(world.at(2));
    const waited = world.deps.clock.now() - from;
    expect(waited).toBeGreaterThanOrEqual(GAP_FILL_AFTER_MS);
    expect(waited).toBeLessThan(3 * GAP_FILL_AFTER_MS);
    for (const cursor of [3, 4]) {
      expect(await world.deps.changeLog.get(world.bucket.id, cursor)).toMatchObject({
        type: 'noop',
      });
    }
  });

  test('is refused for a change after the cursor of a writer that has died', async () => {
    const world = await open(async ({ clock }) => clock.advance(GAP_FILL_AFTER_MS));
    await world.takeCursor();
    await put(world.deps, 'c', 'x');
    await expect(run(world.at(2))).rejects.toEqual(changedAt(4));
  });

  test('throws unavailable in the end when a writer never finishes', async () => {
    const { at, takeCursor } = await open();
    await takeCursor();
    await expect(run(at(2))).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('fails when the bucket is closing', async () => {
    const { deps, bucket, at } = await open();
    await deps.buckets.close(bucket, deps.clock.iso());
    await expect(run(at(2))).rejects.toThrow(`bucket ${BUCKET} is closing`);
  });
});

describe('settle', () => {
  test('is refused before the bucket has reached the cursor', async () => {
    const { at } = await open();
    await expect(at(3).settle()).rejects.toEqual(changedAt(2));
  });

  test('waits for a writer below the cursor, and not for one above it', async () => {
    let waits = 0;
    const world = await open(async () => {
      waits += 1;
      await world.fill(3);
    });
    await world.takeCursor();
    await world.takeCursor();
    await world.at(3).settle();
    expect(waits).toBe(1);
  });

  test('fills the cursor of a writer that has died', async () => {
    const world = await open(async ({ clock }) => clock.advance(GAP_FILL_AFTER_MS));
    await world.takeCursor();
    await put(world.deps, 'c', 'x');
    await world.at(4).settle();
    expect(await world.deps.changeLog.get(world.bucket.id, 3)).toMatchObject({ type: 'noop' });
  });

  test('succeeds when the entries are published and trimmed while it reads them', async () => {
    const { deps, bucket, at } = await open();
    const { read } = deps.changeLog;
    jest.spyOn(deps.changeLog, 'read').mockImplementationOnce(async (...range) => {
      await publishChanges(deps, BUCKET);
      await deps.buckets.raiseOldest(bucket, 3);
      await deps.changeLog.remove(bucket.id, [1, 2]);
      return read.apply(deps.changeLog, range);
    });
    await at(2).settle();
  });
});
