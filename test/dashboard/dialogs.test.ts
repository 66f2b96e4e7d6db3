/** Every dialog, the uploads and the sign-in, wide and narrow, light and dark. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { useTemporaryFolder } from '../support/temporary-folder';
import { describeInBrowser, textOn, useDashboard, visit } from './browser';
import { check, WIDTHS } from './check';
import { drop, isPart } from './dropped-file';

jest.setTimeout(300_000);

const SCRIPT = '<img src=x onerror=alert(1)>';

describeInBrowser('dialogs', (browser) => {
  const dashboard = useDashboard(browser);
  const folder = useTemporaryFolder('dialogs');

  beforeAll(async () => {
    await dashboard.request('POST', '/buckets', { body: '{"name":"photos"}' });
    await dashboard.request('PUT', '/objects/photos/readme.txt', { body: 'read me' });
  });

  /** Closes the open dialog by its button Cancel. */
  const cancel = async (page: Page) => {
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };

  /** Opens a dialog from the menu of a row. */
  const choose = async (page: Page, row: string, item: string) => {
    await page.getByRole('button', { name: `Actions for ${row}`, exact: true }).click();
    await page.getByRole('menuitem', { name: item, exact: true }).click();
    await page.getByRole('dialog').waitFor();
  };

  test.each(WIDTHS)('the sign-in page conforms to WCAG AA at %i pixels', async (width) => {
    const { page, pageErrors } = await dashboard.signIn(width);
    await page.getByRole('button', { name: /Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    expect(await check(page, 'sign-in')).toEqual([]);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Sign in by a link', exact: true }).waitFor();
    expect(await check(page, 'sign-in by a link', false)).toEqual([]);
    await page.goto(dashboard.service().baseUrl);
    // The redirect of the issuer when it denies access.
    const state = await page.evaluate(() =>
      Object.keys(sessionStorage)
        .find((name) => name.startsWith('oidc.'))
        ?.slice('oidc.'.length),
    );
    await page.goto(`${dashboard.service().baseUrl}/?state=${state}&error=access_denied`);
    await textOn(page, 'You could not be signed in').waitFor();
    expect(await check(page, 'sign-in failed')).toEqual([]);
    await page.goto(`${dashboard.service().baseUrl}/?state=of-another-window&code=x`);
    await textOn(page, 'This window can be closed').waitFor();
    expect(await check(page, 'sign-in elsewhere')).toEqual([]);
    await page.getByRole('link', { name: 'Open the dashboard', exact: true }).click();
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    expect(pageErrors).toEqual([]);
  });

  test.each(WIDTHS)('the dialogs of keys conform to WCAG AA at %i pixels', async (width) => {
    const { page, pageErrors } = await dashboard.open('keys', { width });
    const found: string[] = [];
    const dialog = page.getByRole('dialog');
    const name = `${SCRIPT} ${width}`;
    await page.getByRole('button', { name: 'Create key', exact: true }).click();
    // The empty form shows all its error messages.
    await dialog.getByRole('button', { name: 'Create key', exact: true }).click();
    await dialog.getByText('Give the key a name').waitFor();
    found.push(...(await check(page, 'create key')));
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByLabel('Buckets', { exact: true }).fill('photos');
    await dialog.getByRole('button', { name: 'Create key', exact: true }).click();
    await page.getByTestId('secret').waitFor();
    found.push(...(await check(page, 'secret')));
    await page.getByRole('button', { name: 'I have saved it', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { name: 'Audit', exact: true }).waitFor();
    await page
      .getByRole('row', { name: /Created a key|may read/ })
      .first()
      .waitFor();
    await textOn(page, 'Nothing was counted in this time').waitFor();
    found.push(...(await check(page, 'key')));
    await page.goBack();
    for (const task of ['Change', 'New secret', 'Revoke']) {
      await choose(page, name, task);
      found.push(...(await check(page, task)));
      await cancel(page);
    }
    expect(found).toEqual([]);
    expect(pageErrors).toEqual([]);
  });

  test.each(WIDTHS)(
    'the dialogs of buckets and objects conform to WCAG AA at %i pixels',
    async (width) => {
      const { page, pageErrors } = await dashboard.open('buckets', { width });
      const found: string[] = [];
      await page.getByRole('button', { name: 'Create bucket', exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Create bucket', exact: true }).click();
      await dialog.getByText('Give the bucket a name').waitFor();
      found.push(...(await check(page, 'create bucket')));
      await cancel(page);
      await choose(page, 'photos', 'Delete');
      // It holds an object: the refusal is shown too.
      await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
      await dialog.getByText('The action failed').waitFor();
      found.push(...(await check(page, 'delete bucket')));
      await cancel(page);
      await visit(page, 'buckets/photos');
      await choose(page, 'readme.txt', 'Delete');
      found.push(...(await check(page, 'delete object')));
      await cancel(page);
      await choose(page, 'readme.txt', 'Create a link');
      await dialog.getByLabel('Downloads').fill('0');
      await dialog.getByRole('button', { name: 'Create the link', exact: true }).click();
      await dialog.getByText('A whole number from 1').waitFor();
      found.push(...(await check(page, 'create link')));
      await dialog.getByLabel('Downloads').fill('');
      await dialog.getByRole('button', { name: 'Create the link', exact: true }).click();
      await page.getByTestId('link').waitFor();
      found.push(...(await check(page, 'link')));
      expect(found).toEqual([]);
      expect(pageErrors).toEqual([]);
    },
  );

  test.each(WIDTHS)('the upload panel conforms to WCAG AA at %i pixels', async (width) => {
    const { page, pageErrors } = await dashboard.open('buckets/photos', { width, anew: true });
    const found: string[] = [];
    const large = path.join(folder, 'film.bin');
    const small = path.join(folder, 'readme.txt');
    writeFileSync(large, new Uint8Array(5 * 1024 * 1024));
    writeFileSync(small, 'another one');
    await page.getByRole('link', { name: 'readme.txt', exact: true }).waitFor();
    // Requests for parts stay pending, so that the upload stays in progress.
    await page.route(isPart, () => undefined);
    await drop(page, small);
    await textOn(page, 'There is an object of this name already.').waitFor();
    const started = page.waitForRequest((request) => isPart(new URL(request.url())));
    await drop(page, large);
    await started;
    found.push(...(await check(page, 'uploading')));
    await page.reload();
    await textOn(page, 'Interrupted').waitFor();
    found.push(...(await check(page, 'interrupted')));
    await page.getByRole('button', { name: 'Discard: film.bin', exact: true }).click();
    await textOn(page, 'Interrupted').waitFor({ state: 'detached' });
    expect(found).toEqual([]);
    expect(pageErrors).toEqual([]);
  });
});
