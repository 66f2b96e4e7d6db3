/** Long polling: its requests, its rate, its events, and its end. */
import { defaultMaxListeners } from 'node:events';
import type { SubscriptionEvent } from '../../../client';
import { LogPosition } from '../../../client/channel/log-position';
import { type PollDeps, poll } from '../../../client/channel/poll';
import { Http } from '../../../client/http';
import { type Follow, ID } from './open-channel';

beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] }));
afterEach(() => jest.useRealTimers());

type Respond = (url: URL, init: RequestInit) => object | Promise<object>;

const AT = { bucket: 'photos', bucket_id: ID };
const PAGE = { ...AT, from: 5, to: 5, head: 5, changes: [], has_more: false };
const NEVER = () => new Promise<object>(() => undefined);
const WORKING = { type: 'status', status: 'connected', transport: 'poll', buckets: ['photos'] };

/** A response of the service, with the headers and the status that are given. */
const refusal = (code: string, status: number, details = {}, headers = {}) =>
  Response.json({ error: { code, message: `it is ${code}`, details } }, { status, headers });
const BUSY = () => refusal('unavailable', 503);

/** Answers each request with the next response; the last one is never answered. */
const inTurn = (...responses: readonly (object | Respond)[]): Respond => {
  let count = 0;
  return (url, init) => {
    const response = responses[count++] ?? NEVER;
    return typeof response === 'function' ? (response as Respond)(url, init) : response;
  };
};

/** As `fetch`, whose response does not come before the signal. */
const untilAborted: Respond = (_url, { signal }) =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

/** Waits for as long as the request asks, as the service does when nothing changes. */
const waiting: Respond = async ({ searchParams: query }) => {
  const wait = Number(query.get('wait') ?? 0);
  if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait * 1000));
  return { ...PAGE, bucket: query.get('bucket') };
};

interface Options extends Partial<PollDeps> {
  readonly follow?: Follow;
  /** The buckets that have ended before. */
  readonly ended?: readonly string[];
  /** When polling ends, milliseconds from now. */
  readonly until?: number;
}

async function start(respond: Respond, options: Options = {}) {
  const { follow = { photos: { cursor: 5 } }, until, ended = [], ...deps } = options;
  const positions = Object.entries(follow).map(([name, from]) => new LogPosition(name, from));
  for (const one of positions) one.hasEnded = ended.includes(one.bucket);
  const events: SubscriptionEvent[] = [];
  const requests: { at: number; url: string; wait: number; signal: AbortSignal }[] = [];
  const began = Date.now();
  const stop = new AbortController();
  const fetch = async (address: string, init: RequestInit) => {
    const url = new URL(address);
    requests.push({
      at: Date.now() - began,
      url: `${init.method} ${url.pathname.slice('/api/v2/storage/'.length)}${url.search}`,
      wait: Number(url.searchParams.get('wait')),
      signal: init.signal as AbortSignal,
    });
    const answer = await respond(url, init);
    return answer instanceof Response ? answer : Response.json(answer);
  };
  const polling = poll(
    positions,
    {
      http: new Http({ baseUrl: 'http://localhost', fetch }),
      signal: stop.signal,
      emit: (event) => events.push(event),
      waitForRoom: async () => undefined,
      now: Date.now,
      random: () => 0.5,
      ...deps,
    },
    until === undefined ? undefined : began + until,
  );
  const outcome = { result: undefined as unknown };
  void polling.then(
    (result) => (outcome.result = result),
    (error: unknown) => (outcome.result = error),
  );
  await pass(0);
  const urls = () => requests.map(({ url }) => url);
  const times = () => requests.map(({ at }) => at);
  return { positions, events, requests, urls, times, stop, outcome };
}

const pass = (milliseconds: number) => jest.advanceTimersByTimeAsync(milliseconds);

test('poll requests the changes after the cursor, and emits them', async () => {
  const object = { key: 'a/1', version: 2 };
  const changes = [{ cursor: 6, type: 'put', object }];
  const page = { ...PAGE, to: 7, head: 9, changes, has_more: true };
  const follow = { photos: { cursor: 5, prefix: 'a/', bucketId: ID } };
  const { events, urls } = await start(inTurn(page), { follow });
  const query = `prefix=a%2F&bucket_id=${ID}&limit=500`;
  expect(urls()).toEqual([
    `GET sync?bucket=photos&cursor=5&${query}`,
    `GET sync?bucket=photos&cursor=7&${query}`,
  ]);
  const place = { bucket: 'photos', bucketId: ID };
  expect(events).toEqual([
    WORKING,
    { ...place, type: 'put', cursor: 6, object },
    { ...place, type: 'cursor', cursor: 7, head: 9 },
  ]);
});

test('poll from now on begins where the service is, and announces that once', async () => {
  const page = { ...PAGE, from: 3, to: 3, head: 4 };
  const { events, urls } = await start(inTurn(page, page), { follow: { photos: {} } });
  expect(urls().slice(0, 2)).toEqual([
    'GET sync?bucket=photos&limit=500',
    `GET sync?bucket=photos&cursor=3&bucket_id=${ID}&limit=500&wait=20`,
  ]);
  const cursor = { type: 'cursor', bucket: 'photos', bucketId: ID, cursor: 3, head: 4 };
  expect(events).toEqual([WORKING, cursor]);
});

