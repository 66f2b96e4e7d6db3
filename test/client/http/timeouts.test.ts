/** When a request of the client ends without its response. */
import { getEventListeners } from 'node:events';
import { linkedTo } from '../../../client/abort';
import type { HttpRequest } from '../../../client/http';
import { sleep } from '../../../client/retry';
import { httpOf, type Sent } from './requests-of-http';

beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] }));
afterEach(() => jest.useRealTimers());

/** Rejects as `fetch` does. */
const never = ({ init: { signal } }: Sent) =>
  new Promise<Response>((_, reject) =>
    signal?.addEventListener('abort', () => reject(signal.reason)),
  );

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

type Call = (http: ReturnType<typeof httpOf>['http'], request: HttpRequest) => Promise<unknown>;

const CALLS: readonly (readonly [string, Call])[] = [
  ['request', (http, request) => http.request(request)],
  ['answer', (http, request) => http.answer(request)],
];

test.each(CALLS)('%s ends as a failure of the network after its timeout', async (_name, call) => {
  const { http, sent } = httpOf(never);
  const { signal } = new AbortController();
  const failed = expect(call(http, { path: 'x', signal, timeoutMs: 5_000 })).rejects.toMatchObject({
    code: 'network',
  });
  await jest.advanceTimersByTimeAsync(4_999);
  expect(sent[0]?.init.signal?.aborted).toBe(false);
  await jest.advanceTimersByTimeAsync(1);
  expect(sent[0]?.init.signal?.aborted).toBe(true);
  await failed;
  expect(listeners(signal)).toBe(0);
});

test.each(CALLS)('%s without a timeout waits for as long as it takes', async (_name, call) => {
  const { http, sent } = httpOf(never);
  void call(http, { path: 'x' }).catch(() => undefined);
  await jest.advanceTimersByTimeAsync(3_600_000);
  expect(sent[0]?.init.signal?.aborted).toBe(false);
});

test('post and put end after 30 s, or their own timeout', async () => {
  const { http, sent } = httpOf(never);
  const aborted = () => sent.map(({ init }) => init.signal?.aborted);
  const failing = [http.post('x', 1), http.put('x', 1), http.post('x', 1, { timeoutMs: 2_000 })];
  const settled = Promise.allSettled(failing);
  await jest.advanceTimersByTimeAsync(29_999);
  expect(aborted()).toEqual([false, false, true]);
  await jest.advanceTimersByTimeAsync(1);
  expect(aborted()).toEqual([true, true, true]);
  await settled;
});

test.each(CALLS)('%s throws the reason of its aborted signal', async (_name, call) => {
  const { http } = httpOf(never, { retries: 3 });
  const stop = new AbortController();
  const failed = expect(call(http, { path: 'x', signal: stop.signal })).rejects.toThrow('enough');
  stop.abort(new Error('enough'));
  await failed;
  expect(listeners(stop.signal)).toBe(0);
  expect(jest.getTimerCount()).toBe(0);
});

test('request keeps the signal for the body, without its timeout', async () => {
  const { http, sent } = httpOf(() => new Response('body'));
  const { signal } = new AbortController();
  const response = await http.request({ path: 'x', signal, timeoutMs: 5_000 });
  expect(jest.getTimerCount()).toBe(0);
  expect([listeners(signal), await response.text()]).toEqual([1, 'body']);
  expect(sent[0]?.init.signal?.aborted).toBe(false);
});

test('request leaves the signal alone when the response has no body', async () => {
  const { http } = httpOf(() => new Response(null, { status: 204 }));
  const { signal } = new AbortController();
  await http.request({ path: 'x', method: 'DELETE', signal, timeoutMs: 5_000 });
  expect([listeners(signal), jest.getTimerCount()]).toEqual([0, 0]);
});

test('answer includes the body in its timeout, and leaves nothing behind', async () => {
  const { signal } = new AbortController();
  const { http } = httpOf(({ init }) => {
    const start = (controller: ReadableStreamDefaultController) => {
      init.signal?.addEventListener('abort', () => controller.error(init.signal?.reason));
    };
    return new Response(new ReadableStream({ start }));
  });
  const failed = expect(http.answer({ path: 'x', signal, timeoutMs: 5_000 })).rejects.toMatchObject(
    { code: 'network' },
  );
  await jest.advanceTimersByTimeAsync(5_000);
  await failed;
  const { http: quick } = httpOf(() => new Response('1'));
  await quick.answer({ path: 'x', signal, timeoutMs: 5_000 });
  expect([listeners(signal), jest.getTimerCount()]).toEqual([0, 0]);
});

test('a linked signal follows the other one, with its reason, until it is detached', () => {
  const stop = new AbortController();
  const [linked, alone, detached] = [1, 2, 3].map(() => linkedTo(stop.signal));
  alone?.abort('mine');
  detached?.detach();
  expect([alone?.signal.reason, stop.signal.aborted]).toEqual(['mine', false]);
  stop.abort('theirs');
  expect(linked?.signal.reason).toBe('theirs');
  expect(alone?.signal.reason).toBe('mine');
  expect(detached?.signal.aborted).toBe(false);
  expect(linkedTo(stop.signal).signal.reason).toBe('theirs');
  const free = linkedTo(undefined);
  expect(free.signal.aborted).toBe(false);
  free.detach();
  free.abort('mine');
  expect(free.signal.reason).toBe('mine');
});

test('sleep ends after its time, or as soon as its signal is aborted', async () => {
  const stop = new AbortController();
  const ended: string[] = [];
  void sleep(1_000, stop.signal).then(() => ended.push('short'));
  void sleep(9_000, stop.signal).then(() => ended.push('long'));
  await jest.advanceTimersByTimeAsync(999);
  expect([ended, listeners(stop.signal)]).toEqual([[], 2]);
  await jest.advanceTimersByTimeAsync(1);
  expect([ended, listeners(stop.signal)]).toEqual([['short'], 1]);
  stop.abort();
  await jest.advanceTimersByTimeAsync(0);
  expect([ended, jest.getTimerCount()]).toEqual([['short', 'long'], 0]);
  await sleep(9_000, stop.signal);
  expect(jest.getTimerCount()).toBe(0);
});
