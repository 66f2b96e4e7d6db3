/** Errors that the distribution keeps: AWS, "How CloudFront processes and caches 4xx and 5xx". */
import { streamed } from '../rest-api/functions';
import { send } from '../rest-api/wire';
import { serveBehindEdge } from './service';
import { behindEdge } from './stack';

interface Given {
  /** What the function `api` returns. */
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly ttls?: readonly { readonly ErrorCode: number; readonly ErrorCachingMinTTL?: number }[];
}

/** An edge whose function counts its responses in their bodies. */
async function start({ status = 503, headers = {}, ttls = [] }: Given = {}) {
  const clock = { now: Date.now() };
  const resources = behindEdge({ config: { CustomErrorResponses: ttls } });
  let count = 0;
  const api = (payload: string) => {
    const body = String(++count);
    const streaming = JSON.parse(payload).path === '/streamed';
    return streaming
      ? streamed({ statusCode: status, headers }, body)
      : { statusCode: status, headers, body };
  };
  const { port } = await serveBehindEdge(resources, { api }, () => clock.now);
  return { port, clock, count: () => count };
}

test.each(['/open/a', '/streamed'])(
  'an error of %s is sent to every caller of the path for 10 seconds, without its origin',
  async (path) => {
    const { port, clock } = await start({ headers: { 'cache-control': 'no-store' } });
    const first = await send(port, `GET ${path}?a=1`, ['Authorization: Bearer x']);
    const second = await send(port, `GET ${path}?b=2`, ['Authorization: Bearer y']);
    expect([first.status, first.text]).toEqual([503, '1']);
    expect([second.status, second.text, second.complete]).toEqual([503, '1', true]);
    expect(second.header('x-amzn-requestid')).toBe(first.header('x-amzn-requestid'));
    expect(second.header('x-frame-options')).toBe('DENY');
    expect(second.header('x-cache')).toBe('Error from cloudfront');
    clock.now += 9_999;
    expect((await send(port, `GET ${path}`)).text).toBe('1');
    clock.now += 1;
    expect((await send(port, `GET ${path}`)).text).toBe('2');
  },
);

test.each<readonly [number, string, boolean]>([
  ...[404, 405, 410, 414, 500, 501, 502, 503, 504].map((status) => [status, '', true] as const),
  ...[405, 500, 502, 503, 504].map((status) => [status, 'no-store', true] as const),
  ...[404, 410, 414, 501].map((status) => [status, 'private, no-cache', false] as const),
  ...[400, 403, 412, 415].map((status) => [status, '', false] as const),
  ...[400, 403, 412, 415].map((status) => [status, 's-maxage=1', true] as const),
  ...[401, 409, 413, 416, 429].map((status) => [status, 'max-age=60', false] as const),
  [200, 'max-age=60', false],
])('a %d with Cache-Control "%s" is kept: %s', async (status, cacheControl, isKept) => {
  const { port } = await start({ status, headers: { 'cache-control': cacheControl } });
  await send(port, 'GET /open/a');
  expect((await send(port, 'GET /open/a')).text).toBe(isKept ? '1' : '2');
});

test.each([
  ['of another path', 'GET /open/a', 'GET /open/b'],
  ['of another method', 'POST /open/a', 'GET /open/a'],
  ['for another method', 'GET /open/a', 'PUT /open/a'],
  ['of HEAD for a GET', 'HEAD /open/a', 'GET /open/a'],
])('an error %s is not sent', async (_what, first, second) => {
  const { port, count } = await start();
  await send(port, first);
  await send(port, second);
  expect(count()).toBe(2);
});

test('a HEAD gets the kept error of a GET, without its body', async () => {
  const { port, count } = await start();
  await send(port, 'GET /open/a');
  const head = await send(port, 'HEAD /open/a');
  expect([head.status, head.rest.length, count()]).toEqual([503, 0, 1]);
});

test('a distribution decides for how long each status is kept', async () => {
  const ttls = [
    { ErrorCode: 503, ErrorCachingMinTTL: 0 },
    { ErrorCode: 502, ErrorCachingMinTTL: 2 },
  ];
  const never = await start({ ttls });
  await send(never.port, 'GET /open/a');
  expect((await send(never.port, 'GET /open/a')).text).toBe('2');
  const shortly = await start({ status: 502, ttls });
  await send(shortly.port, 'GET /open/a');
  shortly.clock.now += 1_999;
  expect((await send(shortly.port, 'GET /open/a')).text).toBe('1');
  shortly.clock.now += 1;
  expect((await send(shortly.port, 'GET /open/a')).text).toBe('2');
});

test('at most a thousand errors are kept, the newest', async () => {
  const { port, count } = await start();
  for (let i = 0; i <= 1000; i++) await send(port, `GET /open/${i}`);
  await send(port, 'GET /open/1000');
  expect(count()).toBe(1001);
  await send(port, 'GET /open/0');
  expect(count()).toBe(1002);
});
