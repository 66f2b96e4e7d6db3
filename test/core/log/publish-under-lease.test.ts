/** What one instance publishes, with and without the lease under which it pushes. */
import { hasUnpublished, type Push, publishChanges } from '../../../core/log/publish';
import { PushLease } from '../../../core/log/push-lease';
import { BUCKET, openBucket, put } from '../../support/bucket-world';

/** A bucket with that many entries, and an instance that pushes. */
async function open(entries: number) {
  const { deps, bucket } = await openBucket();
  for (let n = 0; n < entries; n++) await put(deps, `k${n}`, 'x');
  const lease = new PushLease(deps, 'instance');
  const pushed: [number, number][] = [];
  /** What happens while the instance pushes. */
  const meanwhile: (() => Promise<unknown>)[] = [];
  const push: Push = async (_, from, run) => {
    pushed.push([from, from + run.entries.length]);
    await meanwhile.shift()?.();
    return deps.clock.now() + 100;
  };
  const pushUnderLease: Push = async (record, from, run) => {
    await lease.acquire(record, from);
    return push(record, from, run);
  };
  const underLease = { lease, push: pushUnderLease };
  const [get, move] = [jest.spyOn(deps.buckets, 'get'), jest.spyOn(deps.buckets, 'movePublished')];
  return { deps, bucket, lease, push, underLease, pushed, meanwhile, get, move };
}

describe('an instance without a lease', () => {
  test('returns what it stored, and looks for no more', async () => {
    const { deps, bucket, push, get, move } = await open(2);
    const bucketRef = { name: BUCKET, id: bucket.id };
    const log = await publishChanges(deps, BUCKET, { push, paces: true });
    expect(log?.stats).toEqual(await deps.buckets.stats(BUCKET));
    expect(log?.stats).toMatchObject({ published: 2, objectCount: 2, totalSize: 2 });
    expect(get).toHaveBeenCalledTimes(1);
    expect(move.mock.calls).toEqual([
      [
        expect.objectContaining(bucketRef),
        expect.not.objectContaining({ endsLease: expect.anything() }),
      ],
    ]);
    expect(deps.clock.sleeps).toEqual([]);
  });

  test('publishes up to the cursor that it is asked for, or the newest', async () => {
    const { deps, push, pushed } = await open(3);
    await publishChanges(deps, BUCKET, { push, upTo: 2 });
    expect(await publishChanges(deps, BUCKET, { push, upTo: 10 })).not.toHaveProperty('gap');
    expect(pushed).toEqual([
      [0, 2],
      [2, 3],
    ]);
  });

  test('pushes and counts nothing when the first entry is missing', async () => {
    const { deps, bucket, push, pushed, move } = await open(0);
    await deps.commits.allocate(bucket);
    expect(await publishChanges(deps, BUCKET, { push })).toMatchObject({ gap: 1 });
    expect(pushed).toEqual([]);
    expect(move).not.toHaveBeenCalled();
  });

  test('publishes only the incarnation that it is asked for', async () => {
    const { deps, push, pushed } = await open(1);
    expect(await publishChanges(deps, BUCKET, { id: 'b99999999999', push })).toBeUndefined();
    expect(pushed).toEqual([]);
  });

  test('starts over when the bucket was created again between its two reads', async () => {
    const { deps, bucket } = await open(1);
    const stats = await deps.buckets.stats(BUCKET);
    if (!stats) throw new Error('no stats');
    jest.spyOn(deps.buckets, 'stats').mockResolvedValueOnce({ ...stats, id: 'b99999999999' });
    const log = await publishChanges(deps, BUCKET);
    expect(log?.stats).toMatchObject({ id: bucket.id, published: 1 });
  });

  test('returns what it read last when others move the mark five times', async () => {
    const { deps, move } = await open(1);
    move.mockResolvedValue(false);
    expect(await publishChanges(deps, BUCKET)).toMatchObject({ stats: { published: 0 } });
    expect(move).toHaveBeenCalledTimes(5);
  });
});

