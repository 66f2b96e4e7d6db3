/** No name deceives: a page shows what hides how a name is read (Unicode Technical Report 36). */
import type { Page } from 'playwright-core';
import { shownText, withoutHidden } from '../../core/hidden';
import { fileNameOf } from '../../dashboard/src/objects/download';
import { describeInBrowser, untilLoaded, useDashboard, visit } from './browser';

jest.setTimeout(300_000);

test.each([
  ['U+0000', '\0'],
  ['a line feed', '\n'],
  ['DEL', '\u007f'],
  ['a control of C1', '\u009b'],
  ['the soft hyphen', '\u00ad'],
  ['the Arabic letter mark', '\u061c'],
  ['the Mongolian vowel separator', '\u180e'],
  ['the zero width space', '\u200b'],
  ['the left-to-right mark', '\u200e'],
  ['the right-to-left mark', '\u200f'],
  ['the line separator', '\u2028'],
  ['the paragraph separator', '\u2029'],
  ['an embedding', '\u202a'],
  ['an override', '\u202e'],
  ['the word joiner', '\u2060'],
  ['an isolate', '\u2066'],
  ['the end of an isolate', '\u2069'],
  ['the byte order mark', '\ufeff'],
  ['an annotation', '\ufff9'],
  ['a tag', '\u{e0041}'],
])('%s is escaped in what is shown, and left out of file names', (_what, character) => {
  const escaped = `a\\u{${character.codePointAt(0)?.toString(16)}}b`;
  expect(shownText(`a${character}b`)).toBe(escaped);
  expect(withoutHidden(`a${character}b`, '_')).toBe('a_b');
  expect(fileNameOf(`x/a${character}b`)).toBe('a_b');
});

test.each([
  'Ünïcode 1.txt',
  '日本語',
  'مرحبا',
  'नमस्\u200dते',
  'می\u200cخواهم',
  '👩\u200d👩\u200d👧',
])('%s is shown as it is', (name) => {
  expect(shownText(name)).toBe(name);
});

const NAME = 'invoice_\u202efdp.exe';
const KEY = `in\u200f/${NAME}`;
const SHOWN = String.raw`invoice_\u{202e}fdp.exe`;

/** The texts of a page with hidden characters: also names of elements, tool tips, the title. */
const hiddenIn = async (page: Page) => {
  const texts = await page.evaluate(() => {
    const nodes = document.evaluate(
      '//text()[not(parent::script)] | //@aria-label | //@title | //@alt | //@placeholder',
      document,
      null,
      XPathResult.ORDERED_NODE_SNAPSHOT_TYPE,
    );
    return Array.from(
      { length: nodes.snapshotLength },
      (_, at) => nodes.snapshotItem(at)?.nodeValue?.replace(/[\n\r\t]/g, ' ') ?? '',
    );
  });
  return texts.filter((text) => shownText(text) !== text);
};

describeInBrowser('names with hidden characters', (browser) => {
  const dashboard = useDashboard(browser);
  const address = KEY.split('/').map(encodeURIComponent).join('/');
  const ofKey = (key: string) => `buckets/traps/object?key=${encodeURIComponent(key)}`;

  beforeAll(async () => {
    await dashboard.request('POST', '/buckets', { body: JSON.stringify({ name: 'traps' }) });
    await dashboard.request('PUT', `/objects/traps/${address}`, {
      body: 'text',
      headers: { 'content-type': 'text/plain' },
    });
    await dashboard.request('PATCH', `/objects/traps/${address}`, {
      body: JSON.stringify({ metadata: { note: 'no\u202eon' } }),
      headers: { 'content-type': 'application/json' },
    });
    await dashboard.request('POST', '/links', {
      body: JSON.stringify({ bucket: 'traps', key: KEY }),
    });
  });

  test('no page has one, and each shows the name with the escape', async () => {
    const hashes = [
      `buckets/traps?prefix=${encodeURIComponent('in\u200f/')}`,
      ofKey(KEY),
      'buckets/traps/links',
      'buckets/traps/history',
    ];
    for (const hash of hashes) {
      const { page, pageErrors } = await dashboard.open(hash);
      await page.getByText(SHOWN).first().waitFor();
      await untilLoaded(page);
      expect([hash, await hiddenIn(page)]).toEqual([hash, []]);
      expect(pageErrors).toEqual([]);
    }
  });

  test('no dialog of an object has one', async () => {
    const { page } = await dashboard.open(ofKey(KEY));
    const dialog = page.getByRole('dialog');
    const menu = page.getByRole('button', { name: 'More', exact: true });
    await menu.waitFor();
    for (const action of ['Create a link', 'Delete', 'Edit metadata', 'Rename', 'Copy']) {
      const button = page.getByRole('button', { name: action, exact: true });
      if (await button.isVisible()) await button.click();
      else {
        await menu.click();
        await page.getByRole('menuitem', { name: action, exact: true }).click();
      }
      await dialog.getByText(action === 'Copy' ? String.raw`in\u{200f}/` : SHOWN).waitFor();
      expect([action, await hiddenIn(page)]).toEqual([action, []]);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }
  });

  test('the true key is copied', async () => {
    const { page } = await dashboard.open(ofKey(KEY));
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy the key', exact: true }).click();
    await page.getByText('Copied', { exact: true }).first().waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(KEY);
  });

  test('no page about an API key has one', async () => {
    const { page } = await dashboard.open('keys');
    await page.getByRole('button', { name: 'Create key', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('ci\u202edaer');
    await dialog.getByLabel('Buckets', { exact: true }).fill('traps');
    await dialog.getByLabel('Only keys that begin with').fill('in\u200f/');
    await dialog.getByText(String.raw`below in\u{200f}/`).first().waitFor();
    expect(await hiddenIn(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create key', exact: true }).click();
    await page.getByTestId('secret').waitFor();
    expect(await hiddenIn(page)).toEqual([]);
    await page.keyboard.press('Escape');
    const key = page.getByRole('link', { name: String.raw`ci\u{202e}daer`, exact: true });
    await key.waitFor();
    expect(await hiddenIn(page)).toEqual([]);
    await key.click();
    await page.getByText(String.raw`below in\u{200f}/`).first().waitFor();
    await untilLoaded(page);
    expect(await hiddenIn(page)).toEqual([]);
    await visit(page, 'audit');
    await page.getByRole('row', { name: /Created a key.*ci\\u\{202e\}daer/ }).waitFor();
    expect(await hiddenIn(page)).toEqual([]);
  });
});
