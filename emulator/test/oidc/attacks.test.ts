import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { Browser } from '../../src/services/oidc/cookie-browser';
import { authorizeUrl, type Changes, codeOf, exchange, issuer } from './issuer';
import { PAGE } from './pool';

test.each<[string, Changes]>([
  ['another page', { redirect_uri: 'http://127.0.0.1:7070/evil' }],
  ['another port', { redirect_uri: 'http://127.0.0.1:9999/' }],
  ['another host', { redirect_uri: 'http://evil.example/' }],
  ['a user part', { redirect_uri: 'http://127.0.0.1:7070@evil.example/' }],
  ['an unknown client', { client_id: 'other' }],
])('the issuer refuses a code for %s, without a redirect', async (_name, changes) => {
  const response = await new Browser().go(authorizeUrl(changes));
  expect(response.status).toBe(400);
  expect(response.headers.get('location')).toBeNull();
});

test.each<[string, Changes]>([
  ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }],
  ['a plain challenge', { code_challenge_method: 'plain' }],
  ['a token instead of a code', { response_type: 'id_token token' }],
])('the issuer redirects a request with %s to the client with an error', async (_name, changes) => {
  const browser = new Browser();
  const response = await browser.go(authorizeUrl(changes));
  const back = new URL(response.headers.get('location') ?? issuer.endpoint);
  expect(back.href).toContain('error=');
  expect(back.href).not.toContain('code=');
});

test('the issuer refuses a code with another verifier, without a verifier, and for the second time', async () => {
  const code = await codeOf();
  const other = randomBytes(32).toString('base64url');
  expect((await exchange({ code, code_verifier: other })).status).toBe(400);
  const fresh = await codeOf();
  expect((await exchange({ code: fresh, code_verifier: '' })).status).toBe(400);
  const used = await codeOf();
  expect((await exchange({ code: used })).status).toBe(200);
  expect((await exchange({ code: used })).status).toBe(400);
});

test.each(['client_credentials', 'password', 'urn:ietf:params:oauth:grant-type:device_code'])(
  'the issuer refuses the grant %s',
  async (grant_type) => {
    const { user: username, password } = issuer;
    expect((await exchange({ grant_type, username, password })).status).toBe(400);
  },
);

test('signing out refuses to redirect to an unknown page, and the session continues', async () => {
  const browser = new Browser();
  await codeOf(browser);
  for (const query of [
    'client_id=dashboard&logout_uri=http%3A%2F%2Fevil.example%2F',
    `client_id=other&logout_uri=${encodeURIComponent(PAGE)}`,
    'client_id=dashboard',
  ]) {
    const response = await browser.go(`${issuer.endpoint}/logout?${query}`);
    expect(response.status).toBe(400);
    expect(response.headers.get('location')).toBeNull();
  }
  const still = await browser.follow(authorizeUrl(), PAGE);
  expect(still.searchParams.get('code')).toBeTruthy();
});

test('the issuer refuses a request for another host name, as after DNS rebinding', async () => {
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

test('CORS lets the page of the client request tokens, and no other page', async () => {
  const own = new URL(PAGE).origin;
  const from = async (origin: string) =>
    (await exchange({ code: 'x' }, { Origin: origin })).headers.get('access-control-allow-origin');
  expect(await from(own)).toBe(own);
  expect(await from('http://evil.example')).toBeNull();
});
