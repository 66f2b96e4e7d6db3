/** Every page, light and dark, wide and narrow: for everybody, and with nothing stored that runs. */
import { describeInBrowser, useStage, violations } from './browser';

jest.setTimeout(180_000);

const SCRIPT = '<img src=x onerror=alert(1)>';

const PAGES: readonly [string, string][] = [
  ['keys', 'API keys'],
  ['buckets', 'Buckets'],
  ['audit', 'Audit'],
  ['usage', 'Usage'],
  ['reference', 'API reference'],
  ['buckets/photos', 'photos'],
  ['buckets/photos?prefix=2026%2F', '2026/'],
  ['buckets/photos/changes', 'Changes of photos'],
  ['buckets/photos/object?key=readme.txt', 'readme.txt'],
  [`buckets/photos/object?key=${encodeURIComponent(SCRIPT)}`, SCRIPT],
  ['buckets/photos/object?key=missing', 'missing'],
  ['buckets/not-there', 'not-there'],
  ['no-such-page', 'There is no such page'],
];

/** A counter may follow. */
const beginsWith = (text: string) => new RegExp(`^${text.replace(/[^\w ]/g, '\\$&')}`);

describeInBrowser('the pages', (browser) => {
  const stage = useStage(browser);

  beforeAll(async () => {
    await stage.request('POST', '/buckets', { body: '{"name":"photos"}' });
    const headers = { 'content-type': 'text/html', 'x-object-meta-camera': SCRIPT };
    for (const key of ['readme.txt', '2026/cat.jpg', SCRIPT, '"\'><script>alert(2)<!--.html']) {
      const body = `<script>alert(document.domain)</script>${SCRIPT}`;
      await stage.request(
        'PUT',
        `/objects/photos/${encodeURIComponent(key).replaceAll('%2F', '/')}`,
        {
          body,
          headers,
        },
      );
    }
  });

  const LOOKS = [
    ['light', 1280],
    ['light', 390],
    ['dark', 1280],
    ['dark', 390],
  ] as const;

  test.each(LOOKS)(
    'are WCAG AA in %s at %i pixels, run nothing stored, and fit',
    async (colorScheme, width) => {
      const { page, complaints } = await stage.visit({
        colorScheme,
        viewport: { width, height: 844 },
      });
      const found: string[] = [];
      for (const [hash, heading] of PAGES) {
        await page.goto(`${stage.service().baseUrl}/#/${hash}`);
        await page
          .getByRole('heading', { name: beginsWith(heading) })
          .first()
          .waitFor();
        await page
          .getByText(/^(Reading|Looking for|Connecting)/)
          .first()
          .waitFor({ state: 'detached' });
        found.push(...(await violations(page)).map((violation) => `${hash}: ${violation}`));
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        if (overflow > 0) found.push(`${hash}: ${overflow} pixels too wide`);
      }
      expect(found).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );

  test.each(LOOKS)('their dialogs are WCAG AA in %s at %i pixels', async (colorScheme, width) => {
    const { page, complaints } = await stage.visit({
      colorScheme,
      viewport: { width, height: 844 },
    });
    const found: string[] = [];
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Create key' }).click();
    // With everything that is missing said.
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('Give the key a name').waitFor();
    found.push(...(await violations(page)));
    await dialog.getByLabel('Name').fill(SCRIPT);
    await dialog.getByLabel('Buckets', { exact: true }).fill('photos');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await page.getByTestId('secret').waitFor();
    found.push(...(await violations(page)));
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.goto(`${stage.service().baseUrl}/#/buckets/photos`);
    await page.getByRole('button', { name: 'What to do with readme.txt' }).click();
    await page.getByRole('menuitem', { name: 'Make a link' }).click();
    await dialog.getByRole('button', { name: 'Make the link' }).click();
    await page.getByTestId('link').waitFor();
    found.push(...(await violations(page)));
    expect(found).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('a stored page does not run where it would be in the origin of the dashboard', async () => {
    const { page, complaints } = await stage.visit();
    const { baseUrl, apiKey } = stage.service();
    await page.setExtraHTTPHeaders({ authorization: `Bearer ${apiKey}` });
    await page.goto(`${baseUrl}/api/v2/storage/objects/photos/readme.txt`);
    expect(await page.evaluate(() => globalThis.origin)).toBe('null');
    // A script that the sandbox stops is told on the console, and that is how it should be.
    expect(complaints.filter((complaint) => complaint.startsWith('dialog'))).toEqual([]);
  });

  test('can be used by keyboard alone', async () => {
    const { page } = await stage.visit();
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
