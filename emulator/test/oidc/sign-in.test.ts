import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Browser } from '../../src/services/oidc/cookie-browser';
import {
  authorizeUrl,
  claimsOf,
  codeOf,
  credentials,
  exchange,
  folder,
  type Issuer,
  issuer,
  startIssuer,
  tokensOf,
} from './issuer';
import { PAGE } from './pool';

test('the issuer returns an access token and an ID token with the claims of Cognito', async () => {
  const tokens = await tokensOf({ code: await codeOf() });
  const access = claimsOf(tokens.access_token);
  expect(access).toMatchObject({
    iss: issuer.endpoint,
    client_id: 'dashboard',
    token_use: 'access',
    username: 'dev@localhost',
    'cognito:groups': ['admins'],
  });
  expect(Number(access.exp) - Number(access.iat)).toBe(1800);
  expect(claimsOf(tokens.id_token)).toMatchObject({
    token_use: 'id',
    aud: 'dashboard',
    nonce: 'some-nonce',
    email: 'dev@localhost',
    'cognito:username': 'dev@localhost',
  });
});

test('another name signs in with the same password, as a user of its own without groups', async () => {
  const signIn = async (username: string) => {
    const code = await codeOf(new Browser(), { ...credentials(), username });
    return tokensOf({ code });
  };
  const [ada, again, bob] = [
    await signIn('ada@localhost'),
    await signIn('ada@localhost'),
    await signIn('bob@localhost'),
  ];
  const subjects = [ada, again, bob].map(({ id_token }) => claimsOf(id_token).sub);
  expect(subjects[0]).toBe(subjects[1]);
  expect(subjects[0]).not.toBe(subjects[2]);
  expect(subjects[0]).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  for (const token of [ada.access_token, ada.id_token]) {
    expect(claimsOf(token)).not.toHaveProperty('cognito:groups');
  }
  expect(claimsOf(ada.access_token).username).toBe('ada@localhost');
});

test('the issuer asks for the password once per session, and again after signing out', async () => {
  const browser = new Browser();
  await codeOf(browser);
  const again = await browser.follow(authorizeUrl(), PAGE);
  expect(again.searchParams.get('code')).toBeTruthy();
  const out = `${issuer.endpoint}/logout?client_id=dashboard&logout_uri=${encodeURIComponent(PAGE)}`;
  expect((await browser.follow(out, PAGE)).href).toBe(PAGE);
  const next = await browser.follow(authorizeUrl(), PAGE);
  expect(next.pathname).toMatch(/^\/sign-in\//);
});

test('a refresh token yields further access tokens', async () => {
  const { refresh_token } = await tokensOf({ code: await codeOf() });
  const refreshed = await tokensOf({ grant_type: 'refresh_token', refresh_token });
  expect(claimsOf(refreshed.access_token)).toMatchObject({ token_use: 'access' });
});

test('a refresh token survives signing out, as in Cognito', async () => {
  const browser = new Browser();
  const { refresh_token } = await tokensOf({ code: await codeOf(browser) });
  const out = `${issuer.endpoint}/logout?client_id=dashboard&logout_uri=${encodeURIComponent(PAGE)}`;
  await browser.follow(out, PAGE);

  const refreshed = await tokensOf({ grant_type: 'refresh_token', refresh_token });

  expect(claimsOf(refreshed.access_token)).toMatchObject({ token_use: 'access' });
});

test('a revoked refresh token yields no access token', async () => {
  const { refresh_token: token } = await tokensOf({ code: await codeOf() });
  const body = new URLSearchParams({ token, client_id: 'dashboard' });
  const headers = { Origin: new URL(PAGE).origin };
  const revoke = { method: 'POST', headers, body };

  const revoked = await fetch(`${issuer.endpoint}/oauth2/revoke`, revoke);

  expect(revoked.status).toBe(200);
  expect(revoked.headers.get('access-control-allow-origin')).toBe(headers.Origin);
  const refreshed = await exchange({ grant_type: 'refresh_token', refresh_token: token });
  expect(refreshed.status).toBe(400);
  expect(await refreshed.json()).toMatchObject({ error: 'invalid_grant' });
});

test.each([
  ['a wrong password', { password: 'wrong' }],
  ['no password', { password: '' }],
  ['another user', { username: 'admin' }],
  ['a user of another domain', { username: 'ada@example.com' }],
  ['another spelling', { username: 'DEV@localhost' }],
])('the page shows the form again and issues no code for %s', async (_name, wrong) => {
  const browser = new Browser();
  const page = await browser.follow(authorizeUrl(), PAGE);
  const response = await browser.go(page.href, { ...credentials(), ...wrong });
  expect(response.status).toBe(200);
  expect(await response.text()).toContain('role="alert"');
  const next = await browser.follow(authorizeUrl(), PAGE);
  expect(next.pathname).toMatch(/^\/sign-in\//);
});

test('the page refuses a form from a browser that did not start the sign-in', async () => {
  const page = await new Browser().follow(authorizeUrl(), PAGE);
  const response = await new Browser().go(page.href, credentials());
  expect(response.status).toBe(400);
});

test('the page says that it is for development, labels its fields, and runs no script', async () => {
  const browser = new Browser();
  const page = await browser.follow(authorizeUrl(), PAGE);
  const response = await browser.go(page.href);
  const html = await response.text();
  expect(html).toContain('<h1>Sign in to the example</h1>');
  expect(html).toContain('Development only');
  expect(html).toMatch(/<label for="password">.*\n<input id="password" .*type="password"/);
  expect(html).not.toMatch(/<script|https?:/);
  expect(html).not.toContain(issuer.password);
  const policy = response.headers.get('content-security-policy');
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' /);
  expect(policy).toContain("frame-ancestors 'none'");
});

test('the discovery document lists S256 and RS256, and no registration', async () => {
  const discovery = await fetch(`${issuer.endpoint}/.well-known/openid-configuration`);
  expect(await discovery.json()).toMatchObject({
    issuer: issuer.endpoint,
    jwks_uri: `${issuer.endpoint}/.well-known/jwks.json`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
  });
  const keys = await (await fetch(`${issuer.endpoint}/.well-known/jwks.json`)).text();
  expect(JSON.parse(keys).keys).toHaveLength(1);
  // The private members of a JWK are d, p, q, …
  expect(Object.keys(JSON.parse(keys).keys[0]).sort()).toEqual(
    ['alg', 'e', 'kid', 'kty', 'n', 'use'].sort(),
  );
  expect((await fetch(`${issuer.endpoint}/reg`, { method: 'POST' })).status).toBe(404);
});

test('the key and the password survive a restart, and only this user may read them', async () => {
  const dataDir = join(folder, 'restarted');
  const first = await startIssuer(dataDir);
  const keysOf = async ({ endpoint }: Issuer) =>
    (await fetch(`${endpoint}/.well-known/jwks.json`)).text();
  const keys = await keysOf(first);
  await first.stop();
  const second = await startIssuer(dataDir);
  expect(await keysOf(second)).toBe(keys);
  expect(second.password).toBe(first.password);
  expect(first.password.length).toBeGreaterThanOrEqual(20);
  for (const name of readdirSync(dataDir)) {
    expect(statSync(join(dataDir, name)).mode & 0o077).toBe(0);
  }
  expect(issuer.password).not.toBe(first.password);
});
