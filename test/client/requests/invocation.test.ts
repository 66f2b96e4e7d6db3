/** The payloads of invocations, and which results are accepted as responses. */
import { invokingFetch } from '../../../client/invocation';

/** Sends a request by a function with this result. */
async function invoked(init: RequestInit, result: unknown = { status: 204, headers: {} }) {
  const payloads: unknown[] = [];
  const downloaded: unknown[] = [];
  const fetch = invokingFetch(
    async (payload) => {
      payloads.push(JSON.parse(Buffer.from(payload).toString()));
      return { Payload: Buffer.from(JSON.stringify(result)) };
    },
    async (address, { headers, signal }) => {
      downloaded.push([address, headers, signal]);
      return new Response('from the store');
    },
  );
  const response = await fetch('https://function.invalid/a/b?c=d', init);
  return { payloads, downloaded, response };
}

const REQUEST = { method: 'GET', path: '/a/b', query: { c: 'd' }, headers: {} };
const LARGE = new Uint8Array(70_000).map((_, n) => n % 251);

test.each<[string, RequestInit, object]>([
  ['no method', {}, {}],
  ['no body', { method: 'HEAD', headers: { A: 'b' } }, { method: 'HEAD', headers: { a: 'b' } }],
  ['an empty body', { method: 'PUT', body: null }, { method: 'PUT' }],
  ['a text', { method: 'PUT', body: 'ä' }, { method: 'PUT', body: 'ä' }],
  [
    'bytes',
    { method: 'PUT', body: LARGE },
    { method: 'PUT', body: Buffer.from(LARGE).toString('base64'), isBase64: true },
  ],
])('a request with %s is sent as the payload of an invocation', async (_, init, payload) => {
  const { payloads } = await invoked(init);
  const headers = typeof init.body === 'string' || init.body ? expect.any(Object) : {};
  expect(payloads).toEqual([{ ...REQUEST, headers, ...payload }]);
});

test('a response of 307 is downloaded from its location, with range and signal', async () => {
  const { signal } = new AbortController();
  const result = { status: 307, headers: { location: 'https://s3.example/k' }, isBase64: false };
  const range = 'bytes=1-2';
  const { downloaded, response } = await invoked({ signal, headers: { range, a: 'b' } }, result);
  expect(downloaded).toEqual([['https://s3.example/k', { range }, signal]]);
  expect(await response.text()).toBe('from the store');
  const { downloaded: whole } = await invoked({ signal }, result);
  expect(whole).toEqual([['https://s3.example/k', {}, signal]]);
});

test.each([
  [201, { location: 'https://s3.example/k' }],
  [307, {}],
])('a response of status %i with the headers %j is returned', async (status, headers) => {
  const { downloaded, response } = await invoked({}, { status, headers, body: 'text' });
  expect(downloaded).toEqual([]);
  expect([response.status, await response.text()]).toEqual([status, 'text']);
});

test('the body of a response may be bytes, or absent', async () => {
  const body = Buffer.from(LARGE).toString('base64');
  const { response } = await invoked({}, { status: 200, headers: {}, body, isBase64: true });
  expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.from(LARGE))).toBe(true);
  expect((await invoked({})).response.body).toBeNull();
});

test.each([
  { status: '200', headers: {} },
  { status: 200, headers: [] },
  { status: 200 },
  { headers: {} },
  { status: 200, headers: {}, body: 7 },
  [],
  null,
])('the result %j is rejected with invalid_answer', async (result) => {
  await expect(invoked({}, result)).rejects.toMatchObject({ code: 'invalid_answer' });
});

test.each([
  ['not today', 'not today'],
  [undefined, 'AccessDeniedException'],
])('the error for an exception of Lambda with the message %p names %s', async (message, said) => {
  const cause = { name: 'AccessDeniedException', message };
  const fetch = invokingFetch(
    () => Promise.reject(cause),
    () => Promise.reject(new Error('none')),
  );
  await expect(fetch('https://function.invalid/', {})).rejects.toMatchObject({
    ...{ code: 'forbidden', message: expect.stringContaining(said), cause },
  });
});
