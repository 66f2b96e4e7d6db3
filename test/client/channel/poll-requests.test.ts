/** What long polling asks for, what it makes of the answers, and when it ends. */
import { getEventListeners } from 'node:events';
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

/** Answers each request with the next response; the last one is never answered. */
const inTurn = (...responses: readonly (object | Respond)[]): Respond => {
  let count = 0;
  return (url, init) => {
    const response = responses[count++] ?? NEVER;
    return typeof response === 'function' ? response(url, init) : response;
  };
};

class Failed {
  constructor(
    readonly status: number,
    readonly error: object,
  ) {}
}

interface Options extends Partial<PollDeps> {
  readonly follow?: Follow;
  /** Of these buckets, which have ended before. */
  readonly ended?: readonly string[];
  readonly until?: number;
}

async function start(respond: Respond, options: Options = {}) {
  const { follow = { photos: { cursor: 5 } }, until: length, ended = [], ...deps } = options;
  const followed = Object.entries(follow).map(([name, from]) => new LogPosition(name, from));
  for (const one of followed) one.hasEnded = ended.includes(one.bucket);
  const events: SubscriptionEvent[] = [];
  const requests: { at: number; url: string; signal: AbortSignal }[] = [];
  const began = Date.now();
  const stop = new AbortController();
  const fetch = async (address: string, init: RequestInit) => {
    const url = new URL(address);
    const { pathname, search } = url;
    const text = `${init.method} ${pathname.slice('/api/v2/storage/'.length)}${search}`;
    requests.push({ at: Date.now() - began, url: text, signal: init.signal as AbortSignal });
    const answer = await respond(url, init);
    if (answer instanceof Failed) return Response.json({ error: answer.error }, answer);
    return Response.json(answer);
  };
  const polling = poll(
    followed,
    {
      http: new Http({ baseUrl: 'http://localhost', fetch }),
      signal: stop.signal,
      emit: (event) => events.push(event),
      waitForRoom: async () => undefined,
      now: Date.now,
      random: () => 0.5,
      ...deps,
    },
    length === undefined ? undefined : began + length,
  );
  const outcome = { result: undefined as unknown };
  void polling.then(
    (result) => (outcome.result = result),
    (error: unknown) => (outcome.result = error),
  );
  await jest.advanceTimersByTimeAsync(0);
  const urls = () => requests.map(({ url }) => url);
  const times = () => requests.map(({ at }) => at);
  return { followed, events, requests, urls, times, stop, outcome };
}

const pass = (milliseconds: number) => jest.advanceTimersByTimeAsync(milliseconds);

test('poll asks for 500 changes after the cursor, and returns those it gets', async () => {
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
    { type: 'status', status: 'connected', transport: 'poll', buckets: ['photos'] },
    { ...place, type: 'put', cursor: 6, object },
    { ...place, type: 'cursor', cursor: 7, head: 9 },
  ]);
});

test('poll from now on begins where the service is, and announces that', async () => {
  const page = { ...PAGE, from: 3, to: 3, head: 4 };
  const { events, urls } = await start(inTurn(page), { follow: { photos: {} } });
  expect(urls()).toEqual([
    'GET sync?bucket=photos&limit=500',
    `GET sync?bucket=photos&cursor=3&bucket_id=${ID}&limit=500&wait=20`,
  ]);
  const cursor = { type: 'cursor', bucket: 'photos', bucketId: ID, cursor: 3, head: 4 };
  expect(events.slice(1)).toEqual([cursor]);
});

test('poll announces the cursor of an empty first page once', async () => {
  const { events } = await start(inTurn(PAGE, PAGE));
  const cursor = { type: 'cursor', bucket: 'photos', bucketId: ID, cursor: 5, head: 5 };
  expect(events.slice(1)).toEqual([cursor]);
});

