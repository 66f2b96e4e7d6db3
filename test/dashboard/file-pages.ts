/** What a person does on the page of a folder. */
import type { Page } from 'playwright-core';
import type { Dashboard } from './browser';

/** Buckets for tests of their pages. */
export function useBuckets(dashboard: Dashboard) {
  /** Makes a bucket with these objects, each with its key as content, and opens its page. */
  const open = async (bucket: string, keys: readonly string[], width = 1280) => {
    await dashboard.request('POST', '/buckets', { body: JSON.stringify({ name: bucket }) });
    for (const key of keys) {
      const headers = { 'content-type': 'text/plain' };
      await dashboard.request('PUT', `/objects/${bucket}/${key}`, { body: key, headers });
    }
    return dashboard.open(`buckets/${bucket}`, { width, anew: true });
  };

  const keysOf = async (bucket: string): Promise<readonly string[]> => {
    const response = await dashboard.request('GET', `/objects/${bucket}`);
    return (await response.json()).objects.map(({ key }: { key: string }) => key);
  };

  /** Deletes an object that the page lists, and resolves when the page has read that it is gone. */
  const removeListed = async (page: Page, bucket: string, key: string) => {
    const link = page.getByRole('link', { name: key, exact: true });
    await link.waitFor();
    await dashboard.request('DELETE', `/objects/${bucket}/${key}`);
    await page.getByRole('button', { name: 'Read the objects again', exact: true }).click();
    await link.waitFor({ state: 'detached' });
  };

  return { open, keysOf, removeListed };
}

export const choose = async (page: Page, row: string, item: string) => {
  await page.getByRole('button', { name: `Actions for ${row}`, exact: true }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
};

export const box = (page: Page, name: string) => page.getByRole('checkbox', { name, exact: true });

export const select = async (page: Page, ...names: string[]) => {
  for (const name of names) await box(page, `Select ${name}`).check();
};

export const withSelection = async (page: Page, count: number, item: string) => {
  await page.getByRole('button', { name: `${count} selected`, exact: true }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
};

export const confirm = (page: Page, text: string) =>
  page.getByRole('dialog').getByRole('button', { name: text, exact: true }).click();

/** Moves the objects that are listed to a folder of a bucket. */
export const moveAll = async (page: Page, count: number, toBucket: string, folder = '') => {
  await box(page, 'Select all that are listed').check();
  await withSelection(page, count, 'Move');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Bucket/ })
    .click();
  // The one that is selected may say so.
  await page.getByRole('option', { name: new RegExp(`^(Selected )?${toBucket}$`) }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Folder', exact: true }).fill(folder);
  await confirm(page, 'Move');
};

export const untilDone = (page: Page, text: string) =>
  page.locator('[data-testid=job][data-state=done]').filter({ hasText: text }).waitFor();

/** The texts in a zip by name, from its central directory (APPNOTE 4.3.12). */
export function unzipped(zip: Buffer): Readonly<Record<string, string>> {
  const files: Record<string, string> = {};
  let at = zip.readUInt32LE(zip.lastIndexOf('PK\x05\x06') + 16);
  while (zip.readUInt32LE(at) === 0x02014b50) {
    const [size, name] = [zip.readUInt32LE(at + 20), zip.readUInt16LE(at + 28)];
    const more = zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
    const local = zip.readUInt32LE(at + 42);
    const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    files[zip.toString('utf8', at + 46, at + 46 + name)] = zip.toString('utf8', from, from + size);
    at += 46 + name + more;
  }
  return files;
}
