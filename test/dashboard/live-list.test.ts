/** The page examples/live-list with the hooks of the React package, in the browser. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { StowageClient } from '../../client';
import { useTemporaryFolder } from '../support/temporary-folder';
import { until } from '../support/until';
import { describeInBrowser, useDashboard } from './browser';

jest.setTimeout(180_000);

/** An origin of `allowedOrigins` in the environment dev. */
const PAGE = 'http://localhost:3000';
const ROOT = path.join(__dirname, '../..');
const EXAMPLE = path.join(ROOT, 'examples/live-list');

/** The page with its packages from the sources. */
function bundle(folder: string): string {
  const outfile = path.join(folder, 'main.js');
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      path.join(ROOT, 'node_modules/esbuild/bin/esbuild'),
      path.join(EXAMPLE, 'src/main.tsx'),
      ...['--bundle', '--format=esm', '--jsx=automatic', `--outfile=${outfile}`],
      `--alias:@stowage/client=${ROOT}/client/index.ts`,
      `--alias:@stowage/react=${ROOT}/react-hooks/index.ts`,
      '--define:process.env.NODE_ENV="development"',
    ],
    { encoding: 'utf8', cwd: ROOT },
  );
  if (status !== 0) throw new Error(stderr);
  return readFileSync(outfile, 'utf8');
}

describeInBrowser('the page of live-list', (browser) => {
  const folder = useTemporaryFolder('live-list');
  let server: Server;
  let port = 0;
  beforeAll(async () => {
    const script = bundle(folder);
    const page = readFileSync(path.join(EXAMPLE, 'index.html'), 'utf8');
    server = createServer(({ url }, response) => {
      const isScript = url === '/src/main.tsx';
      response.writeHead(200, { 'Content-Type': isScript ? 'text/javascript' : 'text/html' });
      response.end(isScript ? script : page);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(() => server.close());
  const dashboard = useDashboard(browser, () => [
    `--host-resolver-rules=MAP localhost:3000 127.0.0.1:${port}`,
  ]);

  const clientOf = () => {
    const { baseUrl, apiKey } = dashboard.service();
    return new StowageClient({ baseUrl, apiKey });
  };

  const open = async (bucket: string): Promise<Page> => {
    const actions = ['read', 'write', 'list', 'sync', 'sign'];
    const { token } = await clientOf().temporaryKey([{ buckets: [bucket], actions }]);
    const { page } = await dashboard.openEmpty();
    await page.goto(PAGE);
    await page.getByLabel('Address of the service').fill(dashboard.service().baseUrl);
    await page.getByLabel('Temporary key').fill(token);
    await page.getByLabel('Bucket').fill(bucket);
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    return page;
  };

  const keysOf = (page: Page) => page.locator('tbody td:first-child').allTextContents();

  const untilKeys = (page: Page, keys: readonly string[]) =>
    until(`the list ${keys}`, async () => String(await keysOf(page)) === String(keys));

  test('shows uploads of a person to all, commits at once, and deletions', async () => {
    const client = clientOf();
    await client.buckets.create('live');
    await client.put('live', '\u{1f408}', 'cat');
    await client.put('live', '\uffee', 'circle');
    const [ada, bob] = [await open('live'), await open('live')];
    await untilKeys(ada, ['\uffee', '\u{1f408}']);
    await untilKeys(bob, ['\uffee', '\u{1f408}']);
    const film = { name: 'film.bin', mimeType: 'video/mp4', buffer: Buffer.alloc(12_000_000, 7) };
    await ada.getByLabel('Upload files').setInputFiles(film);
    await ada.getByText('film.bin: done').waitFor();
    await untilKeys(bob, ['film.bin', '\uffee', '\u{1f408}']);
    expect(await client.describe('live', 'film.bin')).toMatchObject({ size: 12_000_000 });

    // Every state of the list that the page renders.
    await bob.evaluate(() => {
      const seen: number[] = [];
      Object.assign(globalThis, { seen });
      const body = document.querySelector('tbody') as Element;
      new MutationObserver(() => seen.push(body.children.length)).observe(body, {
        childList: true,
      });
    });
    await client.commit('live', [
      { op: 'put', key: 'a', content: 'a' },
      { op: 'put', key: 'b', content: 'b' },
    ]);
    await untilKeys(bob, ['a', 'b', 'film.bin', '\uffee', '\u{1f408}']);
    await client.delete('live', 'a');
    await untilKeys(bob, ['b', 'film.bin', '\uffee', '\u{1f408}']);
    expect(await bob.evaluate(() => (globalThis as unknown as { seen: number[] }).seen)).toEqual([
      5, 4,
    ]);
    const newest = bob
      .getByRole('region', { name: 'Changes', exact: true })
      .getByRole('listitem')
      .first();
    await newest.filter({ hasText: 'delete a' }).waitFor();
  });

  test('is exact after the connection was lost', async () => {
    const client = clientOf();
    await client.buckets.create('lost');
    await client.put('lost', 'a', 'a');
    const page = await open('lost');
    await untilKeys(page, ['a']);
    await page.context().setOffline(true);
    await page.getByText('(connecting…)').waitFor();
    await client.put('lost', 'b', 'b');
    await client.delete('lost', 'a');
    expect(await keysOf(page)).toEqual(['a']);
    await page.context().setOffline(false);
    await untilKeys(page, ['b']);
  });

  test('says why a bucket cannot be followed, and follows it when asked again', async () => {
    const page = await open('later');
    await page.getByRole('alert').waitFor();
    await clientOf().buckets.create('later');
    await clientOf().put('later', 'a', 'a');
    await page.getByRole('button', { name: 'Try again', exact: true }).click();
    await untilKeys(page, ['a']);
  });
});
