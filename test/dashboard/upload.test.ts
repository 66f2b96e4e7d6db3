/** Uploads by drag and drop: in one request, in parts, of folders, and across a reload. */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { useTemporaryFolder } from '../support/temporary-folder';
import { describeInBrowser, textOn, useDashboard, visit } from './browser';
import { drop, isPart } from './dropped-file';
import { useBuckets } from './file-pages';

jest.setTimeout(300_000);

/**
 * Three parts of at most 8 MiB. The page sends them concurrently, so that some are in progress
 * during the reload.
 */
const BYTES = Number(process.env.STOWAGE_UPLOAD_BYTES ?? 20 * 1024 * 1024 + 5);

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Returns the number of finished parts that the browser has saved. */
const savedParts = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const opening = indexedDB.open('stowage-uploads');
        opening.onsuccess = () => {
          const reading = opening.result.transaction('uploads').objectStore('uploads').getAll();
          reading.onsuccess = () => {
            opening.result.close();
            resolve(Object.keys(reading.result[0]?.saved.etags ?? {}).length);
          };
        };
      }),
  );

/** Resolves when a signed URL has expired: its claim has the time. */
async function untilExpired({ searchParams }: URL): Promise<void> {
  const [claim = ''] = (searchParams.get('signed') ?? '').split('.');
  const { expiresAt } = JSON.parse(Buffer.from(claim, 'base64url').toString());
  while (Date.now() <= expiresAt) await wait(50);
}