test.each<[string, object]>([
  ['another bucket', { ...PAGE, bucket: 'films' }],
  ['changes after a gap', { ...PAGE, from: 6, to: 7 }],
  ['another incarnation', { ...PAGE, bucket_id: 'other' }],
  ['no changes', { ...PAGE, changes: undefined }],
  ['a list', [1]],
])('poll rejects a page with %s, and asks again', async (_what, page) => {
  const follow = { photos: { cursor: 5, bucketId: ID } };
  const { positions, events, times } = await start(inTurn(page), { follow });
  expect(positions[0]?.cursor).toBe(5);
  const reason = expect.any(String);
  expect(events.at(-1)).toMatchObject({ type: 'status', status: 'disconnected', reason });
  await pass(500);
  expect(times()).toHaveLength(2);
});

test('poll reports a failure once in its status, and waits longer after each', async () => {
  const { events, times } = await start(inTurn(BUSY, BUSY, BUSY, BUSY, PAGE, BUSY));
  await pass(5_000);
  const [first = 0, second = 0, third = 0, fourth = 0] = times()
    .slice(1)
    .map((at, n) => at - (times()[n] ?? 0));
  expect([first > 0, second > first, third > second, fourth > third]).toEqual(Array(4).fill(true));
  const failed = { ...WORKING, status: 'disconnected', reason: 'it is unavailable' };
  expect(events.filter(({ type }) => type === 'status')).toEqual([failed, WORKING, failed]);
});

const GONE = { reason: 'bucket_replaced', oldest: 4, head: 8 };

test.each<[string, () => Response, object]>([
  ['forbidden', () => refusal('forbidden', 403), { type: 'ended', error: { code: 'forbidden' } }],
  ['replaced', () => refusal('cursor_expired', 410, GONE), { type: 'reset', ...GONE }],
  [
    'expired, without details',
    () => refusal('cursor_expired', 410, { oldest: 'x' }),
    { type: 'reset', reason: 'cursor_expired', oldest: 0, head: 0 },
  ],
])('poll ends a bucket that is %s, and returns true', async (_what, failed, event) => {
  const { events, outcome, positions } = await start(inTurn(failed), { until: 60_000 });
  expect(events).toMatchObject([{ bucket: 'photos', ...event }]);
  expect([outcome.result, positions[0]?.hasEnded]).toEqual([true, true]);
});

test('poll throws unauthorized, and ends the requests of the other buckets', async () => {
  const respond: Respond = ({ searchParams }) =>
    searchParams.get('bucket') === 'photos' ? refusal('unauthorized', 401) : NEVER();
  const follow = { films: { cursor: 5 }, photos: { cursor: 5 } };
  const { outcome, requests, events } = await start(respond, { follow });
  expect(outcome.result).toMatchObject({ code: 'unauthorized' });
  expect([requests[0]?.signal.aborted, events]).toEqual([true, []]);
});

test('poll throws the error of a reader of its events', async () => {
  const fault = new RangeError('a fault of the program');
  const emit = () => {
    throw fault;
  };
  const { outcome, times } = await start(inTurn(PAGE), { emit });
  await pass(60_000);
  expect([outcome.result, times().length]).toEqual([fault, 1]);
});

test.each<[string, Options]>([
  ['the signal is aborted', { signal: AbortSignal.abort() }],
  ['every bucket has ended', { ended: ['photos'] }],
])('poll asks for nothing when %s before', async (_what, options) => {
  const { outcome, times } = await start(inTurn(PAGE), options);
  expect([outcome.result, times()]).toEqual([false, []]);
});

test('the status of poll names only the buckets that have not ended', async () => {
  const follow = { photos: { cursor: 5 }, films: { cursor: 5 } };
  const { events } = await start(inTurn(PAGE), { follow, ended: ['films'] });
  expect(events[0]).toEqual(WORKING);
});

test('poll that is aborted during a request returns whether an earlier one succeeded', async () => {
  const { outcome, stop, events, requests } = await start(inTurn(PAGE, untilAborted));
  stop.abort();
  await pass(0);
  expect([outcome.result, events.at(-1)?.type]).toEqual([true, 'cursor']);
  expect(requests.at(-1)?.signal.aborted).toBe(true);
});

test('poll gives up a request that gets no response some seconds after its wait', async () => {
  const { requests } = await start(inTurn(untilAborted, PAGE, untilAborted));
  const aborted = () => requests.map(({ signal }) => signal.aborted);
  await pass(10_000);
  expect(aborted()).toEqual([false]);
  await pass(10_000);
  expect([aborted(), requests[2]?.wait]).toEqual([[true, false, false], 20]);
  await pass(10_000);
  expect(aborted()).toEqual([true, false, false]);
  await pass(30_000);
  expect(aborted().slice(0, 3)).toEqual([true, false, true]);
});

