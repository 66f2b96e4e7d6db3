/**
 * A page of another origin uses the client with a temporary key: each person sees, uploads to and
 * follows a folder of the bucket, and nothing else.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { StowageClient } from '../../client';
import { until } from '../support/until';
import { describeInBrowser, useDashboard } from './browser';

jest.setTimeout(180_000);

/** An origin of this machine, which may use the service, and one that may not. */
const PAGE = 'http://localhost:3000';
const OTHER = 'http://other.example:3000';

const read = (name: string) => readFileSync(path.join(__dirname, '../..', name), 'utf8');

/** Scripts by their path. The worker does in a browser what `.ci/steps/runtimes` does elsewhere. */
const SCRIPTS: Readonly<Record<string, string>> = {
  '/client.mjs': read('dist/client/index.mjs'),
  '/exercise.mjs': read('test/runtimes/exercise.mjs'),
  '/worker.mjs': `
import * as stowage from '/client.mjs';
import { exercise } from '/exercise.mjs';
onmessage = ({ data }) => exercise(stowage, data).then(postMessage, (error) => postMessage(String(error)));
`,
};

interface Settings {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly prefix: string;
}

/** What the page has in its global scope. */
interface Folder {
  readonly seen: string[];
  exercise(settings: Settings & { readonly bucket: string }): Promise<string>;
  put(key: string, text: string): Promise<string>;
  list(prefix: string): Promise<string[]>;
  get(key: string): Promise<{ text: string; etag: string | null; camera: string | null }>;
}

/** The script of the page. */
const SCRIPT = `
import * as stowage from '/client.mjs';
import { exercise } from '/exercise.mjs';
const { StowageClient } = stowage;
const settings = JSON.parse(document.querySelector('#settings').textContent);
const client = new StowageClient(settings);
const bucket = 'folders';
const codeOf = (error) => error.code ?? String(error);
globalThis.folder = {
  seen: [],
  exercise: (data) => exercise(stowage, data),
  put: (key, text) => client.put(bucket, key, text, { metadata: { camera: 'x100' } })
    .then(({ key }) => key, codeOf),
  list: (prefix) => client.list(bucket, { prefix })
    .then(({ objects }) => objects.map(({ key }) => key), (error) => [codeOf(error)]),
  get: async (key) => {
    const response = await client.get(bucket, key);
    const header = (name) => response.headers.get(name);
    const camera = header('x-object-meta-camera');
    return { text: await response.text(), etag: header('etag'), camera };
  },
};
const subscription = client.sync({ [bucket]: { cursor: 0, prefix: settings.prefix } });
for await (const event of subscription.events()) {
  if (event.type === 'put') folder.seen.push(event.object.key);
}
`;

/** Serves the page with the settings in its query, and the client. */
const startServer = async (): Promise<Server> => {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', PAGE);
    const script = SCRIPTS[pathname];
    const document = `<!doctype html><title>folder</title>
<script type="application/json" id="settings">${searchParams.get('settings')}</script>
<script type="module">${SCRIPT}</script>`;
    response.writeHead(200, { 'Content-Type': script ? 'text/javascript' : 'text/html' });
    response.end(script ?? document);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
};

/** The keys that the page has seen by following. */
const seenBy = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { readonly folder: Folder }).folder.seen);

/** Calls a method of the page's folder. */
async function ask<Name extends 'put' | 'list' | 'get'>(
  page: Page,
  name: Name,
  ...values: Parameters<Folder[Name]>
): Promise<Awaited<ReturnType<Folder[Name]>>> {
  const result: unknown = await page.evaluate(
    ([method, given]) => {
      const { folder } = globalThis as unknown as {
        readonly folder: Record<string, (...texts: string[]) => Promise<unknown>>;
      };
      return folder[method]?.(...given);
    },
    [name, values as string[]] as const,
  );
  return result as Awaited<ReturnType<Folder[Name]>>;
}

