/** Many requests with one signal leave no listener on it, and Node.js has nothing to warn of. */
import { execFile } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { StowageClient } from '../../client';
import { createFirstKey } from '../../server/first-key';
import { type RunningServer, startServer } from '../../server/server';
import { useTemporaryFolder } from '../support/temporary-folder';

jest.setTimeout(60_000);

const folder = useTemporaryFolder('listeners');
const run = promisify(execFile);
let server: RunningServer;
let apiKey: string;
let client: StowageClient;
let stop: AbortController;

beforeAll(async () => {
  server = await startServer({ port: 0 });
  apiKey = await createFirstKey(server.stores, 'test');
  client = new StowageClient({ baseUrl: server.url, apiKey });
  await client.buckets.create('photos');
  await client.put('photos', 'cat', 'cat');
  await client.put('photos', 'large', new Uint8Array(2_000_000));
});
afterAll(async () => {
  await server.stop();
});
beforeEach(() => {
  stop = new AbortController();
});

const times = <T>(count: number, work: (nth: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, nth) => work(nth)));
const get = (key: string) => client.get('photos', key, { signal: stop.signal });
const count = () => getEventListeners(stop.signal, 'abort').length;

test.each<[string, () => Promise<unknown>]>([
  [
    '50 gets, one after the other',
    async () => {
      for (let nth = 0; nth < 50; nth++) expect(await (await get('cat')).text()).toBe('cat');
    },
  ],
  [
    '50 gets at once, whose bodies are read, canceled or split',
    async () => {
      const responses = await times(50, () => get('cat'));
      expect(count()).toBe(1);
      await times(50, async (nth) => {
        if (nth % 3 === 0) return responses[nth]?.body?.cancel();
        const copy = nth % 3 === 1 ? responses[nth]?.clone() : undefined;
        return [await responses[nth]?.text(), await copy?.text()];
      });
    },
  ],
  [
    '50 responses without a body',
    async () => {
      const { etag } = await client.describe('photos', 'cat');
      const { signal } = stop;
      await times(50, () => client.get('photos', 'cat', { signal, ifNoneMatch: etag }));
    },
  ],
  ['50 failures', () => times(50, () => get('dog').catch(() => undefined))],
  [
    '50 uploads',
    () => times(50, (nth) => client.upload('photos', `${nth}`, new Uint8Array(9), stop)),
  ],
  [
    '50 downloads',
    () =>
      times(50, (nth) =>
        client.download('photos', 'cat', { path: path.join(folder, `${nth}`) }, stop),
      ),
  ],
])('%s leave no listener', async (_, work) => {
  await work();
  expect(count()).toBe(0);
});

test('a signal ends a body that is read, with its reason, and keeps no listener', async () => {
  const response = await get('large');
  expect([response.url, response.redirected]).toEqual([
    `${server.url}/api/v2/storage/objects/photos/large`,
    false,
  ]);
  const reader = response.body?.getReader();
  await reader?.read();
  stop.abort(new Error('enough'));
  const rest = async () => {
    while (!(await reader?.read())?.done);
  };
  await expect(rest()).rejects.toThrow('enough');
  expect(count()).toBe(0);
});

test('Node.js has nothing to warn of in a program with many requests at once', async () => {
  const settings = JSON.stringify({ baseUrl: server.url, apiKey });
  const program = path.join(__dirname, 'support/many-requests.ts');
  const { stdout } = await run(process.execPath, ['--import', 'tsx', program, settings]);
  expect(JSON.parse(stdout)).toEqual([]);
});

test('sync of many files writes no warning to the standard error output', async () => {
  const env = {
    ...{ ...process.env, STOWAGE_URL: server.url, STOWAGE_KEY: apiKey },
    XDG_STATE_HOME: path.join(folder, 'state'),
  };
  await client.buckets.create('many');
  const files = path.join(folder, 'files');
  mkdirSync(files);
  for (let nth = 0; nth < 40; nth++) writeFileSync(path.join(files, `${nth}`), `${nth}`);
  const command = path.join(__dirname, '../../cli/stowage.ts');
  const sync = (...args: string[]) =>
    run(process.execPath, ['--import', 'tsx', command, 'sync', ...args, '--parallel', '16'], {
      env,
    });
  expect((await sync(files, 'many:')).stderr).toBe('40 uploaded\n');
  expect((await sync('many:', path.join(folder, 'back'))).stderr).toBe('40 downloaded\n');
  expect(readdirSync(path.join(folder, 'back'))).toHaveLength(40);
});