test.each<[string, object]>([
  ['of another bucket', { ...PAGE, bucket: 'films' }],
  ['after a gap', { ...PAGE, from: 6, to: 7 }],
  ['of another incarnation', { ...PAGE, bucket_id: 'other' }],
  ['without changes', { ...PAGE, changes: undefined }],
  ['in a list', [1]],
])('poll does not take a page %s, and asks again', async (_what, page) => {
  const follow = { photos: { cursor: 5, bucketId: ID } };
  const { followed, events, urls, times } = await start(inTurn(page), { follow });
  expect([followed[0]?.cursor, urls().length]).toEqual([5, 1]);
  const reason = expect.any(String);
  expect(events.at(-1)).toMatchObject({ type: 'status', status: 'disconnected', reason });
  await pass(250);
  expect(times()).toEqual([0, 250]);
});

test('poll names the failure in its status, once, and waits longer after each', async () => {
  const busy = new Failed(503, { code: 'unavailable', message: 'busy' });
  const { events, times } = await start(inTurn(busy, busy, busy, PAGE, busy));
  await pass(4_000);
  expect(times()).toEqual([0, 250, 750, 1_750, 1_750, 2_000]);
  const status = { type: 'status', transport: 'poll', buckets: ['photos'] };
  expect(events.filter(({ type }) => type === 'status')).toEqual([
    { ...status, status: 'disconnected', reason: 'busy' },
    { ...status, status: 'connected' },
    { ...status, status: 'disconnected', reason: 'busy' },
  ]);
});

test.each<[string, Failed, object]>([
  [
    'an end',
    new Failed(403, { code: 'forbidden', message: 'no' }),
    { type: 'ended', bucket: 'photos', error: { code: 'forbidden' } },
  ],
  [
    'a reset',
    new Failed(410, {
      ...{ code: 'cursor_expired', message: 'gone' },
      details: { reason: 'bucket_replaced', oldest: 4, head: 8 },
    }),
    { type: 'reset', bucket: 'photos', reason: 'bucket_replaced', oldest: 4, head: 8 },
  ],
  [
    'a reset without details',
    new Failed(410, { code: 'cursor_expired', message: 'gone', details: { oldest: 'x' } }),
    { type: 'reset', bucket: 'photos', reason: 'cursor_expired', oldest: 0, head: 0 },
  ],
])('poll ends a bucket with %s, and returns true', async (_what, failed, event) => {
  const { events, outcome, times, followed } = await start(inTurn(failed), { until: 60_000 });
  expect(events).toMatchObject([event]);
  expect([outcome.result, times(), followed[0]?.hasEnded]).toEqual([true, [0], true]);
});