describe('an instance with the lease', () => {
  test('ends it with its move, looks once for more, and does not wait', async () => {
    const { deps, underLease, lease, get } = await open(2);
    const log = await publishChanges(deps, BUCKET, underLease);
    expect(log?.stats).toMatchObject({ published: 2 });
    expect((await deps.buckets.stats(BUCKET))?.pushLease).toBeUndefined();
    expect(lease.isHeld).toBe(false);
    expect(get).toHaveBeenCalledTimes(2);
    expect(deps.clock.sleeps).toEqual([]);
  });

  test('pushes nothing while another instance has it', async () => {
    const { deps, bucket, underLease, pushed } = await open(1);
    await new PushLease(deps, 'other').acquire(bucket, 0);
    expect(await publishChanges(deps, BUCKET, underLease)).toMatchObject({
      stats: { published: 0 },
    });
    expect(pushed).toEqual([]);
  });

  test('pushes what comes meanwhile, up to the cursor that it is asked for', async () => {
    const { deps, underLease, pushed, meanwhile, get } = await open(1);
    meanwhile.push(() => put(deps, 'late', 'x'));
    await publishChanges(deps, BUCKET, { ...underLease, upTo: 1 });
    expect(pushed).toEqual([[0, 1]]);
    const reads = get.mock.calls.length;
    meanwhile.push(() => put(deps, 'later', 'x'));
    await publishChanges(deps, BUCKET, underLease);
    expect(pushed).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
    // To begin; to begin, after a push, to begin again, after the next push.
    expect([reads, get.mock.calls.length - reads]).toEqual([1, 4]);
  });

  test('ends when the bucket is created again meanwhile', async () => {
    const { deps, bucket, underLease, get } = await open(1);
    get.mockResolvedValueOnce({ ...bucket, cursor: 1 });
    get.mockResolvedValueOnce({ ...bucket, id: 'b99999999999', cursor: 7 });
    const log = await publishChanges(deps, BUCKET, underLease);
    expect(log).toMatchObject({ record: { id: bucket.id }, stats: { published: 1 } });
    expect(get).toHaveBeenCalledTimes(2);
  });

  test('leaves a gap that is there after the push, and passes one that is filled', async () => {
    const { deps, bucket, underLease, pushed, meanwhile, get } = await open(1);
    const cursor = Number(await deps.commits.allocate(bucket));
    await put(deps, 'c', 'x');
    get.mockClear();
    expect(await publishChanges(deps, BUCKET, { ...underLease, upTo: 3 })).toMatchObject({
      gap: 2,
    });
    expect(get).toHaveBeenCalledTimes(1);
    await put(deps, 'd', 'x');
    const at = deps.clock.iso();
    const noop = { type: 'noop', bucket: BUCKET, cursor, at } as const;
    await deps.changeLog.fill(bucket.id, noop);
    const late = Number(await deps.commits.allocate(bucket));
    await put(deps, 'e', 'x');
    meanwhile.push(() => deps.changeLog.fill(bucket.id, { ...noop, cursor: late }));
    await publishChanges(deps, BUCKET, underLease);
    expect(pushed).toEqual([
      [0, 1],
      [1, 4],
      [4, 6],
    ]);
  });

  test('waits after its last run, or at a gap, before it lets the lease go', async () => {
    const { deps, bucket, underLease, pushed } = await open(510);
    await publishChanges(deps, BUCKET, { ...underLease, paces: true });
    expect(pushed).toEqual([
      [0, 500],
      [500, 510],
    ]);
    expect(deps.clock.sleeps).toEqual([100]);
    expect((await deps.buckets.stats(BUCKET))?.pushLease?.until).toBe(0);
    await put(deps, 'last', 'x');
    await deps.commits.allocate(bucket);
    await put(deps, 'behind', 'x');
    await publishChanges(deps, BUCKET, { ...underLease, paces: true });
    expect(deps.clock.sleeps).toEqual([100, 100]);
  });
});

test.each([
  [0, 1, true],
  [1, 1, false],
  [2, 1, false],
])('a bucket published up to %i of %i has something to publish: %p', (published, cursor, has) => {
  const record = { name: BUCKET, id: 'b00000000001', cursor, createdAt: '' };
  const stats = { id: record.id, oldest: 1, trimmed: 1, published, objectCount: 0, totalSize: 0 };
  expect(hasUnpublished(record, stats)).toBe(has);
});
