/** A person shares an object, another one opens the link, and the first one revokes it. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describeInBrowser, textOn, useDashboard, visit } from './browser';
import { check, WIDTHS } from './check';

jest.setTimeout(300_000);

describeInBrowser('links', (browser) => {
  const dashboard = useDashboard(browser);

  const makeLink = async (fields: object): Promise<string> => {
    const body = JSON.stringify({ bucket: 'shared', key: 'a/plan.txt', ...fields });
    const response = await dashboard.request('POST', '/links', { body });
    return (await response.json()).url;
  };

  /** What the browser saves when `act` begins a download. */
  const saved = async (page: Page, act: () => Promise<unknown>) => {
    const [download] = await Promise.all([page.waitForEvent('download'), act()]);
    return [download.suggestedFilename(), readFileSync(await download.path(), 'utf8')];
  };

  beforeAll(async () => {
    for (const name of ['shared', 'quiet']) {
      await dashboard.request('POST', '/buckets', { body: JSON.stringify({ name }) });
    }
    await dashboard.request('PUT', '/objects/shared/a/plan.txt', { body: 'the plan' });
  });

  test('a link is made on the page of an object, opened, listed and revoked', async () => {
    const { page, pageErrors } = await dashboard.open('buckets/shared/object?key=a%2Fplan.txt');
    await page.getByRole('button', { name: 'Create a link', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create the link', exact: true }).click();
    await page.getByTestId('link').waitFor();
    await dialog.locator(':focus').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Create a link', exact: true }).click();
    await dialog.getByLabel('Downloads').fill('2');
    await dialog.getByLabel('Note').fill('for the team');
    await dialog.getByRole('button', { name: 'Create the link', exact: true }).click();
    const url = (await page.getByTestId('link').textContent()) ?? '';

    const other = await dashboard.openEmpty();
    await other.page.goto(url);
    await textOn(other.page, 'for the team').waitFor();
    const click = () => other.page.getByRole('link', { name: 'Download', exact: true }).click();
    expect(await saved(other.page, click)).toEqual(['plan.txt', 'the plan']);

    await dialog.getByRole('link', { name: 'links of the bucket', exact: true }).click();
    await page
      .getByRole('navigation', { name: 'Where this page is' })
      .getByRole('link', { name: 'shared', exact: true })
      .waitFor();
    const row = page.getByRole('row', { name: /a\/plan\.txt.*for the team.*1 of 2 times.*None/ });
    await row.waitFor();
    expect(await page.content()).not.toContain(url.slice(-22));
    await row.getByRole('button', { name: 'Revoke the link to a/plan.txt', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
    await row.waitFor({ state: 'detached' });
    await other.page.goto(url);
    await textOn(other.page, 'This link does not work').waitFor();
    expect([...pageErrors, ...other.pageErrors]).toEqual([]);
  });

  test('a person opens a link with its password', async () => {
    const url = await makeLink({ password: 'sesame', max_uses: 1 });
    const { page, pageErrors } = await dashboard.openEmpty();
    await page.goto(url);
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password').fill('sesame');
    const submit = () => page.getByRole('button', { name: 'Download', exact: true }).click();
    expect(await saved(page, submit)).toEqual(['plan.txt', 'the plan']);
    await page.goto(url);
    await textOn(page, 'This link does not work').waitFor();
    expect(pageErrors).toEqual([]);
  });

  test.each(WIDTHS)('the list of links conforms to WCAG AA at %i pixels', async (width) => {
    const found: string[] = [];
    await makeLink({ note: 'listed', password: 'sesame', max_uses: 10 });
    const { page } = await dashboard.open('buckets/shared/links', { width });
    const revoke = page
      .getByRole('button', { name: 'Revoke the link to a/plan.txt', exact: true })
      .first();
    await revoke.waitFor();
    found.push(...(await check(page, 'links')));
    await revoke.click();
    await page.getByRole('dialog').getByText('opens nothing from the next').waitFor();
    found.push(...(await check(page, 'revoke link')));
    await visit(page, 'buckets/quiet/links');
    await textOn(page, 'No links yet').waitFor();
    found.push(...(await check(page, 'no links')));
    expect(found).toEqual([]);
  });

  test.each(WIDTHS)('the page of a link conforms to WCAG AA at %i pixels', async (width) => {
    const { page, pageErrors } = await dashboard.openEmpty(width);
    const found: string[] = [];
    await page.goto(await makeLink({ note: 'for the team' }));
    await page.getByRole('heading', { name: 'plan.txt' }).waitFor();
    found.push(...(await check(page, 'opened link', false)));
    const locked = await makeLink({ password: 'sesame' });
    await page.goto(locked);
    await page.getByRole('heading', { name: 'Password needed' }).waitFor();
    found.push(...(await check(page, 'locked link', false)));
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    await page.getByRole('alert').waitFor();
    found.push(...(await check(page, 'wrong password', false)));
    await page.goto(locked.slice(0, -1));
    await page.getByRole('heading', { name: 'This link does not work' }).waitFor();
    found.push(...(await check(page, 'ended link', false)));
    expect(found).toEqual([]);
    expect(pageErrors).toEqual([]);
  });
});
