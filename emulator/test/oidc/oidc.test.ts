import { type ChildProcess, fork } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Browser } from '../../../cli/cookie-browser';
import { createVerify } from '../../../lambdas/admin/access-token';
import { FakeLog } from '../../../test/support/fakes/fake-log';
import { PAGE } from './pool';

jest.setTimeout(30_000);

interface Issuer {
  readonly endpoint: string;
  readonly user: string;
  readonly password: string;
  stop(): Promise<void>;
}

const folder = mkdtempSync(join(tmpdir(), 'stowage-oidc-'));
const children: ChildProcess[] = [];
let issuer: Issuer;
beforeAll(async () => {
  issuer = await start(folder);
});
afterAll(async () => {
  for (const child of children) await kill(child);
  rmSync(folder, { recursive: true, force: true });
});

async function start(dataDir: string): Promise<Issuer> {
  const child = fork(join(__dirname, 'service-process.ts'), [dataDir], {
    execArgv: ['--import', require.resolve('tsx')],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  children.push(child);
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`the issuer ended with ${code}`);
  });
  exited.catch(() => {});
  const [message] = await Promise.race([once(child, 'message'), exited]);
  return { ...message, stop: () => kill(child) };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

const VERIFIER = randomBytes(32).toString('base64url');
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
const AUTHORIZE = {
  client_id: 'dashboard',
  redirect_uri: PAGE,
  response_type: 'code',
  scope: 'openid email',
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
  state: 'some-state',
  nonce: 'some-nonce',
};

function authorizeUrl(changes: Readonly<Record<string, string | undefined>> = {}): string {
  const parameters = Object.entries({ ...AUTHORIZE, ...changes }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return `${issuer.endpoint}/oauth2/authorize?${new URLSearchParams(parameters)}`;
}

const credentials = () => ({ username: issuer.user, password: issuer.password });

async function codeOf(browser = new Browser()): Promise<string> {
  const page = await browser.follow(authorizeUrl(), PAGE);
  const back = await browser.follow(page.href, PAGE, credentials());
  expect(back.searchParams.get('state')).toBe('some-state');
  return back.searchParams.get('code') ?? '';
}

function exchange(changes: Readonly<Record<string, string>>, headers = {}): Promise<Response> {
  return fetch(`${issuer.endpoint}/oauth2/token`, {
    method: 'POST',
    headers,
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'dashboard',
      redirect_uri: PAGE,
      code_verifier: VERIFIER,
      ...changes,
    }),
  });
}

interface Tokens {
  readonly access_token: string;
  readonly id_token: string;
  readonly refresh_token: string;
}

async function tokensOf(changes: Readonly<Record<string, string>>): Promise<Tokens> {
  const answer = await exchange(changes);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Tokens;
}

function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

