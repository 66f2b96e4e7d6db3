/** Parts of a file that are sent by `node:http`, to a server that refuses and cuts. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type NodeRequests,
  nodeRequests,
  type Received,
} from '../../../client/transfer/node-requests';
import { openToSend } from '../../../client/transfer/send-file';
import { useTemporaryFolder } from '../../support/temporary-folder';

const MIB = 1024 ** 2;
const content = randomBytes(6 * MIB + 5);
const folder = useTemporaryFolder('send-file');
const NEVER = new AbortController().signal;
let answer: (request: IncomingMessage, response: ServerResponse) => unknown;
const server = createServer((request, response) => void answer(request, response));

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => void jest.restoreAllMocks());
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

async function opened(bytes = content) {
  const file = path.join(folder, 'content');
  writeFileSync(file, bytes);
  utimesSync(file, 2, 2);
  const requests = await nodeRequests();
  if (!requests) throw new Error('this is not Node.js');
  const { send, close } = await openToSend(requests, file);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/part`;
  const sent: number[] = [];
  /** The file is closed when the part has ended. */
  const part = (from: number, to: number, signal = NEVER) =>
    send(url, { from, to }, { onProgress: (bytes) => sent.push(bytes), signal }).finally(close);
  return { file, part, sent };
}

const accept = async (request: IncomingMessage, response: ServerResponse) => {
  await buffer(request).catch(() => undefined);
  response.setHeader('etag', '"x"').end();
};

test.each([
  [0, 3 * MIB],
  [3 * MIB, 3 * MIB + 1],
  [3 * MIB + 1, content.length],
])('the bytes from %i to %i of a file arrive, with progress within them', async (from, to) => {
  let received: Buffer | undefined;
  answer = async (request, response) => {
    received = await buffer(request);
    expect(request.headers['content-length']).toBe(String(received.length));
    response.setHeader('etag', '"e"').end();
  };
  const { part, sent } = await opened();
  expect(await part(from, to)).toBe('"e"');
  expect(received?.equals(content.subarray(from, to))).toBe(true);
  expect(sent).toEqual([...sent].sort((a, b) => a - b));
  expect(sent.at(-1)).toBe(to - from);
  expect(sent.length).toBeGreaterThan(to - from > MIB ? 2 : 0);
});

test('a part that is refused before it was sent throws the error of the response', async () => {
  answer = (request, response) => {
    response.writeHead(403).end('<Code>AccessDenied</Code>');
    request.resume();
  };
  const { part } = await opened();
  await expect(part(0, content.length)).rejects.toMatchObject({ code: 'forbidden' });
});

test('a part that is refused is not sent further, even if the file changes', async () => {
  const { file, part } = await opened(Buffer.alloc(64 * MIB));
  answer = (_request, response) => {
    appendFileSync(file, 'more');
    response.writeHead(403).end('<Code>AccessDenied</Code>');
  };
  await expect(part(0, 64 * MIB)).rejects.toMatchObject({ code: 'forbidden' });
});

test('a part whose connection is cut throws a temporary error', async () => {
  answer = (request) => request.once('data', () => request.socket.destroy());
  const { part } = await opened();
  const lost = { code: 'network', isTemporary: true };
  await expect(part(0, content.length)).rejects.toMatchObject(lost);
});

test('a part ends with the reason of its signal', async () => {
  const stop = new AbortController();
  answer = (request) => request.once('data', () => stop.abort(new Error('enough')));
  const { part } = await opened();
  await expect(part(0, content.length, stop.signal)).rejects.toThrow('enough');
});

test('a part of a file that has changed since the upload began is not completed', async () => {
  let isComplete = false;
  answer = async (request, response) => {
    await accept(request, response);
    isComplete ||= request.complete;
  };
  const { file, part } = await opened();
  appendFileSync(file, 'more');
  await expect(part(0, MIB)).rejects.toMatchObject({ code: 'conflict', isTemporary: false });
  expect(isComplete).toBe(false);
});

test.each<[string, (file: string) => void, number, number]>([
  ['has another size', (file) => appendFileSync(file, 'x'), 0, 1000],
  ['has another time', (file) => utimesSync(file, 1, 1), 0, 1000],
  ['ends before the part', (file) => truncateSync(file, 10), 0, 1000],
  ['never had the end of the part', () => undefined, content.length - 10, content.length + 10],
])('a part of a file that %s is a conflict', async (_, change, from, to) => {
  answer = accept;
  const { file, part } = await opened();
  change(file);
  if (statSync(file).size !== content.length) utimesSync(file, 2, 2);
  await expect(part(from, to)).rejects.toMatchObject({ code: 'conflict' });
});

/** Lets long timers fire after this time. Returns how many have fired. */
function hurriedTimers(milliseconds: number): () => number {
  const { setTimeout: real } = globalThis;
  let fired = 0;
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms = 0) => {
    const count = () => {
      if (ms > 10_000) fired += 1;
      run();
    };
    return real(count, Math.min(ms, milliseconds));
  }) as typeof setTimeout);
  return () => fired;
}

test('a part that stalls throws a temporary error', async () => {
  hurriedTimers(50);
  answer = () => undefined;
  const { part } = await opened();
  await expect(part(0, content.length)).rejects.toMatchObject({ code: 'network' });
});

test('writes that end after the part was refused report no progress, and start no timer', async () => {
  const fired = hurriedTimers(1_500);
  const late: (() => void)[] = [];
  const refused = {
    status: 403,
    headers: new Headers(),
    text: async () => '<Code>AccessDenied</Code>',
  };
  const requests: NodeRequests = {
    start: () => ({
      request: {
        on: () => undefined,
        once: () => undefined,
        write: (_bytes, written) => void late.push(written),
        end: () => undefined,
        destroy: () => undefined,
      },
      response: Promise.resolve(refused as unknown as Received),
    }),
  };
  const file = path.join(folder, 'refused');
  writeFileSync(file, content);
  const { send, close } = await openToSend(requests, file);
  const sent: number[] = [];
  const options = { onProgress: (bytes: number) => sent.push(bytes), signal: NEVER };
  await expect(send('', { from: 0, to: MIB }, options)).rejects.toMatchObject({
    code: 'forbidden',
  });
  for (const written of late) written();
  await pause(1_600);
  expect([late.length > 0, sent, fired()]).toEqual([true, [], 0]);
  await close();
});

test('a part that is done leaves no connection and no timer', async () => {
  const fired = hurriedTimers(1_500);
  let closed: Promise<unknown> = Promise.resolve();
  answer = (request, response) => {
    closed = once(request.socket, 'close');
    return accept(request, response);
  };
  const { part } = await opened();
  await part(0, 1000);
  await closed;
  await pause(1_600);
  expect(fired()).toBe(0);
});
