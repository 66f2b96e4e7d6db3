/** What a person does: sign in, make a key, use it, watch, take it back. */
import { WebSocket } from 'ws';
import { describeInBrowser, useStage } from './browser';

jest.setTimeout(180_000);

describeInBrowser('a key, from the page that makes it to the page that revokes it', (browser) => {
  const stage = useStage(browser);

  test('a key works for its permissions, shows its usage, and is refused within five seconds of its revocation', async () => {
    await stage.request('POST', '/buckets', { body: '{"name":"team-red"}' });
    await stage.request('POST', '/buckets', { body: '{"name":"photos"}' });
    await stage.request('PUT', '/objects/team-red/plan.txt', { body: 'a plan' });
    const { page, complaints } = await stage.visit();

    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('reader of the teams');
    await dialog.getByLabel('Buckets', { exact: true }).fill('team-*');
    await dialog.getByLabel('Follow changes').check();
    await dialog
      .getByTestId('meaning')
      .getByText('May read and list objects in buckets whose names begin with team-.')
      .waitFor();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const key = (await page.getByTestId('secret').textContent()) ?? '';
    await page.getByRole('button', { name: 'I have saved it' }).click();
    expect(key).toMatch(/^osk_/);
    expect(await page.content()).not.toContain(key);

    const statusOf = async (method: string, path: string) =>
      (await stage.request(method, path, { key, ...(method === 'PUT' && { body: 'x' }) })).status;
    expect(await statusOf('GET', '/objects/team-red')).toBe(200);
    expect(await statusOf('GET', '/objects/team-red/plan.txt')).toBe(200);
    expect(await statusOf('PUT', '/objects/team-red/plan.txt')).toBe(403);
    expect(await statusOf('GET', '/objects/photos')).toBe(403);

    const url = `${stage.service().baseUrl.replace('http', 'ws')}/api/v2/storage/sync`;
    const channel = new WebSocket(`${url}?bucket=team-red`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const closed = new Promise<number>((resolve) => channel.once('close', resolve));
    const messages: { readonly type: string; readonly code?: number }[] = [];
    await new Promise((resolve) => {
      channel.on('message', (data) => {
        messages.push(JSON.parse(String(data)));
        resolve(undefined);
      });
    });

    await page.goto(`${stage.service().baseUrl}/#/buckets/team-red/changes`);
    await page.getByText('Live', { exact: true }).waitFor();
    await stage.request('PUT', '/objects/team-red/seen%20live.txt', { body: 'now' });
    await page.getByRole('link', { name: 'seen live.txt' }).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await stage.request('DELETE', '/objects/team-red/seen%20live.txt');
    await page.getByRole('button', { name: 'Continue (1 new)' }).click();
    await page.getByRole('row', { name: /Deleted seen live\.txt/ }).waitFor();

    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'Actions for reader of the teams' }).click();
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('row', { name: /reader of the teams.*Revoked/ }).waitFor();
    const revoked = Date.now();
    while ((await statusOf('GET', '/objects/team-red')) !== 401) {
      expect(Date.now() - revoked).toBeLessThan(5000);
    }
    expect(Date.now() - revoked).toBeLessThan(5000);
    await closed;
    expect(messages).toContainEqual(expect.objectContaining({ type: 'goodbye', code: 4401 }));

    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByRole('row', { name: /Revoked a key.*reader of the teams/ }).waitFor();
    await page.getByRole('row', { name: /Created a key.*reader of the teams/ }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('tokens and keys are in no storage that outlives the tab, and are removed by signing out', async () => {
    const { page } = await stage.visit();
    await page.goto(`${stage.service().baseUrl}/#/buckets`);
    await page.getByRole('heading', { name: 'Buckets' }).waitFor();
    const kept = () => page.evaluate(() => JSON.stringify({ ...localStorage }));
    expect(await kept()).not.toMatch(/osk_|eyJ/);
    // Cookies know no ports: those of the issuer on this machine are among them.
    expect(JSON.stringify(await page.context().cookies())).not.toMatch(/osk_|eyJ/);
    await page.getByRole('button', { name: /Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toMatch(/eyJ/);
  });

  test('one click signs in again after the sign-in has expired, and keeps what was typed', async () => {
    const { page } = await stage.visit();
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('typed before the end');
    await dialog.getByLabel('Buckets', { exact: true }).fill('photos');
    // As the service answers when the token has expired.
    await page.route('**/admin/v1/keys', (route) =>
      route.fulfill({
        status: 401,
        contentType: 'application/json',
        body: '{"error":{"code":"unauthorized","message":"expired","request_id":"r-1"}}',
      }),
    );
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('Your sign-in has expired.').waitFor();
    await page.unroute('**/admin/v1/keys');
    // The issuer may know the person still: then it closes by itself, and at once.
    const closed = page
      .waitForEvent('popup')
      .then((popup) => popup.isClosed() || popup.waitForEvent('close'));
    await dialog.getByRole('button', { name: 'Sign in again' }).click();
    await closed;
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Key of “typed before the end”').waitFor();
  });
});
