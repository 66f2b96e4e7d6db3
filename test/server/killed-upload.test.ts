/** An upload by a process that is killed after each of its requests in turn, and continued. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileResume, StowageClient } from '../../client';
import { createFirstKey } from '../../server/first-key';
import { type RunningServer, startServer } from '../../server/server';
import { useTemporaryFolder } from '../support/temporary-folder';

jest.setTimeout(240_000);

const PART = 5 * 1024 ** 2;
const PROGRAM = path.join(__dirname, 'support/saved-upload.ts');
const folder = useTemporaryFolder('killed-upload');
const file = path.join(folder, 'content');

/** Between the client and the server. Kills the client before it gets the response `killAt`. */
const proxy = createServer((request, response) => void relay(request, response));
let child: ChildProcess | undefined;
let killAt = 0;
let requests = 0;
let parts = 0;
let killedInPart = false;
let server: RunningServer;
let port: number;
let baseUrl: string;
let apiKey: string;

beforeAll(async () => {
  writeFileSync(file, randomBytes(2 * PART + 7));
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  baseUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  port = await freePort();
  server = await startServer({ port, url: baseUrl });
  apiKey = await createFirstKey(server.stores, 'test');
  await new StowageClient({ baseUrl, apiKey }).buckets.create('films');
});
afterAll(async () => {
  proxy.close();
  proxy.closeAllConnections();
  await server.stop();
});

async function freePort(): Promise<number> {
  const probe = createServer();
  await once(probe.listen(0, '127.0.0.1'), 'listening');
  const { port: free } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return free;
}

const ofConnection =
  /^(host|connection|keep-alive|expect|transfer-encoding|content-(length|encoding))$/;

async function relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url = '' } = request;
  const body = await buffer(request);
  const headers = Object.entries(request.headers).filter(([name]) => !ofConnection.test(name));
  const answer = await fetch(`http://127.0.0.1:${port}${url}`, {
    ...{ method, headers: headers.map(([name, value]) => [name, String(value)]) },
    ...(body.length > 0 && { body }),
  });
  const isPart = method === 'PUT' && url.startsWith('/content');
  if (isPart) parts += 1;
  requests += 1;
  const content = Buffer.from(await answer.arrayBuffer());
  if (child && requests === killAt) {
    killedInPart = isPart;
    child.kill('SIGKILL');
    response.destroy();
    return;
  }
  const kept = [...answer.headers].filter(([name]) => !ofConnection.test(name));
  response.writeHead(answer.status, Object.fromEntries(kept)).end(content);
}

/** Returns whether the process was killed before the upload was done. */
async function uploadKilled(key: string, notes: string): Promise<boolean> {
  const settings = JSON.stringify({ baseUrl, apiKey, key, file, notes, partSize: PART });
  child = spawn(process.execPath, ['--import', 'tsx', PROGRAM, settings], { stdio: 'inherit' });
  const [status, signal] = await once(child, 'exit');
  child = undefined;
  expect([status, signal]).toEqual(signal === null ? [0, null] : [null, 'SIGKILL']);
  return signal !== null;
}

test('an upload that is killed after any request sends no saved part again', async () => {
  const client = new StowageClient({ baseUrl, apiKey });
  for (killAt = 1; ; killAt++) {
    [requests, parts, killedInPart] = [0, 0, false];
    const key = `film-${killAt}`;
    const notes = path.join(folder, `${key}.json`);
    const isKilled = await uploadKilled(key, notes);
    if (!isKilled) break;
    const options = { resume: fileResume(notes), partSize: PART, concurrency: 1 };
    const { version } = await client.upload('films', key, { path: file }, options);
    // The client does not know of the part whose response it did not get.
    expect([killAt, version, parts]).toEqual([killAt, 1, killedInPart ? 4 : 3]);
    expect(existsSync(notes)).toBe(false);
  }
  // The signed URLs, three parts, the completion, the state and the descriptor.
  expect(killAt).toBeGreaterThan(7);
});
