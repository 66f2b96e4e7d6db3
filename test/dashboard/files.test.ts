/** Objects and folders are selected, moved, copied, renamed, edited, downloaded and deleted. */
import { readFileSync } from 'node:fs';
import type { Route } from 'playwright-core';
import { until } from '../support/until';
import { describeInBrowser, textOn, useDashboard, visit } from './browser';
import { check, WIDTHS } from './check';
import {
  box,
  choose,
  confirm,
  moveAll,
  select,
  untilDone,
  unzipped,
  useBuckets,
  withSelection,
} from './file-pages';

jest.setTimeout(300_000);

describeInBrowser('files', (browser) => {
  const dashboard = useDashboard(browser);
  const { open, keysOf, removeListed } = useBuckets(dashboard);

  test('a selection of objects and folders is deleted, more than one commit takes', async () => {
    const many = Array.from({ length: 40 }, (_, index) => `n${String(index).padStart(2, '0')}`);
    const { page, pageErrors } = await open('bulk', [...many, 'f/a', 'f/g/b', 'stays']);
    await box(page, 'Select all that are listed').check();
    await box(page, 'Select stays').uncheck();
    await withSelection(page, 41, 'Delete');
    await textOn(page, 'Delete 40 objects and 1 folder?').waitFor();
    await confirm(page, 'Delete');
    await untilDone(page, '42 objects deleted');
    expect(await keysOf('bulk')).toEqual(['stays']);
    await page.getByRole('link', { name: 'n00', exact: true }).waitFor({ state: 'detached' });
    expect(pageErrors).toEqual([]);
  });

  test('a job that a reload interrupts is continued, and empties the bucket', async () => {
    const { page } = await open('emptied', ['a', 'b/c']);
    const deletion = (url: URL) => url.pathname.endsWith('/objects/emptied');
    // The deletion gets no response before the reload.
    await page.route(deletion, (route) =>
      route.request().method() === 'DELETE' ? undefined : route.fallback(),
    );
    const sent = page.waitForRequest((request) => request.method() === 'DELETE');
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Empty this bucket', exact: true }).click();
    await confirm(page, 'Empty');
    await sent;
    await page.reload();
    await page.unroute(deletion);
    await textOn(page, 'Interrupted when the page was left').waitFor();
    expect(await keysOf('emptied')).toEqual(['a', 'b/c']);
    await page
      .getByRole('button', { name: 'Continue: Empty the bucket emptied', exact: true })
      .click();
    await untilDone(page, '2 objects deleted');
    expect(await keysOf('emptied')).toEqual([]);
    await textOn(page, 'curl -T cat.jpg').waitFor();
  });

  test('an object is renamed, and never over another one', async () => {
    const { page } = await open('renamed', ['d/old', 'd/taken']);
    await visit(page, 'buckets/renamed?prefix=d%2F');
    await choose(page, 'old', 'Rename');
    const name = page.getByRole('dialog').getByLabel('New name');
    await name.fill('taken');
    await confirm(page, 'Rename');
    await textOn(page, 'There is an object of this name already.').waitFor();
    await name.fill('new');
    await confirm(page, 'Rename');
    await page.getByRole('link', { name: 'new', exact: true }).waitFor();
    expect(await keysOf('renamed')).toEqual(['d/new', 'd/taken']);
  });

  test('a folder is renamed, moved and copied to another bucket, and existing objects stay', async () => {
    await dashboard.request('POST', '/buckets', { body: '{"name":"elsewhere"}' });
    await dashboard.request('PUT', '/objects/elsewhere/in/photos/a', { body: 'other' });
    const { page } = await open('folders', ['pics/a', 'pics/b/c', 'note']);
    await choose(page, 'pics/', 'Rename');
    await page.getByRole('dialog').getByLabel('New name').fill('photos');
    await confirm(page, 'Rename');
    await untilDone(page, '2 objects moved');
    expect(await keysOf('folders')).toEqual(['note', 'photos/a', 'photos/b/c']);
    await page.getByRole('link', { name: 'photos/', exact: true }).waitFor();
    await select(page, 'photos/', 'note');
    await withSelection(page, 2, 'Copy');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: /^Bucket/ }).click();
    await page.getByRole('option', { name: 'elsewhere', exact: true }).click();
    await dialog.getByRole('textbox', { name: 'Folder', exact: true }).fill('in');
    await confirm(page, 'Copy');
    await untilDone(page, '3 objects copied');
    await textOn(page, '1 object left out').waitFor();
    expect(await keysOf('elsewhere')).toEqual(['in/note', 'in/photos/a', 'in/photos/b/c']);
    const kept = await dashboard.request('GET', '/objects/elsewhere/in/photos/a');
    expect(await kept.text()).toBe('other');
    await choose(page, 'photos/', 'Move');
    await dialog.getByRole('textbox', { name: 'Folder', exact: true }).fill('photos/deeper');
    await confirm(page, 'Move');
    await dialog.getByText('A folder cannot be put into itself.').waitFor();
    await dialog.getByRole('textbox', { name: 'Folder', exact: true }).fill('top');
    await confirm(page, 'Move');
    const moved = ['note', 'top/photos/a', 'top/photos/b/c'];
    await until('the move', async () => `${await keysOf('folders')}` === `${moved}`);
  });

  const deletes = (route: Route) => route.request().postData()?.includes('"op":"delete"');

  test('a move to another bucket keeps what was written to the source meanwhile', async () => {
    await dashboard.request('POST', '/buckets', { body: '{"name":"target"}' });
    const { page } = await open('source', ['f/x', 'y', 'z']);
    await page.route('**/commits', async (route) => {
      if (deletes(route)) {
        await dashboard.request('PUT', '/objects/source/f/x', { body: 'newer' });
        await dashboard.request('PUT', '/objects/source/y', { body: 'newer' });
      }
      await route.fallback();
    });
    await moveAll(page, 3, 'target');
    await untilDone(page, '3 objects moved');
    await textOn(page, '2 objects left out').waitFor();
    expect(await keysOf('source')).toEqual(['f/x', 'y']);
    expect(await keysOf('target')).toEqual(['f/x', 'y', 'z']);
  });

  test.each([
    ['films', 'large'],
    ['reels', 'reels'],
  ])(
    'a move from the bucket %s to %s deletes a source of more than 5 GiB when its copy has appeared',
    async (from, bucket) => {
      await dashboard.request('POST', '/buckets', { body: '{"name":"large"}' });
      const { page } = await open(from, ['film']);
      const upload = { upload_id: '01KAG8Y2M4Q7T9V1X3Z5B7D9F1', bucket, key: 'new/film' };
      const sent: string[] = [];
      await page.route('**/commits', async (route) => {
        const { op } = route.request().postDataJSON().changes[0];
        sent.push(op);
        if (op === 'delete') return route.fallback();
        const error = { code: 'payload_too_large', message: 'too large' };
        if (op === 'move') return route.fulfill({ status: 413, json: { error } });
        await dashboard.request('PUT', `/objects/${bucket}/new/film`, { body: 'film' });
        await route.fulfill({ status: 202, json: { ...upload, state: 'pending' } });
      });
      await page.route(`**/uploads/${upload.upload_id}`, async (route) => {
        const isPending = sent.push('state') < 4;
        const state = isPending
          ? { state: 'pending' }
          : { state: 'committed', object: { ...upload, version: 1 } };
        await route.fulfill({ json: { ...upload, ...state } });
      });
      await moveAll(page, 1, bucket, 'new');
      await untilDone(page, '1 object moved');
      expect(sent.filter((op) => op !== 'move' && op !== 'state')).toEqual(['copy', 'delete']);
      expect(sent.lastIndexOf('state')).toBe(sent.length - 2);
    },
  );

  test('metadata and content headers are edited, and what is not named stays', async () => {
    const { page } = await open('edited', []);
    const headers = {
      'content-type': 'text/plain',
      'cache-control': 'max-age=60',
      'x-object-meta-a': '1',
    };
    await dashboard.request('PUT', '/objects/edited/x.csv', { body: 'a,b', headers });
    await page.getByRole('button', { name: 'Read the objects again', exact: true }).click();
    await choose(page, 'x.csv', 'Edit metadata');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Content type').fill('text/csv');
    await dialog.getByRole('button', { name: 'Add metadata', exact: true }).click();
    await dialog.getByLabel('Name of metadata 2').fill('Camera');
    await dialog.getByLabel('Value of metadata 2').fill('x100');
    await confirm(page, 'Save');
    await dialog.waitFor({ state: 'detached' });
    const response = await dashboard.request('GET', '/objects/edited/x.csv?view=descriptor');
    expect(await response.json()).toMatchObject({
      ...{ version: 2, content_type: 'text/csv', metadata: { a: '1', camera: 'x100' } },
    });
    const { headers: stored } = await dashboard.request('HEAD', '/objects/edited/x.csv');
    expect(stored.get('cache-control')).toContain('max-age=60');
  });

  test('a selection is downloaded as a zip, written as it arrives where the browser can', async () => {
    const { page, pageErrors } = await open('zipped', ['z/a.txt', 'z/sub/b.txt', 'z/c.txt']);
    const expected = { 'a.txt': 'z/a.txt', 'sub/b.txt': 'z/sub/b.txt' };
    await visit(page, 'buckets/zipped?prefix=z%2F');
    await select(page, 'a.txt', 'sub/');
    await page.evaluate(() => Reflect.deleteProperty(window, 'showSaveFilePicker'));
    const downloading = page.waitForEvent('download');
    await withSelection(page, 2, 'Download as zip');
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('zipped.zip');
    expect(unzipped(readFileSync(await download.path()))).toEqual(expected);
    // A file of the browser's own folder, in place of one that a person would choose.
    await page.evaluate(() => {
      const pick = async () =>
        (await navigator.storage.getDirectory()).getFileHandle('z.zip', { create: true });
      Object.assign(window, { showSaveFilePicker: pick });
    });
    await withSelection(page, 2, 'Download as zip');
    await page.locator('[data-testid=job][data-state=done]').nth(1).waitFor();
    const bytes = await page.evaluate(async () => {
      const handle = await (await navigator.storage.getDirectory()).getFileHandle('z.zip');
      return [...new Uint8Array(await (await handle.getFile()).arrayBuffer())];
    });
    expect(unzipped(Buffer.from(bytes))).toEqual(expected);
    expect(pageErrors).toEqual([]);
  });

  test('what was deleted is listed and brought back', async () => {
    const { page } = await open('deleted', ['gone.txt', 'there.txt']);
    await removeListed(page, 'deleted', 'gone.txt');
    await page.getByLabel('Show deleted').check();
    await choose(page, 'gone.txt', 'Undelete');
    await box(page, 'Select gone.txt').and(page.locator(':enabled')).waitFor();
    const content = await dashboard.request('GET', '/objects/deleted/gone.txt');
    expect(await content.text()).toBe('gone.txt');
  });

  test('a search finds parts of names below the folder, whatever their case', async () => {
    const { page } = await open('found', ['Moodboard/Picture-1.png', 'x/y', 'picture.txt']);
    await page.getByLabel(/^Find objects by part/).fill('PICTURE');
    await textOn(page, 'Searched 3 names, all that there are.').waitFor();
    await page.getByRole('link', { name: 'Moodboard/Picture-1.png', exact: true }).waitFor();
    await page.getByRole('link', { name: 'picture.txt', exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'x/', exact: true }).count()).toBe(0);
  });

  test('the list is sorted by name, size and time', async () => {
    const { page } = await open('sorted', ['a-long-name', 'b', 'folder/x']);
    const names = () => page.getByRole('row').getByRole('link').allTextContents();
    await page.getByRole('link', { name: 'a-long-name', exact: true }).waitFor();
    expect(await names()).toEqual(['folder/', 'a-long-name', 'b']);
    await page.getByRole('button', { name: /^Size/ }).click();
    await until('the order', async () => (await names()).join() === 'folder/,b,a-long-name');
  });

  test.each(WIDTHS)(
    'lists, dialogs and jobs of files conform to WCAG AA at %i pixels',
    async (width) => {
      const bucket = `look-${width}`;
      const keys = [
        '2026/cat.jpg',
        'a-name-that-is-long-enough-to-need-two-lines-on-a-phone.txt',
        'b',
      ];
      const { page, pageErrors } = await open(bucket, [...keys, 'gone'], width);
      await removeListed(page, bucket, 'gone');
      const found: string[] = [];
      const dialog = page.getByRole('dialog');
      const dismiss = async () => {
        await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
        await dialog.waitFor({ state: 'detached' });
      };
      await page.getByLabel('Show deleted').check();
      await page.getByRole('link', { name: 'gone', exact: true }).waitFor();
      await select(page, '2026/', 'b');
      found.push(...(await check(page, 'files selected')));
      await withSelection(page, 2, 'Copy');
      await confirm(page, 'Copy');
      await dialog.getByText('They are there already').waitFor();
      found.push(...(await check(page, 'copy')));
      await dismiss();
      await withSelection(page, 2, 'Delete');
      await dialog.waitFor();
      found.push(...(await check(page, 'delete selection')));
      await dismiss();
      await choose(page, 'b', 'Rename');
      await dialog.waitFor();
      found.push(...(await check(page, 'rename')));
      await dismiss();
      await choose(page, 'b', 'Edit metadata');
      await dialog.getByRole('button', { name: 'Add metadata', exact: true }).click();
      await confirm(page, 'Save');
      await dialog.getByText('Each metadata needs a name.').waitFor();
      found.push(...(await check(page, 'edit metadata')));
      await dismiss();
      await page.getByLabel('Grid').check();
      await page.locator('.thumbnail').first().waitFor();
      found.push(...(await check(page, 'grid')));
      await choose(page, '2026/', 'Delete');
      await confirm(page, 'Delete');
      await untilDone(page, '1 object deleted');
      found.push(...(await check(page, 'job')));
      expect(found).toEqual([]);
      expect(pageErrors).toEqual([]);
    },
  );
});