test('poll asks the service to wait no longer than until its end, and returns true then', async () => {
  const { requests, outcome } = await start(waiting, { until: 45_500 });
  await pass(45_000);
  expect(outcome.result).toBeUndefined();
  await pass(1_500);
  expect(outcome.result).toBe(true);
  for (const { at, wait } of requests) expect(at + wait * 1000).toBeLessThan(46_500);
});

test('poll with an end returns false when the service cannot be reached at all', async () => {
  const { outcome, times } = await start(inTurn(BUSY), { until: 60_000 });
  expect([outcome.result, times().length]).toEqual([false, 1]);
});

test('poll with an end continues when it is rate limited, or has worked before', async () => {
  const slow = () => refusal('rate_limited', 429);
  const { outcome, times, events } = await start(inTurn(slow, PAGE, BUSY), { until: 60_000 });
  await pass(1_000);
  expect([outcome.result, times().length]).toEqual([undefined, 4]);
  expect(events).toMatchObject([{ status: 'connected' }, {}, { status: 'disconnected' }]);
});

test('poll asks for nothing until the reader has room', async () => {
  let make: () => void = () => undefined;
  const waitForRoom = () => new Promise<void>((resolve) => (make = resolve));
  const { times } = await start(inTurn(PAGE), { waitForRoom });
  await pass(5_000);
  expect(times()).toEqual([]);
  make();
  await pass(0);
  expect(times()).toHaveLength(1);
});

test('poll asks the service to wait only when it is at the head', async () => {
  const more = (from: number) => ({ ...PAGE, from, to: from + 1, head: 7, has_more: from < 6 });
  const { requests } = await start(inTurn(more(5), more(6)));
  expect(requests.map(({ wait }) => wait)).toEqual([0, 0, 20]);
});

test.each([
  ['with an empty page', () => Response.json(PAGE, { headers: { 'Retry-After': '5' } })],
  ['with 429', () => refusal('rate_limited', 429, {}, { 'Retry-After': '5' })],
])('poll waits for the Retry-After that comes %s, and stays connected', async (_what, answer) => {
  const { times, events } = await start(inTurn(PAGE, PAGE, answer));
  await pass(1_500);
  expect(times()).toHaveLength(3);
  await pass(3_000);
  expect(times()).toHaveLength(3);
  await pass(3_000);
  expect(times()).toHaveLength(4);
  expect(events.filter(({ type }) => type === 'status')).toEqual([WORKING]);
});

/** The largest number of these times within any second. */
const mostPerSecond = (times: readonly number[]) =>
  Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length));

const followMany = (count: number): Follow =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`bucket-${n}`, { cursor: 5 }]));

test('poll stays below the rate of the service when it follows 50 quiet buckets', async () => {
  let slots = 5;
  const respond: Respond = async (url, init) => {
    const page = { ...PAGE, bucket: url.searchParams.get('bucket') };
    if (!url.searchParams.has('wait')) return page;
    if (slots === 0) return Response.json(page, { headers: { 'Retry-After': '2' } });
    slots -= 1;
    const answer = await waiting(url, init);
    slots += 1;
    return answer;
  };
  const { requests } = await start(respond, { follow: followMany(50) });
  await pass(60_000);
  expect(slots).toBeLessThan(5);
  const waits = requests.filter(({ wait }) => wait > 0).map(({ at }) => at);
  expect(mostPerSecond(waits)).toBeLessThanOrEqual(20);
  // Requests without `wait` too, once the first pages are there.
  expect(requests.filter(({ at }) => at >= 10_000).length / 50).toBeLessThan(20);
});

test('poll looks at each of 30 buckets in turn where the service does not wait', async () => {
  const respond: Respond = ({ searchParams }) => ({ ...PAGE, bucket: searchParams.get('bucket') });
  const { urls } = await start(respond, { follow: followMany(30) });
  await pass(30_000);
  const ofOne = urls().filter((url) => url.includes('bucket=bucket-0&')).length;
  expect([ofOne >= 10, ofOne <= 15, urls().length <= 450]).toEqual([true, true, true]);
});

test('poll follows buckets that change all the time without delay, and rarely waits', async () => {
  const respond: Respond = async ({ searchParams: query }) => {
    await new Promise((resolve) => setTimeout(resolve, 10));
    const from = Number(query.get('cursor'));
    return { ...PAGE, bucket: query.get('bucket'), from, to: from + 1, head: from + 1 };
  };
  const { positions, requests } = await start(respond, { follow: followMany(2) });
  await pass(10_000);
  expect(requests.filter(({ wait }) => wait > 0).length / 10).toBeLessThan(20);
  for (const { cursor } of positions) expect(cursor).toBeGreaterThan(900);
});

test('poll of many buckets makes Node.js warn of no leak', async () => {
  const warnings: Error[] = [];
  const warn = (warning: Error) => warnings.push(warning);
  process.on('warning', warn);
  const { stop, outcome } = await start(waiting, { follow: followMany(5 * defaultMaxListeners) });
  await pass(60_000);
  stop.abort();
  await pass(30_000);
  await new Promise(setImmediate);
  process.off('warning', warn);
  expect([outcome.result, warnings]).toEqual([true, []]);
});
