import {
  CursorExpired,
  checkCursor,
  currentCursor,
  digestAt,
  headOf,
  readAfter,
  readBucketState,
} from '../../../core/log/cursor-reads';
import { publishChanges } from '../../../core/log/publish';
import { BUCKET, openBucket, put } from '../../support/bucket-world';
import { commitPuts } from '../../support/commits';

/** A bucket with that many changes, of which the first ones are published. */
async function open(changes: number, published = changes) {
  const { deps, bucket } = await openBucket();
  for (let n = 0; n < changes; n++) await put(deps, `k${n}`, 'x');
  await publishChanges(deps, BUCKET, { upTo: published });
  const state = () => readBucketState(deps, BUCKET);
  const readFrom = async (cursor: number, limit = 100) =>
    readAfter(deps, await state(), cursor, limit);
  return { deps, bucket, state, readFrom };
}

const expiredWith = (details: object) =>
  expect.objectContaining({ code: 'cursor_expired', status: 410, details });

describe('the state of a bucket', () => {
  test('is that of the incarnation that is asked for', async () => {
    const { deps, bucket } = await open(2, 1);
    const [record, stats] = await Promise.all([
      deps.buckets.get(BUCKET),
      deps.buckets.stats(BUCKET),
    ]);
    expect(await readBucketState(deps, BUCKET, bucket.id)).toEqual({ record, stats });
    await expect(readBucketState(deps, BUCKET, 'b99999999999')).rejects.toEqual(
      expiredWith({ oldest: 1, head: 1, reason: 'bucket_replaced' }),
    );
    await expect(readBucketState(deps, 'none')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('is read again when the bucket was created again between the two reads', async () => {
    const { deps, bucket, state } = await open(1);
    const { stats } = await state();
    const read = jest.spyOn(deps.buckets, 'stats');
    read.mockResolvedValueOnce({ ...stats, id: 'b99999999999' });
    expect((await state()).stats.id).toBe(bucket.id);
    jest.spyOn(deps.buckets, 'stats').mockResolvedValueOnce(undefined);
    await expect(state()).rejects.toMatchObject({ code: 'not_found' });
  });

  test('has the published mark as its head, at most the newest cursor', async () => {
    const { state } = await open(3, 2);
    const { record, stats } = await state();
    expect(headOf({ record, stats })).toBe(2);
    expect(headOf({ record: { ...record, cursor: 1 }, stats })).toBe(1);
  });

  test('has a digest at the published mark, without a prefix', async () => {
    const { state } = await open(3, 2);
    const bucket = await state();
    expect(digestAt(bucket, 2)).toEqual({ sha256: expect.any(String), since: 0 });
    expect([digestAt(bucket, 1), digestAt(bucket, 3), digestAt(bucket, 2, 'a')]).toEqual([
      ...Array(3).fill(undefined),
    ]);
  });
});

test('a cursor lies between the oldest entry and the newest cursor', async () => {
  const { deps, bucket, state } = await open(4);
  await deps.buckets.raiseOldest(bucket, 3);
  const found = await state();
  for (const cursor of [2, 3, 4]) expect(() => checkCursor(found, cursor)).not.toThrow();
  expect(() => checkCursor(found, 1)).toThrow(expiredWith({ oldest: 3, head: 4 }));
  expect(() => checkCursor(found, 1)).toThrow(CursorExpired);
  expect(() => checkCursor(found, 5)).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      details: { field: 'cursor', rule: expect.any(String), head: 4 },
    }),
  );
});

describe('the entries after a cursor', () => {
  test.each([
    [0, 2, { from: 0, to: 2, head: 3, more: true }, 2],
    [0, 3, { from: 0, to: 3, head: 3, more: true, digest: expect.anything() }, 3],
    [0, 4, { from: 0, to: 4, head: 4, more: false }, 4],
    [1, 9, { from: 1, to: 4, head: 4, more: false }, 3],
    [4, 9, { from: 4, to: 4, head: 4, more: false }, 0],
  ])('%i, at most %i of them, are %j', async (cursor, limit, run, count) => {
    const { readFrom } = await open(4, 3);
    const found = await readFrom(cursor, limit);
    expect(found).toEqual({ ...run, entries: expect.any(Array) });
    expect(found.entries).toHaveLength(count);
    expect(Object.keys(found).includes('digest')).toBe('digest' in run);
  });

  test('end at a gap, and there are no more to read now', async () => {
    const { deps, bucket, readFrom } = await open(1);
    await deps.commits.allocate(bucket);
    await put(deps, 'late', 'x');
    expect(await readFrom(0)).toMatchObject({ to: 1, head: 1, more: false });
  });

  test('are read once where a gap stands before many more', async () => {
    const { deps, bucket, readFrom } = await open(1);
    await deps.commits.allocate(bucket);
    const at = deps.clock.iso();
    for (let n = 0; n < 600; n++) {
      const cursor = (await deps.commits.allocate(bucket)) ?? 0;
      await deps.changeLog.fill(bucket.id, { type: 'noop', bucket: BUCKET, cursor, at });
    }
    const { read } = deps.changeLog;
    let reads = 0;
    jest.spyOn(deps.changeLog, 'read').mockImplementation(async (...range) => {
      reads += 1;
      if (reads > 9) throw new Error('reads without end');
      return read.apply(deps.changeLog, range);
    });
    expect(await readFrom(0, 700)).toMatchObject({ to: 1, head: 1, more: false });
    expect(reads).toBe(1);
  });

  test('are not read at the head', async () => {
    const { deps, readFrom } = await open(2);
    const read = jest.spyOn(deps.changeLog, 'read');
    expect(await readFrom(2)).toMatchObject({ from: 2, to: 2, more: false });
    expect(read).not.toHaveBeenCalled();
  });

  test('have no head beyond the newest cursor that was read', async () => {
    const { deps, state } = await open(3);
    const { record, stats } = await state();
    const older = { record: { ...record, cursor: 2 }, stats };
    expect(await readAfter(deps, older, 0, 9)).toMatchObject({ to: 2, head: 2, more: false });
  });

  test('are expired when they are trimmed while they are read', async () => {
    const { deps, bucket, state } = await open(4);
    const before = await state();
    await deps.buckets.raiseOldest(bucket, 4);
    await deps.changeLog.remove(bucket.id, [1, 2, 3]);
    await expect(readAfter(deps, before, 0, 9)).rejects.toEqual(
      expiredWith({ oldest: 4, head: 4 }),
    );
    deps.state.stats.clear();
    await expect(readAfter(deps, before, 0, 9)).rejects.toEqual(
      expiredWith({ oldest: 1, head: 4 }),
    );
  });

  test('cannot be read when the bucket cannot', async () => {
    const { deps, bucket, state } = await open(1);
    const before = await state();
    await deps.changeLog.remove(bucket.id, [1]);
    jest.spyOn(deps.buckets, 'stats').mockRejectedValue(new Error('no response'));
    await expect(readAfter(deps, before, 0, 9)).rejects.toThrow('no response');
  });

  test('are whole commits', async () => {
    const { deps, bucket, readFrom } = await open(1);
    await commitPuts(deps, bucket, ['a', 'b', 'c']);
    expect(await readFrom(0, 3)).toMatchObject({ to: 1, more: true });
    expect(await readFrom(1, 1)).toMatchObject({ to: 4, more: false });
  });
});

test('the current cursor is the newest one before the first writer at work', async () => {
  const { deps, bucket, state } = await open(2, 1);
  expect(await currentCursor(deps, await state())).toBe(2);
  await deps.commits.allocate(bucket);
  expect(await currentCursor(deps, await state())).toBe(2);
});