test('poll throws unauthorized, and ends the requests of the other buckets', async () => {
  const refused = new Failed(401, { code: 'unauthorized', message: 'no' });
  const respond: Respond = ({ searchParams }) =>
    searchParams.get('bucket') === 'photos' ? refused : NEVER();
  const follow = { films: { cursor: 5 }, photos: { cursor: 5 } };
  const { outcome, requests, stop, events } = await start(respond, { follow });
  expect(outcome.result).toMatchObject({ code: 'unauthorized' });
  expect(requests.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  expect([getEventListeners(stop.signal, 'abort'), events]).toEqual([[], []]);
});

test('poll throws what a reader of its events throws', async () => {
  const fault = new RangeError('a fault of the program');
  const emit = () => {
    throw fault;
  };
  const { outcome, times } = await start(inTurn(PAGE), { emit });
  await pass(60_000);
  expect([outcome.result, times()]).toEqual([fault, [0]]);
});

test('poll follows nothing when it is aborted before, or every bucket has ended', async () => {
  const signal = AbortSignal.abort();
  const aborted = await start(inTurn(PAGE), { signal });
  expect([aborted.outcome.result, aborted.times()]).toEqual([false, []]);
  const none = await start(inTurn(PAGE), { ended: ['photos'] });
  expect([none.outcome.result, none.times()]).toEqual([false, []]);
});

test('poll leaves out of its status what has ended before', async () => {
  const follow = { photos: { cursor: 5 }, films: { cursor: 5 } };
  const { events } = await start(inTurn(PAGE), { follow, ended: ['films'] });
  expect(events[0]).toMatchObject({ type: 'status', buckets: ['photos'] });
});

test('poll returns whether it worked when it is aborted during a request', async () => {
  const untilAborted: Respond = (_url, { signal }) =>
    new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
  const { outcome, stop, events, requests } = await start(inTurn(PAGE, untilAborted));
  stop.abort();
  await pass(0);
  expect([outcome.result, events.at(-1)?.type]).toEqual([true, 'cursor']);
  expect(requests.at(-1)?.signal.aborted).toBe(true);
});

test('poll gives the service 15 s for a page, and 35 s for one that waits', async () => {
  const untilAborted: Respond = (_url, { signal }) =>
    new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
  const { requests } = await start(inTurn(untilAborted, PAGE, untilAborted));
  const aborted = () => requests.map(({ signal }) => signal.aborted);
  await pass(14_999);
  expect(aborted()).toEqual([false]);
  await pass(251);
  expect(aborted()).toEqual([true, false, false]);
  await pass(34_999);
  expect(aborted()).toEqual([true, false, false]);
  await pass(1);
  expect(aborted()).toEqual([true, false, true]);
});

test('poll waits for no longer than its end, and returns true then', async () => {
  const waiting: Respond = async (url) => {
    const wait = Number(url.searchParams.get('wait') ?? 0);
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait * 1000));
    return PAGE;
  };
  const { urls, outcome } = await start(waiting, { until: 45_500 });
  const waits = () => urls().map((url) => new URLSearchParams(url).get('wait'));
  await pass(45_499);
  expect([waits(), outcome.result]).toEqual([[null, '20', '20', '6'], undefined]);
  await pass(501);
  expect([waits(), outcome.result]).toEqual([[null, '20', '20', '6'], true]);
});

test('poll with an end returns false when the service cannot be reached at all', async () => {
  const busy = new Failed(503, { code: 'unavailable', message: 'busy' });
  const { outcome, times } = await start(inTurn(busy), { until: 60_000 });
  expect([outcome.result, times()]).toEqual([false, [0]]);
});

test('poll with an end continues when it is rate limited, or has worked before', async () => {
  const slow = new Failed(429, { code: 'rate_limited', message: 'slow' });
  const busy = new Failed(503, { code: 'unavailable', message: 'busy' });
  const { outcome, times, events } = await start(inTurn(slow, PAGE, busy), { until: 60_000 });
  await pass(1_000);
  expect([outcome.result, times()]).toEqual([undefined, [0, 250, 250, 500]]);
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
  expect(times()).toEqual([5_000]);
});

test('poll asks at once for what is left, and each second where the service does not wait', async () => {
  const more = (from: number) => ({ ...PAGE, from, to: from + 1, head: 9, has_more: true });
  const quiet = { ...PAGE, from: 7, to: 7, head: 7 };
  const { times } = await start(inTurn(more(5), more(6), quiet, quiet, quiet, quiet));
  await pass(2_500);
  expect(times()).toEqual([0, 0, 0, 0, 1_000, 2_000]);
});

test('poll asks for each of 30 buckets every 3 s where the service does not wait', async () => {
  const names = Array.from({ length: 30 }, (_, n) => [`bucket-${n}`, { cursor: 5 }] as const);
  const respond: Respond = ({ searchParams }) => ({ ...PAGE, bucket: searchParams.get('bucket') });
  const { urls, times } = await start(respond, { follow: Object.fromEntries(names) });
  await pass(7_000);
  const first = times().filter((_, index) => urls()[index]?.includes('bucket=bucket-0&'));
  expect(first).toEqual([0, 0, 3_000, 6_000]);
});
