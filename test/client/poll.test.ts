/** Long polling by a client, on a clock that the test moves. */
import { defaultMaxListeners, getEventListeners } from 'node:events';
import { LogPosition } from '../../client/channel/log-position';
import { poll } from '../../client/channel/poll';
import { Http } from '../../client/http';

const PAGE = { bucket: 'photos', bucket_id: 'b1', head: 1, has_more: false };
const EMPTY = { ...PAGE, from: 1, to: 1, changes: [] };

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Begins to poll. `stop` returns what `poll` returns. */
function start(buckets: readonly string[], fetch: (url: URL) => Promise<Response>) {
  const controller = new AbortController();
  const followedBuckets = buckets.map((bucket) => new LogPosition(bucket, { cursor: 1 }));
  const statuses: string[] = [];
  const polling = poll(followedBuckets, {
    http: new Http({ baseUrl: 'http://localhost', fetch: (url) => fetch(new URL(url)) }),
    signal: controller.signal,
    emit: (event) => event.type === 'status' && statuses.push(event.status),
    waitForRoom: async () => undefined,
    now: Date.now,
    random: () => 0.5,
  });
  const stop = async () => {
    controller.abort();
    await jest.advanceTimersByTimeAsync(30_000);
    return polling;
  };
  return { followedBuckets, statuses, stop };
}

const json = (body: object, init?: ResponseInit) => new Response(JSON.stringify(body), init);

/** How many of the times lie in the fullest period of that length. */
function most(times: readonly number[], milliseconds: number): number {
  return Math.max(
    ...times.map((from) => times.filter((at) => at >= from && at < from + milliseconds).length),
  );
}

test('poll waits for Retry-After of an empty page that the service sent at once', async () => {
  let requests = 0;
  const { stop } = start(['photos'], async () => {
    requests += 1;
    return json(EMPTY, { headers: { 'Retry-After': '5' } });
  });
  await jest.advanceTimersByTimeAsync(4_999);
  expect(requests).toBe(1);
  await jest.advanceTimersByTimeAsync(1);
  expect(requests).toBe(2);
  expect(await stop()).toBe(true);
});

test('poll asks the service to wait only when the last page reached the head', async () => {
  const waits: (string | null)[] = [];
  const { stop } = start(['photos'], async ({ searchParams: query }) => {
    waits.push(query.get('wait'));
    const from = Number(query.get('cursor'));
    if (query.has('wait')) await new Promise((resolve) => setTimeout(resolve, 20_000));
    const to = Math.min(4, from + 1);
    return json({ ...PAGE, head: 4, from, to, has_more: to < 4, changes: [] });
  });
  await jest.advanceTimersByTimeAsync(1);
  expect(waits).toEqual([null, null, null, '20']);
  await stop();
});

test('poll stays below the rate of class wait when it follows 50 quiet buckets', async () => {
  const buckets = Array.from({ length: 50 }, (_, index) => `bucket-${index}`);
  const times: number[] = [];
  const waiting: number[] = [];
  let slots = 5;
  const { stop } = start(buckets, async ({ searchParams: query }) => {
    const page = { ...EMPTY, bucket: query.get('bucket') };
    times.push(Date.now());
    if (!query.has('wait')) return json(page);
    waiting.push(Date.now());
    if (slots === 0) return json(page, { headers: { 'Retry-After': '2' } });
    slots -= 1;
    await new Promise((resolve) => setTimeout(resolve, 20_000));
    slots += 1;
    return json(page);
  });
  await jest.advanceTimersByTimeAsync(60_000);
  expect(slots).toBeLessThan(5);
  expect(most(waiting, 1_000)).toBeLessThanOrEqual(20);
  // Those without `wait` too, once the first pages are there.
  const settled = times.filter((at) => at >= (times[0] ?? 0) + 10_000);
  expect(settled.length / 50).toBeLessThan(20);
  await stop();
});

test('poll stays below the rate of class wait when every bucket changes all the time', async () => {
  const waiting: number[] = [];
  const { followedBuckets, stop } = start(['photos', 'films'], async ({ searchParams: query }) => {
    await new Promise((resolve) => setTimeout(resolve, 10));
    if (query.has('wait')) waiting.push(Date.now());
    const from = Number(query.get('cursor'));
    const page = { ...PAGE, bucket: query.get('bucket'), from, to: from + 1, head: from + 1 };
    return json({ ...page, changes: [] });
  });
  await jest.advanceTimersByTimeAsync(10_000);
  expect(waiting.length / 10).toBeLessThan(20);
  // A client without permission to wait follows without delay.
  for (const { cursor } of followedBuckets) expect(cursor).toBeGreaterThan(900);
  await stop();
});

test('poll waits for Retry-After of 429 and stays connected', async () => {
  let requests = 0;
  const { statuses, stop } = start(['photos'], async () => {
    requests += 1;
    if (requests !== 2) return json(EMPTY);
    const error = { code: 'rate_limited', message: 'too many wait requests', request_id: 'r-1' };
    return json({ error }, { status: 429, headers: { 'Retry-After': '3' } });
  });
  await jest.advanceTimersByTimeAsync(2_999);
  expect(requests).toBe(2);
  await jest.advanceTimersByTimeAsync(1);
  expect(requests).toBe(3);
  expect(statuses).toEqual(['connected']);
  await stop();
});

test('poll adds few listeners to each signal when it follows many buckets', async () => {
  const counts: number[] = [];
  const { addEventListener } = EventTarget.prototype;
  const spy = jest.spyOn(EventTarget.prototype, 'addEventListener');
  spy.mockImplementation(function (this: EventTarget, ...args) {
    addEventListener.apply(this, args);
    counts.push(getEventListeners(this, 'abort').length);
  });
  try {
    const buckets = Array.from({ length: 50 }, (_, index) => `bucket-${index}`);
    const { stop } = start(buckets, async ({ searchParams: query }) => {
      if (query.has('wait')) await new Promise((resolve) => setTimeout(resolve, 20_000));
      return json({ ...EMPTY, bucket: query.get('bucket') });
    });
    await jest.advanceTimersByTimeAsync(1_000);
    expect(counts.length).toBeGreaterThan(buckets.length);
    // Node.js warns of a leak above it.
    expect(Math.max(...counts)).toBeLessThanOrEqual(defaultMaxListeners);
    expect(await stop()).toBe(true);
  } finally {
    spy.mockRestore();
  }
});
