/** Parts of a file that are sent by `node:http`, to a server that refuses and cuts. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
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
  const part = (from: number, to: number, signal = NEVER) =>
    send(url, { from, to }, { onProgress: (bytes) => sent.push(bytes), signal });
  return { file, part, close, sent };
}

test('parts of a file arrive as they are, with progress within them', async () => {
  const received = new Map<string, Buffer>();
  answer = async (request, response) => {
    const bytes = await buffer(request);
    expect(request.headers['content-length']).toBe(String(bytes.length));
    const etag = `"${received.size}"`;
    received.set(etag, bytes);
    response.setHeader('etag', etag).end();
  };
  const { part, close, sent } = await opened();
  const ranges = [
    [0, 3 * MIB],
    [3 * MIB, 3 * MIB + 1],
    [3 * MIB + 1, content.length],
  ] as const;
  for (const [from, to] of ranges) {
    const etag = await part(from, to);
    expect(received.get(etag)?.equals(content.subarray(from, to))).toBe(true);
  }
  const halves = [1, 2, 3, 4, 5, 6].map((half) => (half * MIB) / 2);
  expect(sent).toEqual([...halves, 1, ...halves, 3 * MIB + 4]);
  await close();
});

test('a part that is refused before it was sent has the error of the response', async () => {
  answer = (request, response) => {
    response.writeHead(403).end('<Code>AccessDenied</Code>');
    request.resume();
  };
  const { part, close } = await opened();
  await expect(part(0, content.length)).rejects.toMatchObject({ code: 'forbidden' });
  await close();
});

test('a part that is refused is not sent further, also when the file changes then', async () => {
  const { file, part, close } = await opened(Buffer.alloc(64 * MIB));
  answer = (_request, response) => {
    appendFileSync(file, 'more');
    response.writeHead(403).end('<Code>AccessDenied</Code>');
  };
  await expect(part(0, 64 * MIB)).rejects.toMatchObject({ code: 'forbidden' });
  await close();
});

test('a part whose connection is cut fails for a reason that may pass', async () => {
  answer = (request) => request.once('data', () => request.socket.destroy());
  const { part, close } = await opened();
  await expect(part(0, content.length)).rejects.toMatchObject({
    code: 'network',
    isTemporary: true,
  });
  await close();
});

test('a part ends with the reason of the signal', async () => {
  const stop = new AbortController();
  answer = (request) => request.once('data', () => stop.abort(new Error('enough')));
  const { part, close } = await opened();
  await expect(part(0, content.length, stop.signal)).rejects.toThrow('enough');
  await close();
});

test('a part of a file that has changed since the upload began is not completed', async () => {
  let isComplete = false;
  answer = async (request, response) => {
    await buffer(request).catch(() => undefined);
    isComplete ||= request.complete;
    response.setHeader('etag', '"x"').end();
  };
  const { file, part, close } = await opened();
  appendFileSync(file, 'more');
  await expect(part(0, MIB)).rejects.toMatchObject({ code: 'conflict', isTemporary: false });
  expect(isComplete).toBe(false);
  await close();
});

test.each<[string, (file: string) => void, number, number]>([
  ['has another size', (file) => appendFileSync(file, 'x'), 0, 1000],
  ['has another time', (file) => utimesSync(file, 1, 1), 0, 1000],
  ['ends before the part', (file) => truncateSync(file, 10), 0, 1000],
  ['has never had all of the part', () => undefined, content.length - 10, content.length + 10],
])('a part of a file that %s is a conflict', async (_, change, from, to) => {
  answer = async (request, response) => {
    await buffer(request).catch(() => undefined);
    response.setHeader('etag', '"x"').end();
  };
  const { file, part, close } = await opened();
  change(file);
  if (statSync(file).size !== content.length) utimesSync(file, 2, 2);
  await expect(part(from, to)).rejects.toMatchObject({ code: 'conflict' });
  await close();
});

/** Records the timers of a minute, and lets them end after this time. */
function minutesOf(milliseconds: number) {
  const { setTimeout: real } = globalThis;
  const timers: unknown[] = [];
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms?: number) => {
    const timer = real(run, ms === 60_000 ? milliseconds : ms);
    if (ms === 60_000) timers.push(timer);
    return timer;
  }) as typeof setTimeout);
  return timers;
}

test('a part that stalls for a minute fails for a reason that may pass', async () => {
  minutesOf(50);
  answer = () => undefined;
  const { part, close } = await opened();
  await expect(part(0, content.length)).rejects.toMatchObject({ code: 'network' });
  await close();
});

test('writes that are done after the part was refused leave no timer and report no progress', async () => {
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
  const timers = minutesOf(60_000);
  const ended = jest.spyOn(globalThis, 'clearTimeout');
  await expect(send('', { from: 0, to: MIB }, options)).rejects.toMatchObject({
    code: 'forbidden',
  });
  for (const written of late) written();
  await setImmediate();
  expect(late.length).toBeGreaterThan(0);
  expect(sent).toEqual([]);
  expect(ended.mock.calls.map(([timer]) => timer)).toEqual(expect.arrayContaining(timers));
  await close();
});

test('a part that is done leaves no timer and no connection', async () => {
  const timers = minutesOf(60_000);
  const ended = jest.spyOn(globalThis, 'clearTimeout');
  let closed: Promise<unknown> = Promise.resolve();
  answer = async (request, response) => {
    closed = once(request.socket, 'close');
    await buffer(request);
    response.setHeader('etag', '"x"').end();
  };
  const { part, close } = await opened();
  await part(0, 1000);
  expect(timers.length).toBeGreaterThan(0);
  for (const timer of timers) expect(ended).toHaveBeenCalledWith(timer);
  await closed;
  await close();
});
