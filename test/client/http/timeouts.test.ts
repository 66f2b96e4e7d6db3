/** When a request of the client ends without its response. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { linkedTo } from '../../../client/abort';
import type { HttpRequest } from '../../../client/http';
import { sleep } from '../../../client/retry';
import { until } from '../../support/until';
import { httpOf, type Sent } from './requests-of-http';

const startFakeTimers = () =>
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
afterEach(() => jest.useRealTimers());

/** Rejects as `fetch` does. */
const never = ({ init: { signal } }: Sent) =>
  new Promise<Response>((_, reject) =>
    signal?.addEventListener('abort', () => reject(signal.reason)),
  );

/** A response whose body never comes. */
const withoutBody = ({ init: { signal } }: Sent) => {
  const start = (controller: ReadableStreamDefaultController) => {
    signal?.addEventListener('abort', () => controller.error(signal.reason));
  };
  return new Response(new ReadableStream({ start }));
};

type Call = (http: ReturnType<typeof httpOf>['http'], request: HttpRequest) => Promise<unknown>;

const CALLS: readonly (readonly [string, Call])[] = [
  ['request', (http, request) => http.request(request)],
  ['answer', (http, request) => http.answer(request)],
];

test.each([
  ...CALLS.map(([name, call]) => [`${name} that gets no response`, call, never] as const),
  ['answer that gets no body', CALLS[1]?.[1], withoutBody] as const,
])('%s fails with the code network after its timeout', async (_name, call, respond) => {
  startFakeTimers();
  const { http, sent } = httpOf(respond);
  const failed = expect(call?.(http, { path: 'x', timeoutMs: 5_000 })).rejects.toMatchObject({
    code: 'network',
  });
  await jest.advanceTimersByTimeAsync(4_000);
  expect(sent[0]?.init.signal?.aborted).toBe(false);
  await jest.advanceTimersByTimeAsync(2_000);
  await failed;
});

test.each(CALLS)('%s without a timeout waits for its response', async (_name, call) => {
  startFakeTimers();
  const { http, sent } = httpOf(never);
  void call(http, { path: 'x' }).catch(() => undefined);
  await jest.advanceTimersByTimeAsync(3_600_000);
  expect(sent[0]?.init.signal?.aborted).toBe(false);
});

test('post and put have a timeout, or take another one', async () => {
  startFakeTimers();
  const { http, sent } = httpOf(never);
  const failing = [http.post('x', 1), http.put('x', 1), http.post('x', 1, { timeoutMs: 2_000 })];
  const settled = Promise.allSettled(failing);
  await jest.advanceTimersByTimeAsync(5_000);
  expect(sent.map(({ init }) => init.signal?.aborted)).toEqual([false, false, true]);
  await jest.advanceTimersByTimeAsync(60_000);
  expect((await settled).map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
});

test.each(CALLS)('%s throws the reason of its aborted signal', async (_name, call) => {
  const { http } = httpOf(never, { retries: 3 });
  const stop = new AbortController();
  const failed = expect(call(http, { path: 'x', signal: stop.signal })).rejects.toThrow('enough');
  stop.abort(new Error('enough'));
  await failed;
});

test('the timeout of request does not end a body that is read later', async () => {
  startFakeTimers();
  const { http, sent } = httpOf(() => new Response('body'));
  const response = await http.request({ path: 'x', timeoutMs: 5_000 });
  await jest.advanceTimersByTimeAsync(60_000);
  expect(sent[0]?.init.signal?.aborted).toBe(false);
  expect(await response.text()).toBe('body');
});

test('the signal of request ends a body that is read after the response was collected', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  let response: WeakRef<Response> | undefined;
  const { http, sent } = httpOf(withoutBody);
  const stop = new AbortController();
  const open = async () => {
    const answered = await http.request({ path: 'x', signal: stop.signal });
    response = new WeakRef(answered);
    return answered.body;
  };
  const body = await open();
  await until('the response to be collected', () => {
    collectGarbage();
    return response?.deref() === undefined;
  });
  stop.abort();
  expect([sent[0]?.init.signal?.aborted, body?.locked]).toEqual([true, false]);
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
  free.detach();
  free.abort('mine');
  expect(free.signal.reason).toBe('mine');
});

test('sleep ends after its time, or as soon as its signal is aborted', async () => {
  startFakeTimers();
  const stop = new AbortController();
  const ended: string[] = [];
  void sleep(1_000, stop.signal).then(() => ended.push('short'));
  void sleep(9_000, stop.signal).then(() => ended.push('long'));
  await jest.advanceTimersByTimeAsync(500);
  expect(ended).toEqual([]);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(ended).toEqual(['short']);
  stop.abort();
  await jest.advanceTimersByTimeAsync(0);
  expect(ended).toEqual(['short', 'long']);
  await sleep(9_000, stop.signal);
});
