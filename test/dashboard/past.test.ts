/** A person looks at the past of a bucket, brings it back, and sets rules for its future. */
import { userInfo } from 'node:os';
import type { Page } from 'playwright-core';
import { describeInBrowser, textOn, useDashboard, visit } from './browser';
import { check, WIDTHS } from './check';

jest.setTimeout(300_000);

describeInBrowser('the past of a bucket', (browser) => {
  const dashboard = useDashboard(browser);

  const put = async (bucket: string, key: string, body: string) => {
    const response = await dashboard.request('PUT', `/objects/${bucket}/${key}`, { body });
    return Number(response.headers.get('x-object-cursor'));
  };

  const textOf = async (bucket: string, key: string) => {
    const response = await dashboard.request('GET', `/objects/${bucket}/${key}`);
    return response.ok ? response.text() : response.status;
  };

  /**
   * The page finds as many changes more at the end of the log, which would take a minute to make.
   * Changes before them are those of the service.
   */
  const appendPuts = async (page: Page, bucket: string, count: number) => {
    const state = await (await dashboard.request('GET', `/buckets/${bucket}`)).json();
    const { bucket_id, changes } = await (
      await dashboard.request('GET', `/sync?bucket=${bucket}&cursor=0`)
    ).json();
    await page.route(`**/buckets/${bucket}`, (route) =>
      route.fulfill({ json: { ...state, cursor: state.cursor + count } }),
    );
    await page.route('**/sync?*', (route) => {
      const { searchParams } = new URL(route.request().url());
      if (searchParams.get('bucket') !== bucket) return route.fallback();
      const after = Number(searchParams.get('cursor'));
      if (after < state.cursor) return route.fallback();
      const to = Math.min(after + Number(searchParams.get('limit')), state.cursor + count);
      const puts = Array.from({ length: to - after }, (_, n) => ({
        ...changes[0],
        cursor: after + 1 + n,
      }));
      const json = { bucket_id, changes: puts, to, has_more: to < state.cursor + count };
      return route.fulfill({ json });
    });
  };

  /** The dialog says the same before it is closed. */
  const broughtBack = async (page: Page, outcome: string) => {
    await textOn(page, 'The bucket was brought back').waitFor();
    await textOn(page, outcome).waitFor();
  };

  beforeAll(async () => {
    for (const name of ['photos', 'plans', 'logs']) {
      await dashboard.request('POST', '/buckets', { body: JSON.stringify({ name }) });
    }
  });

  test('the time machine shows a bucket as it was, what has changed since, and brings it back', async () => {
    await put('photos', 'kept.txt', 'kept');
    const then = await put('photos', 'plan.txt', 'first');
    await put('photos', 'plan.txt', 'second');
    await put('photos', 'new.txt', 'new');
    const { page, pageErrors } = await dashboard.open('buckets/photos/history');
    await textOn(page, 'new.txt').waitFor();
    await page.getByLabel('Cursor by its number').fill(String(then));
    await textOn(page, 'new.txt').waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /plan\.txt 1 5 bytes/ }).waitFor();

    await page.getByRole('tab', { name: 'Compared with now', exact: true }).click();
    await page.getByRole('row', { name: /new\.txt Deleted/ }).waitFor();
    await page.getByRole('row', { name: /plan\.txt Version 1 again, 5 bytes/ }).waitFor();
    await textOn(page, '1 object unchanged since then').waitFor();
    expect(await textOf('photos', 'plan.txt')).toBe('second');

    await page.getByRole('button', { name: 'Bring it back', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByText('restores 1 object to the content of then, and deletes 1 object')
      .waitFor();
    expect(await check(page, 'bring back')).toEqual([]);
    await dialog.getByRole('button', { name: 'Bring it back', exact: true }).click();
    await broughtBack(page, '1 object restored, 1 object deleted.');
    await textOn(page, 'Nothing differs').waitFor();
    expect(await textOf('photos', 'plan.txt')).toBe('first');
    expect(await textOf('photos', 'new.txt')).toBe(404);
    expect(pageErrors).toEqual([]);
  });

  test.each(WIDTHS)('the audit says who deleted an object at %i pixels', async (width) => {
    const bucket = `deleted-${width}`;
    await dashboard.request('POST', '/buckets', { body: JSON.stringify({ name: bucket }) });
    await put(bucket, 'by-key.txt', 'one');
    await put(bucket, 'by-person.txt', 'two');
    await dashboard.request('DELETE', `/objects/${bucket}/by-key.txt`);
    const { page, pageErrors } = await dashboard.open(`buckets/${bucket}/history`, { width });
    await page.getByLabel('Cursor by its number').fill('1');
    await page.getByRole('tab', { name: 'Compared with now', exact: true }).click();
    await page.getByRole('button', { name: 'Bring it back', exact: true }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: 'Bring it back', exact: true })
      .click();
    await broughtBack(page, '1 object restored, 1 object deleted.');

    await visit(page, 'audit');
    await page.getByRole('tab', { name: 'Deleted objects', exact: true }).click();
    await page.getByLabel('Bucket', { exact: true }).click();
    await page.getByRole('option', { name: bucket, exact: true }).click();
    await page
      .getByRole('row', { name: new RegExp(`by-person\\.txt.*${userInfo().username}`) })
      .waitFor();
    await page.getByRole('row', { name: /by-key\.txt.*first key/ }).waitFor();
    expect(await check(page, 'deletions')).toEqual([]);
    expect(pageErrors).toEqual([]);
  });

  test('the audit of deletions asks before it reads on in a long log', async () => {
    await dashboard.request('POST', '/buckets', { body: '{"name":"long"}' });
    await put('long', 'gone.txt', 'one');
    await dashboard.request('DELETE', '/objects/long/gone.txt');
    const { page, pageErrors } = await dashboard.open('audit');
    await appendPuts(page, 'long', 2000);
    await page.getByRole('tab', { name: 'Deleted objects', exact: true }).click();
    await page.getByLabel('Bucket', { exact: true }).click();
    await page.getByRole('option', { name: 'long', exact: true }).click();
    await textOn(page, 'None of the newest changes is one.').waitFor();
    await page.getByRole('button', { name: 'Show more', exact: true }).click();
    await page.getByRole('link', { name: 'gone.txt', exact: true }).waitFor();
    expect(pageErrors).toEqual([]);
  });

  test('the changes page shows the changes before it was opened', async () => {
    await put('logs', 'early.txt', 'one');
    await put('logs', 'later.txt', 'two');
    const { page, pageErrors } = await dashboard.open('buckets/logs/changes');
    await textOn(page, 'Live', { exact: true }).waitFor();
    await put('logs', 'live.txt', 'three');
    await page.getByRole('link', { name: 'live.txt', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Show earlier changes', exact: true }).click();
    await textOn(page, 'No earlier change is kept').waitFor();
    const keys = await page.getByRole('link', { name: /\.txt$/ }).allTextContents();
    expect(keys).toEqual(['live.txt', 'later.txt', 'early.txt']);
    expect(pageErrors).toEqual([]);
  });

  test.each(WIDTHS)('lifecycle rules are shown and changed at %i pixels', async (width) => {
    const found: string[] = [];
    await dashboard.request('PATCH', '/buckets/plans', {
      body: '{"lifecycle":[{"expire_after_days":365}]}',
    });
    const { page, pageErrors } = await dashboard.open('buckets/plans/settings', { width });
    const save = page.getByRole('button', { name: 'Save the rules', exact: true });
    await page.getByLabel('Days of rule 1').waitFor();
    expect(await page.getByLabel('Days of rule 1').inputValue()).toBe('365');
    await page.getByRole('button', { name: 'Add a rule', exact: true }).click();
    await page.getByLabel('Keys that begin with (rule 2)').fill('tmp/');
    await save.click();
    await textOn(page, 'A whole number from 1 to 36,500.').waitFor();
    found.push(...(await check(page, 'settings wrong')));
    await page.getByLabel('Days of rule 2').fill('7');
    await save.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Objects whose keys begin with tmp/ are deleted 7 days after').waitFor();
    found.push(...(await check(page, 'settings save')));
    let isSaved = false;
    let typed = () => {};
    const isTyped = new Promise<void>((resolve) => {
      typed = resolve;
    });
    await page.route('**/buckets/plans', async (route) => {
      if (isSaved) await isTyped;
      isSaved ||= route.request().method() === 'PATCH';
      await route.fallback();
    });
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    const bucket = await (await dashboard.request('GET', '/buckets/plans')).json();
    expect(bucket.lifecycle).toEqual([
      { expire_after_days: 365 },
      { prefix: 'tmp/', expire_after_days: 7 },
    ]);

    const theirs = [{ expire_after_days: 30 }];
    await page.getByLabel('Days of rule 2').fill('8');
    typed();
    await save.click();
    await dashboard.request('PATCH', '/buckets/plans', {
      body: JSON.stringify({ lifecycle: theirs }),
    });
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByText('Somebody else has changed the rules').waitFor();
    const kept = await (await dashboard.request('GET', '/buckets/plans')).json();
    expect(kept.lifecycle).toEqual(theirs);
    expect(found).toEqual([]);
    expect(pageErrors).toEqual([]);
  });
});
