/** Requests by `node:http`, and responses of both kinds, read piece by piece. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fetchReceived, nodeRequests } from '../../../client/transfer/node-requests';
import { until } from '../../support/until';

let answer: (request: IncomingMessage, response: ServerResponse) => unknown;
const server = createServer((request, response) => void answer(request, response));
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const { signal } = new AbortController();

async function started(method: 'GET' | 'PUT', scheme = 'http', headers = {}) {
  const requests = await nodeRequests();
  if (!requests) throw new Error('this is not Node.js');
  const url = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/a?b=c`;
  return requests.start(method, url, headers, signal);
}

test('a request has its method, its address, and the headers that are defined', async () => {
  const seen: unknown[] = [];
  answer = ({ method, url, headers }, response) => {
    seen.push([method, url, headers['if-match'], 'range' in headers]);
    response.writeHead(206, { etag: '"e"', 'set-cookie': ['a', 'b'] }).end('bytes');
  };
  const { request, response } = await started('GET', 'http', {
    'if-match': '"e"',
    range: undefined,
  });
  request.end();
  const { status, headers, isRaw, text } = await response;
  expect(seen).toEqual([['GET', '/a?b=c', '"e"', false]]);
  expect([status, isRaw, headers.get('etag'), headers.get('range')]).toEqual([
    ...[206, true, '"e"', null],
  ]);
  expect(headers.get('set-cookie')).toBe('a,b');
  expect(await text()).toBe('bytes');
});

test('a response is read to its end', async () => {
  answer = (_, response) => response.end('bytes');
  const { request, response } = await started('GET');
  request.end();
  const { read } = await response;
  expect(Buffer.from((await read()) ?? []).toString()).toBe('bytes');
  expect(await read()).toBeUndefined();
});

test('cancel closes the connection of a response', async () => {
  let isClosed = false;
  answer = (_, response) => {
    response.on('close', () => {
      isClosed = true;
    });
    response.write('bytes');
  };
  const { request, response } = await started('GET');
  request.end();
  await (await response).cancel();
  await until('the connection to end', () => isClosed);
});

test('a request to an https address uses TLS', async () => {
  const { request, response } = await started('GET', 'https');
  request.end();
  await expect(response).rejects.toMatchObject({ code: expect.stringMatching(/EPROTO|SSL/) });
});

/** A response of `fetch` whose body has these chunks. */
function fetched(
  pieces: readonly Uint8Array[],
  headers: Record<string, string> = {},
  failing?: Error,
) {
  const left = [...pieces];
  const state = { isCancelled: false };
  const body = new ReadableStream(
    {
      pull(controller) {
        const piece = left.shift();
        if (piece) controller.enqueue(piece);
        else controller.close();
      },
      cancel() {
        state.isCancelled = true;
        if (failing) throw failing;
      },
    },
    { highWaterMark: 0 },
  );
  return { received: fetchReceived(new Response(body, { status: 201, headers })), state };
}

const TEXT = Buffer.from('aäb');

test('the text of a response is whole although its bytes are cut inside a character', async () => {
  const { received } = fetched([TEXT.subarray(0, 2), TEXT.subarray(2)]);
  expect(received.status).toBe(201);
  expect(await received.text()).toBe('aäb');
  const { received: cut } = fetched([TEXT.subarray(0, 2)]);
  expect(await cut.text()).toBe('a\ufffd');
});

test('a response of fetch is raw unless it has a Content-Encoding', () => {
  expect(fetched([]).received.isRaw).toBe(true);
  expect(fetched([], { 'content-encoding': 'br' }).received.isRaw).toBe(false);
});

test('a response of fetch is read to its end, or cancelled', async () => {
  const { received } = fetched([TEXT]);
  expect(await received.read()).toBe(TEXT);
  expect(await received.read()).toBeUndefined();
  const { received: other, state } = fetched([TEXT]);
  await other.cancel();
  expect(state.isCancelled).toBe(true);
});

test('cancel throws nothing when the body cannot be cancelled, or is absent', async () => {
  const { received } = fetched([TEXT], {}, new Error('cannot'));
  await received.cancel();
  const empty = fetchReceived(new Response(null, { status: 204 }));
  expect([await empty.read(), await empty.text()]).toEqual([undefined, '']);
  await empty.cancel();
});