describeInBrowser('uploads', (browser) => {
  const dashboard = useDashboard(browser);
  const { open, keysOf } = useBuckets(dashboard);
  const folder = useTemporaryFolder('upload');

  const openBucket = async (bucket: string) => {
    await dashboard.request('POST', '/buckets', { body: JSON.stringify({ name: bucket }) });
    const opened = await dashboard.open(`buckets/${bucket}`, { anew: true });
    await textOn(opened.page, 'Nothing here yet').waitFor();
    return opened;
  };

  const stored = async (bucket: string, key: string) => {
    const response = await dashboard.request('GET', `/objects/${bucket}/${key}`);
    return new Uint8Array(await response.arrayBuffer());
  };

  test('upload of a large file is resumed after a reload and stores the same bytes', async () => {
    const file = path.join(folder, 'film.bin');
    const bytes = randomBytes(BYTES);
    writeFileSync(file, bytes);
    const { page, pageErrors } = await openBucket('films');
    // Before the reload only the first part is sent; requests for the others stay pending.
    let isPending = true;
    const sent: string[] = [];
    await page.route(isPart, (route) => {
      const number = new URL(route.request().url()).searchParams.get('partNumber') ?? '';
      if (isPending && number !== '1') return undefined;
      if (!isPending) sent.push(number);
      return route.fallback();
    });
    await drop(page, file);
    await page.getByRole('progressbar', { name: 'Upload of film.bin', exact: true }).waitFor();
    while ((await savedParts(page)) === 0) await page.waitForTimeout(20);
    await page.reload();
    await textOn(page, 'Interrupted: choose “film.bin” again').waitFor();
    isPending = false;
    const chooser = page.waitForEvent('filechooser');
    await page
      .getByRole('button', { name: 'Choose the file again: film.bin', exact: true })
      .click();
    await (await chooser).setFiles(file);
    await textOn(page, 'Uploaded, ').waitFor();
    await page.getByRole('link', { name: 'film.bin', exact: true }).waitFor();

    expect(sent).not.toContain('1');
    expect(new Set(sent).size).toBe(Math.ceil(BYTES / (8 * 1024 * 1024)) - 1);
    expect(sha256(await stored('films', 'film.bin'))).toBe(sha256(bytes));
    expect(pageErrors).toEqual([]);
  });

  test('a text is stored with its charset', async () => {
    const file = path.join(folder, 'note.txt');
    writeFileSync(file, 'naïve');
    const { page } = await openBucket('texts');
    await drop(page, file);
    await textOn(page, 'Uploaded, ').waitFor();
    const { headers } = await dashboard.request('HEAD', '/objects/texts/note.txt');
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
  });

  test('upload is not resumed with another file of the same name', async () => {
    const file = path.join(folder, 'other.bin');
    writeFileSync(file, randomBytes(9 * 1024 * 1024));
    const { page } = await openBucket('others');
    await page.route(isPart, () => undefined);
    const started = page.waitForRequest((request) => isPart(new URL(request.url())));
    await drop(page, file);
    await started;
    await page.reload();
    await textOn(page, 'Interrupted: choose “other.bin” again').waitFor();
    writeFileSync(file, randomBytes(9 * 1024 * 1024 + 1));
    const chooser = page.waitForEvent('filechooser');
    await page
      .getByRole('button', { name: 'Choose the file again: other.bin', exact: true })
      .click();
    await (await chooser).setFiles(file);
    await textOn(page, 'This is another file, or it has changed.').waitFor();
    await page.getByRole('button', { name: 'Discard: other.bin', exact: true }).click();
    await textOn(page, 'Interrupted').waitFor({ state: 'detached' });
  });

  test('upload renews URLs that expire while it runs', async () => {
    const file = path.join(folder, 'slow.bin');
    const bytes = randomBytes(10 * 1024 * 1024);
    writeFileSync(file, bytes);
    const { page } = await openBucket('slow');
    const signings: Record<string, unknown>[] = [];
    await page.route('**/signed-url', (route) => {
      const signing = route.request().postDataJSON();
      signings.push(signing);
      // The first URLs are valid for a second instead of an hour.
      const expires_in = signings.length === 1 ? 1 : signing.expires_in;
      return route.continue({ postData: { ...signing, expires_in } });
    });
    const refused: number[] = [];
    page.on('response', (response) => {
      if (isPart(new URL(response.url())) && !response.ok()) refused.push(response.status());
    });
    let isFirst = true;
    await page.route(isPart, async (route) => {
      // All parts but the first are sent after the URLs have expired.
      const wasFirst = isFirst;
      isFirst = false;
      if (!wasFirst && signings.length === 1) await untilExpired(new URL(route.request().url()));
      return route.fallback();
    });
    await drop(page, file);
    await textOn(page, 'Uploaded, ').waitFor();
    expect(new Set(refused)).toEqual(new Set([403]));
    // Again when they have expired, and before the upload is completed.
    const again = { multipart: { upload_id: expect.any(String) } };
    expect(signings).toMatchObject([{}, again, again]);
    expect(sha256(await stored('slow', 'slow.bin'))).toBe(sha256(bytes));
  });

  test('upload retries parts that fail', async () => {
    const file = path.join(folder, 'shaky.bin');
    const bytes = randomBytes(10 * 1024 * 1024);
    writeFileSync(file, bytes);
    const { page } = await openBucket('shaky');
    const failed = new Set<string>();
    await page.route(isPart, async (route) => {
      const number = new URL(route.request().url()).searchParams.get('partNumber') ?? '';
      if (failed.has(number)) return route.fallback();
      failed.add(number);
      return route.abort('connectionreset');
    });
    await drop(page, file);
    await textOn(page, 'Uploaded, ').waitFor();
    expect(failed.size).toBe(2);
    expect(sha256(await stored('shaky', 'shaky.bin'))).toBe(sha256(bytes));
  });

  test('upload of a small file replaces an object only when the user confirms', async () => {
    const file = path.join(folder, 'note.txt');
    writeFileSync(file, 'first');
    const { page } = await openBucket('notes');
    await drop(page, file);
    await textOn(page, 'Uploaded, 5 bytes').waitFor();
    writeFileSync(file, 'second');
    await drop(page, file);
    await textOn(page, 'There is an object of this name already.').waitFor();
    expect(Buffer.from(await stored('notes', 'note.txt')).toString()).toBe('first');
    await page.getByRole('button', { name: 'Replace it: note.txt', exact: true }).click();
    await textOn(page, 'Uploaded, 6 bytes').waitFor();
    expect(Buffer.from(await stored('notes', 'note.txt')).toString()).toBe('second');
  });

  test('the page downloads an object and an older version of it', async () => {
    const { page } = await openBucket('downloads');
    await dashboard.request('PUT', '/objects/downloads/a%20page.html', { body: '<b>one</b>' });
    await dashboard.request('PUT', '/objects/downloads/a%20page.html', { body: '<b>two</b>' });
    await visit(page, 'buckets/downloads/object?key=a%20page.html');
    const context = page.context();
    const download = new Promise<string>((resolve) => {
      const onDownload = async (event: import('playwright-core').Download) =>
        resolve(event.suggestedFilename());
      page.on('download', onDownload);
      context.on('page', (opened) => opened.on('download', onDownload));
    });
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    expect(await download).toBe('a page.html');
    const older = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download version 1', exact: true }).click();
    const saved = await (await older).path();
    expect(await (await older).suggestedFilename()).toBe('a page.html');
    expect(readFileSync(saved, 'utf8')).toBe('<b>one</b>');
  });

  test('the page makes an older version the current one, also of a deleted object', async () => {
    const { page } = await openBucket('history');
    await dashboard.request('PUT', '/objects/history/a', { body: 'one' });
    await dashboard.request('PUT', '/objects/history/a', { body: 'two' });
    await visit(page, 'buckets/history/object?key=a');
    await page.getByRole('button', { name: 'Make version 1 the current one', exact: true }).click();
    await page.getByRole('row', { name: /^3 Current/ }).waitFor();
    expect(Buffer.from(await stored('history', 'a')).toString()).toBe('one');
    await dashboard.request('DELETE', '/objects/history/a');
    await page.reload();
    await textOn(page, 'This object does not exist.').waitFor();
    await textOn(page, 'Deleted', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Make version 2 the current one', exact: true }).click();
    await page.getByRole('row', { name: /^5 Current/ }).waitFor();
    expect(Buffer.from(await stored('history', 'a')).toString()).toBe('two');
  });

  test('a folder is dropped with its folders, and one decision replaces all that exist', async () => {
    const { page } = await open('dropped', ['tree/a.txt', 'tree/deep/b.txt']);
    await page.getByRole('link', { name: 'tree/', exact: true }).waitFor();
    // A folder that a script makes, in place of one of the desktop.
    await page.evaluate(() => {
      const file = (name: string) => ({
        ...{ isDirectory: false, isFile: true, name },
        file: (done: (file: File) => void) => done(new File(['dropped'], name)),
      });
      const directory = (name: string, entries: readonly object[]) => ({
        ...{ isDirectory: true, isFile: false, name },
        createReader: () => {
          const parts = [...entries.map((entry) => [entry]), []];
          return { readEntries: (done: (some: object[]) => void) => done(parts.shift() ?? []) };
        },
      });
      const tree = directory('tree', [
        file('a.txt'),
        directory('deep', [file('b.txt')]),
        file('c'),
      ]);
      const item = { kind: 'file', webkitGetAsEntry: () => tree, getAsFile: () => null };
      const event = new DragEvent('drop', { bubbles: true, cancelable: true });
      Object.defineProperty(event, 'dataTransfer', { value: { types: ['Files'], items: [item] } });
      document.querySelector('.drop')?.dispatchEvent(event);
    });
    await page.getByRole('button', { name: 'Replace all 2', exact: true }).click();
    await textOn(page, '(3 of 3 done)').waitFor();
    const replaced = await dashboard.request('GET', '/objects/dropped/tree/deep/b.txt');
    expect(await replaced.text()).toBe('dropped');
    expect(await keysOf('dropped')).toEqual(['tree/a.txt', 'tree/c', 'tree/deep/b.txt']);
  });
});
