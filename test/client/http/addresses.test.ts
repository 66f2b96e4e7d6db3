/** The addresses, headers and bodies of requests. */
import { type Fetch, Http, type HttpRequest } from '../../../client/http';
import { BASE_URL, httpOf } from './requests-of-http';

const fetch: Fetch = async () => new Response();

test.each([
  ['https://a.example', 'https://a.example/api/v2/storage/objects'],
  ['https://a.example/', 'https://a.example/api/v2/storage/objects'],
  ['http://localhost:81/x', 'http://localhost:81/x/api/v2/storage/objects'],
  ['https://a.example/x/api/v2/storage', 'https://a.example/x/api/v2/storage/objects'],
  ['https://a.example/x/api/v2/storage/', 'https://a.example/x/api/v2/storage/objects'],
  [
    'https://a.example/api/v2/storage/x',
    'https://a.example/api/v2/storage/x/api/v2/storage/objects',
  ],
])('http sends requests of a service at %s to %s', (baseUrl, expected) => {
  expect(new Http({ baseUrl, fetch }).url('objects').href).toBe(expected);
});

test.each(['localhost', '127.0.0.1:81', '127.255.1.2', '127.1', '[::1]:81'])(
  'http sends the key unencrypted to %s, which is this machine',
  (host) => {
    expect(() => new Http({ baseUrl: `http://${host}`, fetch })).not.toThrow();
  },
);

test.each([
  ...['a.example', '10.0.0.1', '128.0.0.1', '0.0.0.0', '[::2]', '[::ffff:10.0.0.1]'],
  ...[
    'localhost.example',
    '127.0.0.1.example',
    'xlocalhost',
    '127.0.0.1@a.example',
    '127.0.0.1:1@a.example',
    '12701',
  ],
])('http sends nothing unencrypted to %s, unless that is allowed', (host) => {
  const baseUrl = `http://${host}`;
  expect(() => new Http({ baseUrl, fetch })).toThrow(/https:.*allowPlainHttp/);
  expect(() => new Http({ baseUrl, fetch, allowPlainHttp: true })).not.toThrow();
});

test.each([
  ['baseUrl', { baseUrl: 5 as never }],
  ['baseUrl', { baseUrl: undefined as never }],
  ['baseUrl', { baseUrl: 'wss://a.example' }],
  ['baseUrl', { baseUrl: 'xhttp://a.example' }],
  ['baseUrl', { baseUrl: 'httpsx://a.example' }],
  ['retries', { retries: 0.5 }],
  ['retries', { retries: 101 }],
  ['retries', { retries: -1 }],
])('http throws a TypeError that names %s for %j', (name, options) => {
  const create = () => new Http({ baseUrl: BASE_URL, fetch, ...options });
  expect(create).toThrow(TypeError);
  expect(create).toThrow(new RegExp(`^${name} must`));
});

test.each([0, 100])('http accepts %i retries', (retries) => {
  expect(() => new Http({ baseUrl: BASE_URL, fetch, retries })).not.toThrow();
});

test('http encodes the values of a query, and omits undefined ones', () => {
  const { search } = httpOf(fetch as never).http.url('sync', {
    bucket: 'a b+&=/ä',
    prefix: undefined,
    limit: 0,
  });
  expect(search).toBe('?bucket=a%20b%2B%26%3D%2F%C3%A4&limit=0');
  expect(httpOf(fetch as never).http.url('sync').href).toBe(`${BASE_URL}/api/v2/storage/sync`);
});

test('http sends an authorization header only with a key', () => {
  const { http } = httpOf(fetch as never, { apiKey: 'osk_1' });
  expect(http.authorization).toEqual({ authorization: 'Bearer osk_1' });
  expect(httpOf(fetch as never).http.authorization).toEqual({});
});

test('http makes a new idempotency key only when it repeats requests', () => {
  const { http } = httpOf(fetch as never, { retries: 1 });
  const [one, other] = [http.idempotencyKey(undefined), http.idempotencyKey(undefined)];
  expect(one).toMatch(/^[0-9a-f]{32}$/);
  expect(other).not.toBe(one);
  expect(http.idempotencyKey('mine')).toBe('mine');
  const once = httpOf(fetch as never).http;
  expect([once.idempotencyKey(undefined), once.idempotencyKey('mine')]).toEqual([
    undefined,
    'mine',
  ]);
});

const bytes = () => new ReadableStream({ start: (controller) => controller.close() });

test.each<[string, HttpRequest, object]>([
  ['a GET', { path: 'x' }, { method: 'GET', headers: { authorization: 'Bearer osk_1' } }],
  [
    'headers',
    { path: 'x', method: 'PUT', headers: { a: '1', b: undefined }, body: 'text' },
    { method: 'PUT', headers: { authorization: 'Bearer osk_1', a: '1' }, body: 'text' },
  ],
  [
    'another key',
    { path: 'x', headers: { authorization: 'Bearer osk_2' } },
    { method: 'GET', headers: { authorization: 'Bearer osk_2' } },
  ],
  [
    'a stream',
    { path: 'x', method: 'PUT', body: bytes() },
    {
      ...{ method: 'PUT', headers: { authorization: 'Bearer osk_1' } },
      ...{ body: expect.any(ReadableStream), duplex: 'half' },
    },
  ],
])('http sends %s as it is', async (_what, request, expected) => {
  const { http, sent } = httpOf(() => new Response('1'), { apiKey: 'osk_1' });
  await http.request(request);
  expect(sent).toStrictEqual([
    {
      url: `${BASE_URL}/api/v2/storage/x`,
      init: { ...expected, signal: expect.any(AbortSignal) },
    },
  ]);
});

test.each(['post', 'put'] as const)('http sends JSON by %s', async (method) => {
  const { http, sent } = httpOf(() => new Response('{"a":1}'));
  expect(await http[method]('x', { b: [2] }, { idempotencyKey: 'k' })).toEqual({ a: 1 });
  await http[method]('x', 'text');
  const json = { 'content-type': 'application/json' };
  const shared = { method: method.toUpperCase(), signal: expect.any(AbortSignal) };
  expect(sent.map(({ init }) => init)).toEqual([
    { ...shared, headers: { ...json, 'idempotency-key': 'k' }, body: '{"b":[2]}' },
    { ...shared, headers: json, body: '"text"' },
  ]);
});
