/** Administrators sign in by a link of the terminal, as their browser does it. */
import { createHash, randomBytes } from 'node:crypto';
import http from 'node:http';
import { type RunningServer, startServer } from '../../server/server';
import { accessToken } from '../../server/sign-in/local-issuer';

interface Tokens {
  readonly access_token: string;
  readonly id_token: string;
}

const SECRET = randomBytes(32).toString('base64url');
let server: RunningServer;

beforeAll(async () => {
  server = await startServer({ port: 0, signInSecret: SECRET, metricsPort: 0 });
});
afterAll(() => server.stop());

const get = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { headers, redirect: 'manual' });

/** Opens a link. Returns the cookie of the session. */
async function openLink(link: string): Promise<string> {
  const opened = await get(link);
  expect(opened.status).toBe(303);
  expect(opened.headers.get('location')).toBe(`${server.url}/`);
  const cookie = opened.headers.get('set-cookie') ?? '';
  expect(cookie).toMatch(/; HttpOnly; SameSite=Lax$/);
  return cookie.split(';')[0] ?? '';
}

const verifier = randomBytes(32).toString('base64url');

function authorizeUrl(more: Record<string, string> = {}): string {
  const parameters = {
    client_id: 'dashboard',
    redirect_uri: `${server.url}/`,
    response_type: 'code',
    scope: 'openid',
    state: 'state-1',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...more,
  };
  return `${server.url}/sign-in/authorize?${new URLSearchParams(parameters)}`;
}

async function codeFor(cookie: string): Promise<string> {
  const back = await get(authorizeUrl(), { cookie });
  const location = new URL(back.headers.get('location') ?? '');
  expect(location.origin).toBe(server.url);
  expect(location.searchParams.get('state')).toBe('state-1');
  return location.searchParams.get('code') ?? '';
}

const exchange = (code: string, more: Record<string, string> = {}) =>
  fetch(`${server.url}/sign-in/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      redirect_uri: `${server.url}/`,
      code,
      code_verifier: verifier,
      ...more,
    }),
  });

const keysWith = (token: string) =>
  get(`${server.url}/admin/v1/keys`, { authorization: `Bearer ${token}` });

test('a link leads to a token that administers keys, until the user signs out', async () => {
  const cookie = await openLink(server.signInLink());
  const tokens = (await (await exchange(await codeFor(cookie))).json()) as Tokens;
  expect((await keysWith(tokens.access_token)).status).toBe(200);
  // The identity is not a right, and neither is the cookie.
  expect((await keysWith(tokens.id_token)).status).toBe(401);
  expect((await keysWith(cookie.split('=')[1] ?? '')).status).toBe(401);
  const out = await get(
    `${server.url}/sign-in/sign-out?return_to=${encodeURIComponent(`${server.url}/`)}`,
    { cookie },
  );
  expect(out.headers.get('set-cookie')).toMatch(/^stowage-session=;.*Max-Age=0/);
  expect((await keysWith(tokens.access_token)).status).toBe(401);
  expect((await get(authorizeUrl(), { cookie })).status).toBe(401);
});

test('a link signs one browser in', async () => {
  const link = server.signInLink();
  const cookie = await openLink(link);
  expect((await get(link)).status).toBe(403);
  // The browser that used it may come again.
  expect((await get(link, { cookie })).status).toBe(303);
});

test('a code needs its verifier, and works once', async () => {
  const code = await codeFor(await openLink(server.signInLink()));
  const wrong = await exchange(code, { code_verifier: 'x'.repeat(43) });
  expect(wrong.status).toBe(400);
  expect(await wrong.json()).toEqual({ error: 'invalid_grant' });
  expect((await exchange(code)).status).toBe(200);
  expect((await exchange(code)).status).toBe(400);
});

test.each<[string, Record<string, string>]>([
  ['to another page', { redirect_uri: 'http://evil.example/' }],
  ['of another client', { client_id: 'other' }],
])('no code is sent %s', async (_what, more) => {
  const cookie = await openLink(server.signInLink());
  const refused = await get(authorizeUrl(more), { cookie });
  expect([refused.status, refused.headers.get('location')]).toEqual([400, null]);
});

test('a name that leads here by DNS rebinding gets no session', async () => {
  const link = new URL(server.signInLink());
  const status = await new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: link.port, path: link.pathname + link.search };
    http
      .get({ ...options, headers: { Host: `evil.example:${link.port}` } }, (response) => {
        response.resume();
        resolve([response.statusCode, response.headers['set-cookie']]);
      })
      .on('error', reject);
  });
  expect(status).toEqual([400, undefined]);
});

test('forged, expired and foreign tokens are refused', async () => {
  const right = accessToken({ secret: SECRET, clock: { now: Date.now } }, 'ada');
  expect((await keysWith(right)).status).toBe(200);
  const expired = accessToken(
    { secret: SECRET, clock: { now: () => Date.now() - 3_601_000 } },
    'ada',
  );
  const foreign = accessToken({ secret: 'other', clock: { now: Date.now } }, 'ada');
  const [header, body] = right.split('.');
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`;
  const bad = [expired, foreign, unsigned, `${header}.${body}.`, `${right}x`, 'a.b.c', ''];
  for (const token of bad) expect((await keysWith(token)).status).toBe(401);
});

test('metrics count requests by route and show no name', async () => {
  await get(`${server.url}/api/v2/storage/buckets/secret-name`);
  const text = await (await fetch(server.metricsUrl ?? '')).text();
  expect(text).toMatch(/stowage_request_seconds_count\{route="getBucket",status="4xx"\} 1/);
  expect(text).not.toContain('secret-name');
  // Clients of the service do not see them.
  expect((await get(`${server.url}/metrics`)).status).toBe(404);
});
