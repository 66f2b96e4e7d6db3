import { UnchangedBucket } from '../../../core/log/if-cursor';
import { publishChanges } from '../../../core/log/publish';
import { GAP_FILL_AFTER_MS } from '../../../core/log/reader';
import { BUCKET, openBucket, put, type World } from '../../support/bucket-world';

const ATTEMPTS = Array.from({ length: 60 }, (_, attempt) => attempt);

const changedAt = (cursor: number) =>
  expect.objectContaining({
    code: 'precondition_failed',
    details: { field: 'if_cursor', cursor },
  });

/** A bucket at cursor 2, and what a commit does with `if_cursor`. */
async function open(wait: (world: World, attempt: number) => Promise<void> = async () => {}) {
  const { deps, bucket } = await openBucket();
  for (const key of ['a', 'b']) await put(deps, key, 'x');
  const waits: number[] = [];
  const backoff = async (attempt: number) => {
    waits.push(attempt);
    await wait(deps, attempt);
  };
  const at = (ifCursor: number) => new UnchangedBucket({ ...deps, backoff }, bucket, ifCursor);
  /** A writer that takes a cursor and does nothing with it. */
  const takeCursor = async () => Number(await deps.commits.allocate(bucket));
  const fill = async (cursor: number) => {
    const noop = { type: 'noop', bucket: BUCKET, cursor, at: deps.clock.iso() } as const;
    await deps.changeLog.fill(bucket.id, noop);
  };
  return { deps, bucket, waits, at, takeCursor, fill };
}

describe.each(['allocate', 'require'] as const)('%s', (operation) => {
  const run = (unchanged: UnchangedBucket) =>
    operation === 'allocate' ? unchanged.allocate(1) : unchanged.require();

  test('succeeds at the cursor, and after no-op entries, without a wait', async () => {
    const { at, waits, takeCursor, fill } = await open();
    expect(await run(at(2))).toBe(operation === 'allocate' ? 3 : undefined);
    await fill(operation === 'allocate' ? 3 : await takeCursor());
    expect(await run(at(2))).toBe(operation === 'allocate' ? 4 : undefined);
    expect(waits).toEqual([]);
  });

  test('is refused after a change, and before the bucket has reached the cursor', async () => {
    const { at } = await open();
    await expect(run(at(1))).rejects.toEqual(changedAt(2));
    await expect(run(at(3))).rejects.toEqual(changedAt(2));
  });

  test('waits for a writer that is at work, and fills its cursor after two seconds', async () => {
    const types: (string | undefined)[] = [];
    const world = await open(async (deps) => {
      types.push((await deps.changeLog.get('b00000000001', 3))?.type);
      deps.clock.advance(GAP_FILL_AFTER_MS / 4);
    });
    await world.takeCursor();
    await run(world.at(2));
    expect(world.waits).toEqual([0, 1, 2, 3]);
    expect(types).toEqual(Array(4).fill(undefined));
    expect((await world.deps.changeLog.get(world.bucket.id, 3))?.type).toBe('noop');
  });

  test('is refused for a change after the cursor of a writer that has died', async () => {
    const world = await open(async ({ clock }) => clock.advance(GAP_FILL_AFTER_MS));
    await world.takeCursor();
    await put(world.deps, 'c', 'x');
    await expect(run(world.at(2))).rejects.toEqual(changedAt(4));
  });

  test('waits for each of two writers that die one after the other', async () => {
    const world = await open(async ({ clock }) => clock.advance(GAP_FILL_AFTER_MS / 2));
    await world.takeCursor();
    await world.takeCursor();
    await run(world.at(2));
    expect(world.waits).toEqual([0, 1, 2, 3]);
  });

  test('throws unavailable after 60 attempts while the clock stands still', async () => {
    const { at, waits, takeCursor } = await open();
    await takeCursor();
    await expect(run(at(2))).rejects.toMatchObject({ code: 'unavailable' });
    expect(waits).toEqual(ATTEMPTS);
  });

  test('fails when the bucket is closing', async () => {
    const { deps, bucket, at } = await open();
    await deps.buckets.close(bucket, deps.clock.iso());
    await expect(run(at(2))).rejects.toThrow(`bucket ${BUCKET} is closing`);
  });
});

describe('settle', () => {
  test('reads nothing when everything up to the cursor is published', async () => {
    const { deps, at } = await open();
    await publishChanges(deps, BUCKET);
    await put(deps, 'c', 'x');
    const read = jest.spyOn(deps.changeLog, 'read');
    await at(2).settle();
    expect(read).not.toHaveBeenCalled();
  });

  test('reads what is not published', async () => {
    const { deps, bucket, at, waits } = await open();
    await publishChanges(deps, BUCKET, { upTo: 1 });
    const read = jest.spyOn(deps.changeLog, 'read');
    const get = jest.spyOn(deps.buckets, 'get');
    await at(2).settle();
    expect(read.mock.calls).toEqual([[bucket.id, 1, 2]]);
    expect(get).toHaveBeenCalledTimes(1);
    expect(waits).toEqual([]);
  });

  test('is refused before the bucket has reached the cursor', async () => {
    const { at } = await open();
    await expect(at(3).settle()).rejects.toEqual(changedAt(2));
  });

  test('waits for a writer below the cursor, and not for one above it', async () => {
    const world = await open(async (_, attempt) => {
      if (attempt === 1) await world.fill(3);
    });
    await world.takeCursor();
    await world.takeCursor();
    await world.at(3).settle();
    expect(world.waits).toEqual([0, 1]);
  });

  test('fills the cursor of a writer that has died, and continues at once', async () => {
    const world = await open(async ({ clock }) => clock.advance(GAP_FILL_AFTER_MS));
    await world.takeCursor();
    await put(world.deps, 'c', 'x');
    await world.at(4).settle();
    expect(world.waits).toEqual([0]);
  });

  test('continues at once when the entries were published and trimmed meanwhile', async () => {
    const { deps, bucket, at, waits } = await open();
    const { read } = deps.changeLog;
    jest.spyOn(deps.changeLog, 'read').mockImplementationOnce(async (...range) => {
      await publishChanges(deps, BUCKET);
      await deps.buckets.raiseOldest(bucket, 3);
      await deps.changeLog.remove(bucket.id, [1, 2]);
      return read.apply(deps.changeLog, range);
    });
    await at(2).settle();
    expect(waits).toEqual([]);
  });

  test('throws unavailable after 60 attempts while the clock stands still', async () => {
    const { at, waits, takeCursor } = await open();
    await takeCursor();
    await expect(at(3).settle()).rejects.toMatchObject({ code: 'unavailable' });
    expect(waits).toEqual(ATTEMPTS);
  });
});
