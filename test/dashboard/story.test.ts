/** A person signs in, creates a key, uses it, watches changes and revokes the key. */
import { WebSocket } from 'ws';
import { until } from '../support/until';
import { describeInBrowser, textOn, untilLoaded, useDashboard, visit } from './browser';

jest.setTimeout(180_000);

describeInBrowser('keys and sign-in', (browser) => {
  const dashboard = useDashboard(browser);

  test('a key has its permissions and is refused within five seconds of its revocation', async () => {
    await dashboard.request('POST', '/buckets', { body: '{"name":"team-red"}' });
    await dashboard.request('POST', '/buckets', { body: '{"name":"photos"}' });
    await dashboard.request('PUT', '/objects/team-red/plan.txt', { body: 'a plan' });
    const { page, pageErrors } = await dashboard.open('overview');

    await page.getByRole('link', { name: 'API keys', exact: true }).first().click();
    await page.getByRole('button', { name: 'Create key', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('reader of the teams');
    await dialog.getByLabel('Buckets', { exact: true }).fill('team-*');
    await dialog.getByLabel('Follow changes').check();
    await dialog
      .getByTestId('meaning')
      .getByText('May read and list objects in buckets whose names begin with team-.')
      .waitFor();
    await dialog.getByRole('button', { name: 'Create key', exact: true }).click();
    const key = (await page.getByTestId('secret').textContent()) ?? '';
    await page.getByRole('button', { name: 'I have saved it', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
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

    await visit(page, 'buckets/team-red/changes');
    await textOn(page, 'Live', { exact: true }).waitFor();
    await dashboard.request('PUT', '/objects/team-red/seen%20live.txt', { body: 'now' });
    await page.getByRole('link', { name: 'seen live.txt', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await dashboard.request('DELETE', '/objects/team-red/seen%20live.txt');
    await page.getByRole('button', { name: 'Continue (1 new)', exact: true }).click();
    await page.getByRole('row', { name: /Deleted seen live\.txt/ }).waitFor();

    await page.getByRole('link', { name: 'API keys', exact: true }).click();
    await page
      .getByRole('button', { name: 'Actions for reader of the teams', exact: true })
      .click();
    await page.getByRole('menuitem', { name: 'Revoke', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByRole('row', { name: /reader of the teams/ }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.getByRole('row', { name: /reader of the teams.*Revoked/ }).waitFor();
    const revoked = Date.now();
    let sent = revoked;
    while ((await statusOf('GET', '/objects/team-red')) !== 401) {
      // When a request was sent, and not how long a busy machine took to respond.
      expect(sent - revoked).toBeLessThan(5000);
      sent = Date.now();
    }
    await closed;
    expect(messages).toContainEqual(expect.objectContaining({ type: 'goodbye', code: 4401 }));

    await page.getByRole('link', { name: 'Audit', exact: true }).click();
    await page.getByRole('row', { name: /Revoked a key.*reader of the teams/ }).waitFor();
    await page.getByRole('row', { name: /Created a key.*reader of the teams/ }).waitFor();
    expect(pageErrors).toEqual([]);
  });

  test('tokens and keys are only in session storage, and signing out removes them', async () => {
    const { page } = await dashboard.signIn();
    await visit(page, 'buckets');
    await page.getByRole('heading', { name: 'Buckets' }).waitFor();
    const localItems = () => page.evaluate(() => JSON.stringify({ ...localStorage }));
    expect(await localItems()).not.toMatch(/osk_|eyJ/);
    // The session of the sign-in opens no interface, and no script reads it.
    const [cookie, ...others] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, path: '/sign-in', sameSite: 'Lax' });
    expect(others).toEqual([]);
    expect((await dashboard.request('GET', '/buckets', { key: cookie?.value })).status).toBe(401);
    await page.getByRole('button', { name: /Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toMatch(/eyJ/);
  });

  test('signing out shows nothing of the account while the issuer is slow', async () => {
    const { page } = await dashboard.signIn();
    await visit(page, 'buckets');
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    await page.route('**/admin/v1/session', async (route) => {
      await finished;
      await route.continue();
    });
    await page.getByRole('button', { name: /Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    await textOn(page, 'Signing out …').waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
    finish();
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  });

  test('signing out ends the keys of earlier page loads and the access token', async () => {
    const { page } = await dashboard.signIn();
    const keys: string[] = [];
    await visit(page, 'buckets');
    // What it reads needs the session that this load has opened.
    await untilLoaded(page);
    for (const _load of [1, 2]) {
      const opened = page.waitForResponse(
        (response) => response.url().endsWith('/session') && response.request().method() === 'POST',
      );
      await page.reload();
      keys.push((await (await opened).json()).api_key);
    }
    await page.getByRole('heading', { name: 'Buckets' }).waitFor();
    const statusOf = async (key = '') =>
      (await dashboard.request('GET', '/buckets', { key })).status;
    expect(await Promise.all(keys.map(statusOf))).toEqual(keys.map(() => 200));
    const items = await page.evaluate(() => Object.entries({ ...sessionStorage }));
    const [, user = ''] = items.find(([name]) => name.startsWith('oidc.user:')) ?? [];
    const { access_token } = JSON.parse(user);

    await page.getByRole('button', { name: /Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();

    // Revocations take effect within seconds.
    for (const key of keys) {
      await until('the end of a key', async () => (await statusOf(key)) === 401);
    }
    const refused = await fetch(`${dashboard.service().baseUrl}/admin/v1/keys`, {
      headers: { authorization: `Bearer ${access_token}` },
    });
    expect(refused.status).toBe(401);
  });

  test('one click renews an expired sign-in and preserves the input', async () => {
    const { page } = await dashboard.open('keys');
    await page.getByRole('button', { name: 'Create key', exact: true }).click();
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
    await dialog.getByRole('button', { name: 'Create key', exact: true }).click();
    await dialog.getByText('Your sign-in has expired.').waitFor();
    await page.unroute('**/admin/v1/keys');
    // If the session at the issuer is still valid, the window closes by itself at once.
    const closed = page
      .waitForEvent('popup')
      .then((popup) => popup.isClosed() || popup.waitForEvent('close'));
    await dialog.getByRole('button', { name: 'Sign in again', exact: true }).click();
    await closed;
    await dialog.getByRole('button', { name: 'Create key', exact: true }).click();
    await textOn(page, 'Key of “typed before the end”').waitFor();
  });
});
