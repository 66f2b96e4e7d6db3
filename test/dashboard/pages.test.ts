/** Every page, light and dark, wide and narrow, is accessible and runs no stored content. */
import type { Page } from 'playwright-core';
import { check, describeInBrowser, useDashboard, WIDTHS } from './browser';

jest.setTimeout(300_000);

const SCRIPT = '<img src=x onerror=alert(1)>';

const PAGES: readonly [string, string][] = [
  ['keys', 'API keys'],
  ['buckets', 'Buckets'],
  ['audit', 'Audit'],
  ['usage', 'first key of npm start'],
  ['reference', 'API reference'],
  ['buckets/photos', 'photos'],
  ['buckets/photos?prefix=2026%2F', '2026/'],
  ['buckets/photos/changes', 'Changes of photos'],
  ['buckets/photos/links', 'Links of photos'],
  ['buckets/photos/object?key=readme.txt', 'readme.txt'],
  [`buckets/photos/object?key=${encodeURIComponent(SCRIPT)}`, SCRIPT],
  ['buckets/photos/object?key=missing', 'missing'],
  ['buckets/not-there', 'not-there'],
  ['no-such-page', 'There is no such page'],
];

/** Resolves when the page shows no loading text. Screen readers may get a second one. */
const untilLoaded = (page: Page) =>
  page
    .getByText(/Reading .*…|^Connecting/)
    .first()
    .waitFor({ state: 'detached' });

/** A heading may end with a counter. */
const beginsWith = (text: string) => new RegExp(`^${text.replace(/[^\w ]/g, '\\$&')}`);

describeInBrowser('the pages', (browser) => {
  const dashboard = useDashboard(browser);

  beforeAll(async () => {
    await dashboard.request('POST', '/buckets', { body: '{"name":"photos"}' });
    for (const [name, prefix] of [
      ['indexer', ''],
      ['thumbnails-of-the-pictures-of-2026', '2026/'],
    ]) {
      const body = JSON.stringify({ cursor: 0, prefix });
      await dashboard.request('PUT', `/buckets/photos/consumers/${name}`, { body });
    }
    const headers = { 'content-type': 'text/html', 'x-object-meta-camera': SCRIPT };
    for (const key of ['readme.txt', '2026/cat.jpg', SCRIPT, '"\'><script>alert(2)<!--.html']) {
      const body = `<script>alert(document.domain)</script>${SCRIPT}`;
      await dashboard.request(
        'PUT',
        `/objects/photos/${encodeURIComponent(key).replaceAll('%2F', '/')}`,
        {
          body,
          headers,
        },
      );
    }
  });

  test.each(WIDTHS)(
    'every page conforms to WCAG AA at %i pixels, fits, and runs no stored content',
    async (width) => {
      const { page, pageErrors } = await dashboard.openSignedIn({
        viewport: { width, height: 844 },
      });
      const found: string[] = [];
      for (const [hash, heading] of PAGES) {
        await page.goto(`${dashboard.service().baseUrl}/#/${hash}`);
        await page
          .getByRole('heading', { name: beginsWith(heading) })
          .first()
          .waitFor();
        await untilLoaded(page);
        found.push(...(await check(page, hash)));
      }
      expect(found).toEqual([]);
      expect(pageErrors).toEqual([]);
    },
  );

  const FAILING: readonly [string, string][] = [
    ['buckets', 'The buckets could not be read'],
    ['keys', 'The keys could not be read'],
    ['audit', 'The records could not be read'],
    ['usage', 'The keys could not be read'],
    ['buckets/photos', 'The objects could not be read'],
    ['buckets/photos/links', 'The links could not be read'],
    ['buckets/photos/object?key=readme.txt', 'The object could not be read'],
  ];

  test.each(WIDTHS)(
    'a page that cannot be read shows only the failure at %i pixels',
    async (width) => {
      const { page } = await dashboard.openSignedIn({ viewport: { width, height: 844 } });
      const found: string[] = [];
      const body = '{"error":{"code":"internal","message":"internal","request_id":"r-1"}}';
      await page.route(/\/(admin\/v1|api\/v2\/storage)\//, (route) =>
        route.fulfill({ status: 500, contentType: 'application/json', body }),
      );
      for (const [hash, message] of FAILING) {
        await page.goto(`${dashboard.service().baseUrl}/#/${hash}`);
        await page.getByText(message).waitFor();
        await untilLoaded(page);
        expect(await page.getByText(/No .* yet|Nothing here yet/).count()).toBe(0);
        found.push(...(await check(page, `failing ${hash}`)));
      }
      expect(found).toEqual([]);
    },
  );

  test('a stored page does not run in the origin of the dashboard', async () => {
    const { page, pageErrors } = await dashboard.openSignedIn();
    const { baseUrl, apiKey } = dashboard.service();
    await page.setExtraHTTPHeaders({ authorization: `Bearer ${apiKey}` });
    await page.goto(`${baseUrl}/api/v2/storage/objects/photos/readme.txt`);
    expect(await page.evaluate(() => globalThis.origin)).toBe('null');
    // The browser logs a script that the sandbox blocks, so only dialogs are errors here.
    expect(pageErrors.filter((error) => error.startsWith('dialog'))).toEqual([]);
  });

  test('the pages can be used by keyboard alone', async () => {
    const { page } = await dashboard.openSignedIn();
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
    const tabTo = async (text: string) => {
      for (let press = 0; press < 40 && (await focused()) !== text; press++) {
        await page.keyboard.press('Tab');
      }
      expect(await focused()).toBe(text);
    };
    await tabTo('Buckets');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Buckets' }).waitFor();
    await tabTo('Create bucket');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByLabel('Name').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('by-keyboard');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'by-keyboard' }).waitFor();
  });
});