describeInBrowser('pages of another origin', (browser) => {
  let server: Server | undefined;
  let port = 0;
  beforeAll(async () => {
    server = await startServer();
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(() => server?.close());
  /** The origins have fixed ports, the server has a free one. */
  const dashboard = useDashboard(browser, () => {
    const rules = [PAGE, OTHER].map((page) => `MAP ${new URL(page).host} 127.0.0.1:${port}`);
    return [`--host-resolver-rules=${rules.join(',')}`];
  });

  const open = async (
    user: string,
    origin = PAGE,
    actions = ['read', 'write', 'list', 'sync', 'sign'],
  ) => {
    const { baseUrl, apiKey } = dashboard.service();
    const maker = new StowageClient({ baseUrl, apiKey });
    const prefix = `users/${user}/`;
    const permissions = [{ buckets: ['folders'], prefix, actions }];
    const { token } = await maker.temporaryKey(permissions, { expiresIn: 600 });
    const { page } = await dashboard.openEmpty();
    const settings: Settings = { baseUrl, apiKey: token, prefix };
    await page.goto(`${origin}/?${new URLSearchParams({ settings: JSON.stringify(settings) })}`);
    await page.waitForFunction(() => 'folder' in globalThis);
    return page;
  };

  beforeAll(() => dashboard.request('POST', '/buckets', { body: '{"name":"folders"}' }));

  test('each person sees, uploads to and follows the own folder and no other', async () => {
    const [ada, bob] = [await open('ada'), await open('bob')];
    expect(await ask(ada, 'put', 'users/ada/a.txt', 'of Ada')).toBe('users/ada/a.txt');
    expect(await ask(bob, 'put', 'users/bob/b.txt', 'of Bob')).toBe('users/bob/b.txt');
    for (const [page, own, other] of [
      [ada, 'users/ada/a.txt', 'users/bob/'],
      [bob, 'users/bob/b.txt', 'users/ada/'],
    ] as const) {
      const seen = await until('a change', async () => {
        const keys = await seenBy(page);
        return keys.length > 0 && keys;
      });
      expect(seen).toEqual([own]);
      expect(await ask(page, 'list', own.slice(0, 10))).toEqual([own]);
      // The page can read why it was refused.
      expect(await ask(page, 'list', other)).toEqual(['forbidden']);
      expect(await ask(page, 'put', `${other}c.txt`, 'x')).toBe('forbidden');
    }
  });

  test('a page reads the headers of a response', async () => {
    const page = await open('eve');
    await ask(page, 'put', 'users/eve/a', 'content');
    expect(await ask(page, 'get', 'users/eve/a')).toEqual({
      text: 'content',
      etag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
      camera: 'x100',
    });
  });

  test.each(['page', 'worker'])('a %s uploads 12 MB, downloads it and follows', async (where) => {
    const page = await open(where, PAGE, ['read', 'write', 'list', 'sync', 'sign', 'delete']);
    const { baseUrl, apiKey } = JSON.parse(
      (await page.locator('#settings').textContent()) ?? '',
    ) as Settings;
    const settings = { baseUrl, apiKey, bucket: 'folders', prefix: `users/${where}/` };
    const said = await page.evaluate(
      async ([data, inWorker]) => {
        const { folder } = globalThis as unknown as { readonly folder: Folder };
        if (!inWorker) return folder.exercise(data);
        const worker = new Worker('/worker.mjs', { type: 'module' });
        const answer = new Promise((resolve) => {
          worker.onmessage = (message) => resolve(message.data);
        });
        worker.postMessage(data);
        return answer;
      },
      [settings, where === 'worker'] as const,
    );
    expect(said).toMatch(new RegExp(`^users/${where}/film.bin at cursor \\d+$`));
  });

  test('a page of an origin that is not allowed reads nothing', async () => {
    const page = await open('mallory', OTHER);
    expect(await ask(page, 'list', 'users/mallory/')).toEqual(['network']);
  });
});
