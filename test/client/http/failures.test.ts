/** The errors that the client throws, and the requests that it repeats. */
import { StowageError } from '../../../client';
import type { HttpRequest } from '../../../client/http';
import { failureOf, httpOf } from './requests-of-http';

const NONE = { requestId: undefined, details: {}, retryAfter: undefined };
const service =
  (status: number, body: unknown, headers = {}) =>
  () =>
    new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers });

test.each<[string, () => Response, object]>([
  [
    'every field of the error of the service',
    service(
      409,
      { error: { code: 'conflict', message: 'no', request_id: 'r-1', details: { a: 1 } } },
      { 'Retry-After': '0' },
    ),
    { code: 'conflict', status: 409, requestId: 'r-1', details: { a: 1 }, retryAfter: 0 },
  ],
  [
    'the code of the status for an error without a code',
    service(404, { error: { code: 'fire', message: 5, request_id: 7, details: [1] } }),
    { ...NONE, code: 'not_found', status: 404 },
  ],
  [
    'the status of the response with the code of the error',
    service(502, { error: { code: 'internal' } }, { 'Retry-After': 'Wed, 01 Jan 2031 00:00:00' }),
    { ...NONE, code: 'internal', status: 502 },
  ],
  [
    'unavailable for a gateway',
    service(504, '<html>'),
    { ...NONE, code: 'unavailable', status: 504 },
  ],
  [
    'no wait below zero',
    service(503, { error: 'text' }, { 'Retry-After': '-1' }),
    { ...NONE, code: 'unavailable', status: 503 },
  ],
  [
    'invalid_answer for a redirect',
    service(302, '[]'),
    { ...NONE, code: 'invalid_answer', status: 302 },
  ],
])('http throws %s', async (_what, respond, expected) => {
  const { http } = httpOf(respond);
  expect(await failureOf(http.request({ path: 'x' }))).toEqual(expected);
  expect(await failureOf(http.json({ path: 'x' }))).toEqual(expected);
});

test('http throws the message of the service, or one with the status', async () => {
  const error = { code: 'conflict', message: 'the bucket is not empty' };
  await expect(httpOf(service(409, { error })).http.json({ path: 'x' })).rejects.toThrow(
    'the bucket is not empty',
  );
  await expect(httpOf(service(418, '')).http.json({ path: 'x' })).rejects.toThrow('418');
});

test('http throws an error for a failed response whose body breaks off', async () => {
  const body = new ReadableStream({ start: (controller) => controller.error(new Error('lost')) });
  const { http } = httpOf(() => new Response(body, { status: 503 }));
  const expected = { ...NONE, code: 'unavailable', status: 503 };
  expect(await failureOf(http.request({ path: 'x' }))).toEqual(expected);
});

test('http returns a response of 304, and with JSON the seconds of its Retry-After', async () => {
  const { http } = httpOf(() => new Response(null, { status: 304 }));
  expect((await http.request({ path: 'x' })).status).toBe(304);
  const asked = httpOf(service(200, 'null', { 'Retry-After': '2.5' }));
  expect(await asked.http.answer({ path: 'x' })).toEqual({ value: null, retryAfter: 2.5 });
  const plain = httpOf(service(200, '[1]'));
  expect(await plain.http.answer({ path: 'x' })).toEqual({ value: [1], retryAfter: undefined });
});

test('http throws invalid_answer for a response that is not JSON', async () => {
  const { http } = httpOf(service(200, '{'));
  expect(await failureOf(http.json({ path: 'x' }))).toEqual({
    ...{ ...NONE, code: 'invalid_answer', status: 0 },
  });
});

test('http throws network with the cause when no response or no body arrives', async () => {
  const cause = new TypeError('fetch failed');
  const { http } = httpOf(() => Promise.reject(cause));
  const error = { code: 'network', status: 0, cause };
  await expect(http.request({ path: 'x' })).rejects.toMatchObject(error);
  const body = new ReadableStream({ start: (controller) => controller.error(cause) });
  const broken = httpOf(() => new Response(body)).http;
  await expect(broken.json({ path: 'x' })).rejects.toMatchObject(error);
});

test('http throws the StowageError of a fetch unchanged', async () => {
  const cause = new StowageError('forbidden', 'no');
  const { http } = httpOf(() => Promise.reject(cause));
  await expect(http.request({ path: 'x' })).rejects.toBe(cause);
});

test('http throws a TypeError for a header that cannot be sent, and sends nothing', async () => {
  const { http, sent } = httpOf(service(200, '1'), { retries: 3 });
  const headers = { 'a b': '1' };
  await expect(http.request({ path: 'x', headers })).rejects.toMatchObject({ name: 'TypeError' });
  expect(sent).toEqual([]);
});

/** Returns how often the request is sent while the service is unavailable. */
async function attempts(request: Partial<HttpRequest>, retries = 1, status = 503, wait = '0') {
  const respond = service(status, '', { 'Retry-After': wait });
  const { http, sent } = httpOf(respond, { retries });
  await failureOf(http.request({ path: 'x', ...request }));
  const ofRequest = sent.length;
  await failureOf(http.answer({ path: 'x', ...request }));
  expect(sent.length - ofRequest).toBe(ofRequest);
  return ofRequest;
}

test.each<[string, Partial<HttpRequest>, number]>([
  ['a GET', {}, 2],
  ['a HEAD', { method: 'HEAD' }, 2],
  ['a POST', { method: 'POST' }, 1],
  ['a DELETE with other headers', { method: 'DELETE', headers: { a: '1' } }, 1],
  ['a POST with a key', { method: 'POST', headers: { 'idempotency-key': 'k' } }, 2],
  ['a repeatable POST', { method: 'POST', isRepeatable: true }, 2],
  ['a GET that is not repeatable', { isRepeatable: false }, 1],
  ['a stream', { method: 'PUT', isRepeatable: true, body: new ReadableStream() }, 1],
])('http sends %s again only when a repetition has no effect', async (_what, request, expected) => {
  jest.spyOn(Math, 'random').mockReturnValue(0);
  expect(await attempts(request)).toBe(expected);
});

test('http repeats a request after temporary failures, `retries` times at most', async () => {
  jest.spyOn(Math, 'random').mockReturnValue(0);
  expect(await attempts({}, 0)).toBe(1);
  expect(await attempts({}, 3)).toBe(4);
  expect(await attempts({}, 3, 403)).toBe(1);
  expect(await attempts({}, 3, 503, '61')).toBe(1);
});

test('http waits for as long as the service asks, up to a minute', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  try {
    const respond = service(429, '', { 'Retry-After': '60' });
    const { http, sent } = httpOf(respond, { retries: 1 });
    const failing = failureOf(http.request({ path: 'x' }));
    await jest.advanceTimersByTimeAsync(50_000);
    expect(sent).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(20_000);
    expect(await failing).toMatchObject({ code: 'rate_limited', retryAfter: 60 });
    expect(sent).toHaveLength(2);
  } finally {
    jest.useRealTimers();
  }
});

afterEach(() => jest.restoreAllMocks());
