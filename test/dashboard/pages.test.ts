/** Every page, light and dark, wide and narrow, is accessible and runs no stored content. */
import { describeInBrowser, textOn, untilLoaded, useDashboard, visit } from './browser';
import { check, WIDTHS } from './check';

jest.setTimeout(300_000);

const SCRIPT = '<img src=x onerror=alert(1)>';

const PAGES: readonly [string, string][] = [
  ['overview', 'Overview'],
  ['keys', 'API keys'],
  ['buckets', 'Buckets'],
  ['audit', 'Audit'],
  ['usage', 'Usage'],
  ['reference', 'API reference'],
  ['buckets/photos', 'photos'],
  ['buckets/photos?prefix=2026%2F', '2026/'],
  ['buckets/photos/changes', 'Changes of photos'],
  ['buckets/photos/links', 'Links of photos'],
  ['buckets/photos/history', 'History of photos'],
  ['buckets/photos/settings', 'Settings of photos'],
  ['buckets/empty/history', 'History of empty'],
  ['buckets/not-there/settings', 'Settings of not-there'],
  ['keys/000000000000', 'Key 000000000000'],
  ['buckets/photos/object?key=readme.txt', 'readme.txt'],
  [`buckets/photos/object?key=${encodeURIComponent(SCRIPT)}`, SCRIPT],
  ['buckets/photos/object?key=missing', 'missing'],
  ['buckets/not-there', 'not-there'],
  ['no-such-page', 'There is no such page'],
];

/** A heading may end with a counter. */
const beginsWith = (text: string) => new RegExp(`^${text.replace(/[^\w ]/g, '\\$&')}`);

describeInBrowser('the pages', (browser) => {
  const dashboard = useDashboard(browser);

  beforeAll(async () => {
    await dashboard.request('POST', '/buckets', { body: '{"name":"photos"}' });
    await dashboard.request('POST', '/buckets', { body: '{"name":"empty"}' });
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
      const { page, pageErrors } = await dashboard.open('overview', { width });
      const found: string[] = [];
      for (const [hash, heading] of PAGES) {
        await visit(page, hash);
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
    ['overview', 'The usage could not be read'],
    ['buckets', 'The buckets could not be read'],
    ['keys', 'The keys could not be read'],
    ['audit', 'The records could not be read'],
    ['usage', 'The usage could not be read'],
    ['keys/000000000000', 'The key could not be read'],
    ['buckets/photos/history', 'The history could not be read'],
    ['buckets/photos/settings', 'The bucket could not be read'],
    ['buckets/photos', 'The objects could not be read'],
    ['buckets/photos/links', 'The links could not be read'],
    ['buckets/photos/object?key=readme.txt', 'The object could not be read'],
  ];

  test.each(WIDTHS)(
    'a page that cannot be read shows only the failure at %i pixels',
    async (width) => {
      const { page } = await dashboard.open('overview', { width });
      const found: string[] = [];
      const body = '{"error":{"code":"internal","message":"internal","request_id":"r-1"}}';
      await page.route(/\/(admin\/v1|api\/v2\/storage)\//, (route) =>
        route.fulfill({ status: 500, contentType: 'application/json', body }),
      );
      for (const [hash, message] of FAILING) {
        await visit(page, hash);
        await textOn(page, message).waitFor();
        await untilLoaded(page);
        expect(await textOn(page, /No .* yet|Nothing here yet/).count()).toBe(0);
        found.push(...(await check(page, `failing ${hash}`)));
      }
      expect(found).toEqual([]);
    },
  );

  test.each(WIDTHS)('an operation of the reference can be read at %i pixels', async (width) => {
    const { page, pageErrors } = await dashboard.open('reference', { width });
    const { baseUrl } = dashboard.service();
    await page.getByLabel('Find operations').fill('patch bucket lifecycle');
    await page.getByRole('button', { name: /PATCH/ }).click();
    await textOn(page, `'${baseUrl}/api/v2/storage/buckets/photos'`).waitFor();
    expect(await check(page, 'operation')).toEqual([]);
    expect(pageErrors).toEqual([]);
  });

  test.each(['', '/changes', '/history', '/links', '/settings'])(
    'the page%s of a missing bucket leads back to the buckets',
    async (which) => {
      const { page } = await dashboard.open(`buckets/not-there${which}`);
      await textOn(page, 'There is no such bucket').first().waitFor();
      await page.getByRole('button', { name: 'Go to the buckets', exact: true }).first().click();
      await page.getByRole('heading', { name: 'Buckets' }).waitFor();
    },
  );

  test('a stored page does not run in the origin of the dashboard', async () => {
    const { page, pageErrors } = await dashboard.openEmpty();
    const { baseUrl, apiKey } = dashboard.service();
    await page.setExtraHTTPHeaders({ authorization: `Bearer ${apiKey}` });
    await page.goto(`${baseUrl}/api/v2/storage/objects/photos/readme.txt`);
    expect(await page.evaluate(() => globalThis.origin)).toBe('null');
    // The browser logs a script that the sandbox blocks, so only dialogs are errors here.
    expect(pageErrors.filter((error) => error.startsWith('dialog'))).toEqual([]);
  });

  test('the pages can be used by keyboard alone', async () => {
    const { page } = await dashboard.open('overview', { anew: true });
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
    await page.getByRole('link', { name: 'by-keyboard', exact: true }).waitFor();
  });
});
