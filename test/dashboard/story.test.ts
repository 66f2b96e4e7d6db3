/** A person signs in, creates a key, uses it, watches changes and revokes the key. */
import { WebSocket } from 'ws';
import { until } from '../support/until';
import { describeInBrowser, useDashboard } from './browser';

jest.setTimeout(180_000);

describeInBrowser('keys and sign-in', (browser) => {
  const dashboard = useDashboard(browser);

  test('a key has its permissions and is refused within five seconds of its revocation', async () => {
    await dashboard.request('POST', '/buckets', { body: '{"name":"team-red"}' });
    await dashboard.request('POST', '/buckets', { body: '{"name":"photos"}' });
    await dashboard.request('PUT', '/objects/team-red/plan.txt', { body: 'a plan' });
    const { page, pageErrors } = await dashboard.openSignedIn();

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
      (await dashboard.request(method, path, { key, ...(method === 'PUT' && { body: 'x' }) }))
        .status;
    expect(await statusOf('GET', '/objects/team-red')).toBe(200);
    expect(await statusOf('GET', '/objects/team-red/plan.txt')).toBe(200);
    expect(await statusOf('PUT', '/objects/team-red/plan.txt')).toBe(403);
    expect(await statusOf('GET', '/objects/photos')).toBe(403);

    const url = `${dashboard.service().baseUrl.replace('http', 'ws')}/api/v2/storage/sync`;
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

    await page.goto(`${dashboard.service().baseUrl}/#/buckets/team-red/changes`);
    await page.getByText('Live', { exact: true }).waitFor();
    await dashboard.request('PUT', '/objects/team-red/seen%20live.txt', { body: 'now' });
    await page.getByRole('link', { name: 'seen live.txt' }).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await dashboard.request('DELETE', '/objects/team-red/seen%20live.txt');
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
    expect(pageErrors).toEqual([]);
  });

  test('tokens and keys are only in session storage, and signing out removes them', async () => {
    const { page } = await dashboard.openSignedIn();
    await page.goto(`${dashboard.service().baseUrl}/#/buckets`);
    await page.getByRole('heading', { name: 'Buckets' }).waitFor();
    const localItems = () => page.evaluate(() => JSON.stringify({ ...localStorage }));
    expect(await localItems()).not.toMatch(/osk_|eyJ/);
    // Cookies ignore ports, so these include the cookies of the issuer on this machine.
    expect(JSON.stringify(await page.context().cookies())).not.toMatch(/osk_|eyJ/);
    await page.getByRole('button', { name: /Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toMatch(/eyJ/);
  });

  test('signing out ends the keys of earlier page loads and the refresh token', async () => {
    const { page } = await dashboard.openSignedIn();
    const keys: string[] = [];
    page.on('response', async (response) => {
      if (!response.url().endsWith('/session') || response.request().method() !== 'POST') return;
      keys.push((await response.json()).api_key);
    });
    await page.goto(`${dashboard.service().baseUrl}/#/buckets`);
    for (const loads of [1, 2]) {
      if (loads > 1) await page.reload();
      await page.getByRole('heading', { name: 'Buckets' }).waitFor();
      await until('a session key', () => keys.length >= loads);
    }
    const statusOf = async (key = '') =>
      (await dashboard.request('GET', '/buckets', { key })).status;
    expect(await Promise.all(keys.map(statusOf))).toEqual(keys.map(() => 200));
    const [user = ''] = await page.evaluate(() => Object.values(sessionStorage));
    const { refresh_token } = JSON.parse(String(user));
    const { issuer, client_id } = await (
      await fetch(`${dashboard.service().baseUrl}/admin/v1/config`)
    ).json();

    await page.getByRole('button', { name: /Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();

    // Revocations take effect within seconds.
    for (const key of keys) {
      await until('the end of a key', async () => (await statusOf(key)) === 401);
    }
    const grant = { grant_type: 'refresh_token', refresh_token, client_id };
    const refreshed = await fetch(`${issuer}/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams(grant),
    });
    expect([refreshed.status, (await refreshed.json()).error]).toEqual([400, 'invalid_grant']);
  });

  test('one click renews an expired sign-in and preserves the input', async () => {
    const { page } = await dashboard.openSignedIn();
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('typed before the end');
    await dialog.getByLabel('Buckets', { exact: true }).fill('photos');
    // The response of the service to an expired token.
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
    // If the session at the issuer is still valid, the window closes by itself at once.
    const closed = page
      .waitForEvent('popup')
      .then((popup) => popup.isClosed() || popup.waitForEvent('close'));
    await dialog.getByRole('button', { name: 'Sign in again' }).click();
    await closed;
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Key of “typed before the end”').waitFor();
  });
});
