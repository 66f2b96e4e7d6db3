/** Every field of a page of changes, and when a request waits for one. */
import { changesPage, type PageRequest, pageText } from '../../../core/channel/changes-page';
import { NEVER_WAITS, WAITS_FREELY } from '../../../core/channel/long-poll';
import { changeView } from '../../../core/log/change-view';
import { serializeChanges } from '../../../core/channel/messages';
import { publishChanges } from '../../../core/log/publish';
import { BUCKET, openBucket, put } from '../../support/bucket-world';

async function open(changes: number, published = changes) {
  const { deps, bucket } = await openBucket();
  for (let n = 0; n < changes; n++) await put(deps, `k${n}`, 'x');
  await publishChanges(deps, BUCKET, { upTo: published });
  const waits = {
    begin: jest.fn(WAITS_FREELY.begin),
    check: jest.fn(WAITS_FREELY.check),
    end: jest.fn(WAITS_FREELY.end),
  };
  const ask = (request: Partial<PageRequest> = {}, waiting = waits) =>
    changesPage(deps, { bucket: BUCKET, prefix: '', limit: 100, wait: 0, ...request }, waiting);
  const calls = () => [waits.begin, waits.check, waits.end].map(({ mock }) => mock.calls.length);
  /** Does the work while the request waits for the nth time. */
  const during = (nth: number, work: () => Promise<unknown>) => {
    const sleep = deps.clock.sleep.bind(deps.clock);
    let sleeps = 0;
    jest.spyOn(deps.clock, 'sleep').mockImplementation(async (milliseconds) => {
      await sleep(milliseconds);
      if (++sleeps === nth) await work();
    });
  };
  return { deps, bucket, ask, waits, calls, during };
}

const DIGEST = { sha256: expect.any(String), since: 0 };

