/** Which WebSocket the client opens, and who makes its tickets. */

import { globalWebSocket, sendsHeaders } from '../../../client/channel/web-socket';
import { requestTicket } from '../../../client/tickets';
import { failureOf, httpOf } from '../http/requests-of-http';

const before = Object.getOwnPropertyDescriptor(globalThis, 'WebSocket');

function define(value: unknown): void {
  Object.defineProperty(globalThis, 'WebSocket', { value, configurable: true });
}

afterEach(() => {
  if (before) Object.defineProperty(globalThis, 'WebSocket', before);
  else Reflect.deleteProperty(globalThis, 'WebSocket');
});

/** Reads its option `headers`, as the WebSocket of Node.js does. */
class WithHeaders {
  readonly given: readonly unknown[];

  constructor(...given: readonly unknown[]) {
    this.given = given;
    void (given[1] as { readonly headers?: object } | undefined)?.headers;
    if (given[0] === 'invalid:') throw new SyntaxError('no address');
  }
}

/** Ignores an option, as a browser does, which takes an object for the name of a subprotocol. */
class WithoutHeaders {
  static readonly closed: unknown[] = [];

  constructor(readonly address: string) {}

  close(): void {
    WithoutHeaders.closed.push(this.address);
  }
}

test('the global WebSocket is opened with headers only if there are any', () => {
  define(WithHeaders);
  const open = globalWebSocket();
  expect(open?.('wss://a.example', {})).toEqual({ given: ['wss://a.example'] });
  const headers = { authorization: 'Bearer osk_1' };
  expect(open?.('wss://a.example', headers)).toEqual({ given: ['wss://a.example', { headers }] });
});

test.each([
  ['reads them', WithHeaders, true],
  ['does not read them', WithoutHeaders, false],
  ['is no function', {}, false],
  ['does not exist', undefined, false],
])('a global WebSocket that %s sends headers: %s', (_what, value, sends) => {
  define(value);
  expect(sendsHeaders()).toBe(sends);
  expect(globalWebSocket() === undefined).toBe(typeof value !== 'function');
});

test('the client closes the WebSocket by which it finds out whether headers are sent', () => {
  define(WithoutHeaders);
  WithoutHeaders.closed.length = 0;
  sendsHeaders();
  expect(WithoutHeaders.closed).toEqual(['invalid:']);
});

const ANSWER = { url: 'wss://files.example/sync?ticket=1' };

test('a ticket is requested for a bucket, and a prefix if there is one', async () => {
  const { http, sent } = httpOf(() => Response.json(ANSWER));
  expect(await requestTicket(http, { bucket: 'photos', prefix: 'a/' })).toBe(ANSWER.url);
  await requestTicket(http, { bucket: 'photos', prefix: '' });
  expect(sent.map(({ url, init }) => [init.method, url, JSON.parse(`${init.body}`)])).toEqual([
    [
      ...['POST', 'https://files.example/api/v2/storage/signed-url'],
      { method: 'SYNC', bucket: 'photos', prefix: 'a/' },
    ],
    [
      ...['POST', 'https://files.example/api/v2/storage/signed-url'],
      { method: 'SYNC', bucket: 'photos' },
    ],
  ]);
});

test('requestTicket throws the reason of an aborted signal', async () => {
  const { http } = httpOf(({ init }) => Promise.reject(init.signal?.reason));
  const signal = AbortSignal.abort(new Error('enough'));
  const wanted = { bucket: 'photos', prefix: '' };
  await expect(requestTicket(http, wanted, signal)).rejects.toThrow('enough');
});

test.each([[[ANSWER]], [{}], [{ url: 5 }]])(
  'the response %j is rejected as a ticket',
  async (answer) => {
    const { http } = httpOf(() => Response.json(answer));
    const failing = requestTicket(http, { bucket: 'photos', prefix: '' });
    expect(await failureOf(failing)).toMatchObject({ code: 'invalid_answer' });
  },
);