describe('signing in', () => {
  test('gives an access token that the administration takes, and an ID token that it refuses', async () => {
    const tokens = await tokensOf({ code: await codeOf() });
    const access = claimsOf(tokens.access_token);
    expect(access).toMatchObject({
      iss: issuer.endpoint,
      client_id: 'dashboard',
      token_use: 'access',
      username: 'dev@localhost',
      'cognito:groups': ['stowage-admins'],
    });
    expect(Number(access.exp) - Number(access.iat)).toBe(1800);
    expect(claimsOf(tokens.id_token)).toMatchObject({
      token_use: 'id',
      aud: 'dashboard',
      nonce: 'some-nonce',
      email: 'dev@localhost',
      'cognito:username': 'dev@localhost',
    });
    const verify = createVerify(
      {
        issuer: issuer.endpoint,
        clientId: 'dashboard',
        claim: 'cognito:groups',
        value: 'stowage-admins',
      },
      { clock: Date, log: new FakeLog() },
    );
    expect(await verify(tokens.access_token)).toEqual({
      id: access.sub,
      name: 'dev@localhost',
      until: Number(access.exp) * 1000,
    });
    await expect(verify(tokens.id_token)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  test('is asked for once while the session lasts, and again after signing out', async () => {
    const browser = new Browser();
    await codeOf(browser);
    const again = await browser.follow(authorizeUrl(), PAGE);
    expect(again.searchParams.get('code')).toBeTruthy();
    const out = `${issuer.endpoint}/logout?client_id=dashboard&logout_uri=${encodeURIComponent(PAGE)}`;
    expect((await browser.follow(out, PAGE)).href).toBe(PAGE);
    const asked = await browser.follow(authorizeUrl(), PAGE);
    expect(asked.pathname).toMatch(/^\/sign-in\//);
  });

  test('gives a refresh token, which gives further access tokens', async () => {
    const { refresh_token } = await tokensOf({ code: await codeOf() });
    const refreshed = await tokensOf({ grant_type: 'refresh_token', refresh_token });
    expect(claimsOf(refreshed.access_token)).toMatchObject({ token_use: 'access' });
  });

  test.each([
    ['a wrong password', { password: 'wrong' }],
    ['no password', { password: '' }],
    ['another user', { username: 'admin' }],
  ])('with %s shows the form again, and gives no code', async (_name, wrong) => {
    const browser = new Browser();
    const page = await browser.follow(authorizeUrl(), PAGE);
    const answer = await browser.go(page.href, { ...credentials(), ...wrong });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('role="alert"');
    const asked = await browser.follow(authorizeUrl(), PAGE);
    expect(asked.pathname).toMatch(/^\/sign-in\//);
  });

  test('in a browser that did not ask for it is refused', async () => {
    const page = await new Browser().follow(authorizeUrl(), PAGE);
    const answer = await new Browser().go(page.href, credentials());
    expect(answer.status).toBe(400);
  });

  test('says that it is for development, labels its fields, and runs no script', async () => {
    const browser = new Browser();
    const page = await browser.follow(authorizeUrl(), PAGE);
    const answer = await browser.go(page.href);
    const html = await answer.text();
    expect(html).toContain('Development only');
    expect(html).toMatch(/<label for="password">.*\n<input id="password" .*type="password"/);
    expect(html).not.toMatch(/<script|https?:/);
    expect(html).not.toContain(issuer.password);
    const policy = answer.headers.get('content-security-policy');
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' /);
    expect(policy).toContain("frame-ancestors 'none'");
  });
});

describe('what an attacker asks for is refused:', () => {
  test.each<[string, Readonly<Record<string, string | undefined>>]>([
    ['another page', { redirect_uri: 'http://127.0.0.1:7070/evil' }],
    ['another port', { redirect_uri: 'http://127.0.0.1:9999/' }],
    ['another host', { redirect_uri: 'http://evil.example/' }],
    ['a user part', { redirect_uri: 'http://127.0.0.1:7070@evil.example/' }],
    ['an unknown client', { client_id: 'other' }],
  ])('a code for %s', async (_name, changes) => {
    const answer = await new Browser().go(authorizeUrl(changes));
    expect(answer.status).toBe(400);
    expect(answer.headers.get('location')).toBeNull();
  });

  test.each<[string, Readonly<Record<string, string | undefined>>]>([
    ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }],
    ['a plain challenge', { code_challenge_method: 'plain' }],
    ['a token instead of a code', { response_type: 'id_token token' }],
  ])('%s', async (_name, changes) => {
    const browser = new Browser();
    const answer = await browser.go(authorizeUrl(changes));
    const back = new URL(answer.headers.get('location') ?? issuer.endpoint);
    expect(back.href).toContain('error=');
    expect(back.href).not.toContain('code=');
  });

  test('a code without its verifier, with another, or twice', async () => {
    const code = await codeOf();
    const other = randomBytes(32).toString('base64url');
    expect((await exchange({ code, code_verifier: other })).status).toBe(400);
    const fresh = await codeOf();
    expect((await exchange({ code: fresh, code_verifier: '' })).status).toBe(400);
    const once = await codeOf();
    expect((await exchange({ code: once })).status).toBe(200);
    expect((await exchange({ code: once })).status).toBe(400);
  });

  test.each(['client_credentials', 'password', 'urn:ietf:params:oauth:grant-type:device_code'])(
    'the grant %s',
    async (grant_type) => {
      const { user: username, password } = issuer;
      expect((await exchange({ grant_type, username, password })).status).toBe(400);
    },
  );

  test('signing out towards a foreign page', async () => {
    const browser = new Browser();
    await codeOf(browser);
    for (const query of [
      'client_id=dashboard&logout_uri=http%3A%2F%2Fevil.example%2F',
      `client_id=other&logout_uri=${encodeURIComponent(PAGE)}`,
      'client_id=dashboard',
    ]) {
      const answer = await browser.go(`${issuer.endpoint}/logout?${query}`);
      expect(answer.status).toBe(400);
      expect(answer.headers.get('location')).toBeNull();
    }
    const still = await browser.follow(authorizeUrl(), PAGE);
    expect(still.searchParams.get('code')).toBeTruthy();
  });

  test('a request under another name, as after DNS rebinding', async () => {
    const { port } = new URL(issuer.endpoint);
    const path = '/.well-known/openid-configuration';
    const sent = request({
      host: '127.0.0.1',
      port,
      path,
      headers: { Host: `evil.example:${port}` },
    });
    sent.end();
    const [response] = await once(sent, 'response');
    response.resume();
    expect(response.statusCode).toBe(400);
  });
});

test('the dashboard’s page may ask for tokens, a foreign one may not', async () => {
  const own = new URL(PAGE).origin;
  const from = async (origin: string) =>
    (await exchange({ code: 'x' }, { Origin: origin })).headers.get('access-control-allow-origin');
  expect(await from(own)).toBe(own);
  expect(await from('http://evil.example')).toBeNull();
});

test('discovery names what there is: codes with S256, RS256, and no way to register', async () => {
  const discovery = await fetch(`${issuer.endpoint}/.well-known/openid-configuration`);
  expect(await discovery.json()).toMatchObject({
    issuer: issuer.endpoint,
    jwks_uri: `${issuer.endpoint}/.well-known/jwks.json`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
  });
  const keys = await (await fetch(`${issuer.endpoint}/.well-known/jwks.json`)).text();
  expect(JSON.parse(keys).keys).toHaveLength(1);
  // d, p, q …: the private parts.
  expect(Object.keys(JSON.parse(keys).keys[0]).sort()).toEqual(
    ['alg', 'e', 'kid', 'kty', 'n', 'use'].sort(),
  );
  expect((await fetch(`${issuer.endpoint}/reg`, { method: 'POST' })).status).toBe(404);
});

test('key and password stay over a restart, for this user alone', async () => {
  const dataDir = join(folder, 'restarted');
  const first = await start(dataDir);
  const keysOf = async ({ endpoint }: Issuer) =>
    (await fetch(`${endpoint}/.well-known/jwks.json`)).text();
  const keys = await keysOf(first);
  await first.stop();
  const second = await start(dataDir);
  expect(await keysOf(second)).toBe(keys);
  expect(second.password).toBe(first.password);
  expect(first.password.length).toBeGreaterThanOrEqual(20);
  for (const name of readdirSync(dataDir)) {
    expect(statSync(join(dataDir, name)).mode & 0o077).toBe(0);
  }
  expect(issuer.password).not.toBe(first.password);
});