describe('a page', () => {
  test('has its range, the head, the digest and the changes', async () => {
    const { deps, bucket, ask, calls } = await open(2);
    const { page, ...answer } = await ask({ cursor: 0 });
    const range = { bucket: BUCKET, bucket_id: bucket.id, from: 0, to: 2, head: 2 };
    expect(answer).toEqual({ head: 2 });
    if (!page) throw new Error('no page');
    const entries = await deps.changeLog.read(bucket.id, 0, 2);
    const views = entries.flatMap((entry) => (entry.type === 'noop' ? [] : [changeView(entry)]));
    expect(JSON.parse(pageText(page))).toEqual({
      ...{ ...range, has_more: false, digest: DIGEST },
      changes: JSON.parse(JSON.stringify(views)),
    });
    expect(calls()).toEqual([0, 0, 0]);
  });

  test.each([
    [
      { cursor: 0, limit: 1 },
      { from: 0, to: 1, head: 2, has_more: true },
    ],
    [
      { cursor: 0, limit: 2 },
      { from: 0, to: 2, head: 2, has_more: true, digest: DIGEST },
    ],
    [
      { cursor: 0, limit: 2, prefix: 'k' },
      { from: 0, to: 2, head: 2, has_more: true },
    ],
    [
      { cursor: 0, prefix: 'k' },
      { from: 0, to: 3, head: 3, has_more: false },
    ],
    [{ cursor: 3 }, { from: 3, to: 3, head: 3, has_more: false }],
    [{}, { from: 3, to: 3, head: 3, has_more: false }],
  ])('for %j is %j', async (request, fields) => {
    const { bucket, ask } = await open(3, 2);
    const { page } = await ask(request);
    const { changes, ...rest } = page ?? { changes: [] };
    expect(rest).toEqual({ bucket: BUCKET, bucket_id: bucket.id, ...fields });
    expect(changes).toHaveLength(fields.to - fields.from);
  });

  test('is left out when the client has it', async () => {
    const { ask } = await open(2);
    const known = jest.fn((head: number) => head === 2);
    expect(await ask({ cursor: 0, known })).toEqual({ head: 2 });
    expect(known.mock.calls).toEqual([[2]]);
    expect(await ask({ cursor: 0, known: () => false })).toHaveProperty('page');
  });

  test('ends where its bytes exceed 3 MiB, but has one change at least', async () => {
    const { deps, ask } = await open(0);
    // Each change has 8 KiB as JSON, more than metadata alone can have.
    const metadata = { x: '\u0001'.repeat(1360) };
    for (let n = 0; n < 400; n++) await put(deps, `k${n}`, 'x', metadata);
    await publishChanges(deps, BUCKET);
    const { page } = await ask({ cursor: 0, limit: 1000 });
    if (!page) throw new Error('no page');
    const [change] = page.changes;
    const bytes = page.changes.reduce((sum, one) => sum + one.bytes, 0);
    expect(bytes).toBeLessThanOrEqual(3 * 1024 * 1024);
    expect(bytes + (change?.bytes ?? 0) + 10).toBeGreaterThan(3 * 1024 * 1024);
    expect(page).toMatchObject({ from: 0, to: page.changes.length, head: 400, has_more: true });
    expect(page).not.toHaveProperty('digest');
  });

  test('may have 3 MiB exactly', async () => {
    const { deps, bucket, ask } = await open(0);
    const size = 3 * 1024 * 1024;
    const metadata = { x: '\u0001'.repeat(1360) };
    const count = 365;
    for (let n = 1; n <= count; n++) await put(deps, `k${n}`, 'x', metadata);
    const changes = serializeChanges(await deps.changeLog.read(bucket.id, 0, count));
    const left = size - changes.reduce((sum, { bytes }) => sum + bytes, 0);
    // The last one differs from the one before in its metadata only.
    const others = (changes.at(-1)?.bytes ?? 0) - JSON.stringify(metadata.x).length;
    await put(deps, `k${count + 1}`, 'x', { x: 'm'.repeat(left - others - 2) });
    await put(deps, 'after', 'x');
    await publishChanges(deps, BUCKET);
    const { page } = await ask({ cursor: 0, limit: 1000 });
    expect(page).toMatchObject({ to: count + 1, has_more: true });
    expect(page?.changes.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(size);
  });
});

describe('a request that may wait', () => {
  test('does not when there is a change, or it asks for no wait', async () => {
    const { ask, calls } = await open(1);
    await ask({ cursor: 0, wait: 20 });
    await ask({ cursor: 1 });
    expect(calls()).toEqual([0, 0, 0]);
  });

  test('is answered at once when it may not', async () => {
    const { deps, ask } = await open(1);
    const answer = await ask({ cursor: 1, wait: 20 }, { ...NEVER_WAITS } as never);
    expect(answer).toMatchObject({ head: 1, retryAfter: 2, page: { from: 1, to: 1 } });
    expect(deps.clock.sleeps).toEqual([]);
  });

  test('polls after 100 ms, then half as often each time, and once a second at least', async () => {
    const { deps, ask, waits, calls } = await open(1);
    const until = deps.clock.now() + 4_200;
    const answer = await ask({ cursor: 1, wait: 4.2 });
    expect(answer).toMatchObject({ page: { from: 1, to: 1 } });
    expect(answer).not.toHaveProperty('retryAfter');
    expect(deps.clock.sleeps).toEqual([100, 200, 400, 800, 1_000, 1_000, 700]);
    expect(waits.begin.mock.calls).toEqual([[until]]);
    expect(calls()).toEqual([1, 1, 1]);
  });

  test.each([
    [4, 'not', 0],
    [5, 'once', 1],
  ])('ends with a change after poll %i, and checks its key %s', async (poll, _, checks) => {
    const { deps, ask, calls, during } = await open(1);
    during(poll, () => put(deps, 'new', 'x'));
    expect(await ask({ cursor: 1, wait: 20 })).toMatchObject({ page: { from: 1, to: 2 } });
    expect(deps.clock.sleeps).toHaveLength(poll);
    expect(calls()).toEqual([1, checks, 1]);
  });

  test('checks its key after a wait of exactly two seconds', async () => {
    const { ask, calls } = await open(1);
    await ask({ cursor: 1, wait: 2 });
    expect(calls()).toEqual([1, 1, 1]);
  });

  test('gives its slot back when it fails', async () => {
    const { deps, ask, calls, during } = await open(1);
    during(1, async () => {
      jest.spyOn(deps.buckets, 'get').mockRejectedValue(new Error('no response'));
    });
    await expect(ask({ cursor: 1, wait: 20 })).rejects.toThrow('no response');
    expect(calls()).toEqual([1, 0, 1]);
  });

  test('is refused when the bucket is created again meanwhile', async () => {
    const { deps, bucket, ask, calls, during } = await open(1);
    during(1, async () => {
      const stats = await deps.buckets.stats(BUCKET);
      if (!stats) throw new Error('no stats');
      const id = 'b99999999999';
      deps.state.buckets.set(BUCKET, { ...bucket, id, cursor: 1 });
      deps.state.stats.set(BUCKET, { ...stats, id });
    });
    await expect(ask({ cursor: 1, wait: 20 })).rejects.toMatchObject({
      code: 'cursor_expired',
      details: { reason: 'bucket_replaced' },
    });
    expect(calls()).toEqual([1, 0, 1]);
  });
});
