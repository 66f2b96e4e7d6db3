import { ALL_PERMISSIONS } from '../../../core/access/permissions';
import { type AdminRequest, makeKey, NEW_KEY, openWorld, type World } from './requests';

const POST = 'POST';

let world: World;
beforeEach(() => {
  world = openWorld();
});
const ask = (request: AdminRequest) => world.ask(request);
const make = (body?: object) => makeKey(world, body);

test('GET /config needs no token, and returns what the dashboard needs to sign in', async () => {
  const response = await ask({ path: '/config', token: null });
  expect(response.status).toBe(200);
  expect(response.json).toMatchObject({
    issuer: 'https://issuer.example',
    client_id: 'c',
    scopes: ['openid', 'email'],
    authorize_parameters: {},
    api_base: '/api/v2/storage',
    sync_url: 'wss://sync.example',
    tiers: ['default', 'small'],
    version: '1.2.3',
  });
  expect((await ask({ path: '/config', method: POST, token: null })).status).toBe(405);
});

describe('a caller without an access token', () => {
  // Those that exist are in test/lambdas/authorization.
  const ROUTES: [string, string][] = [
    ['GET', '/nothing'],
    ['DELETE', '/keys'],
  ];

  test.each(ROUTES)('gets 401 from %s %s, where there is no such route', async (method, path) => {
    for (const token of [null, '', 'wrong', (await make()).api_key]) {
      const { status, json } = await ask({ method, path, token, body: NEW_KEY });
      expect(status).toBe(401);
      expect(json.error.code).toBe('unauthorized');
    }
    expect((await ask({ method, path, token: 'visitor', body: NEW_KEY })).status).toBe(403);
  });

  test('cannot use a cookie, another scheme or another header in place of the token', async () => {
    const attempts: Record<string, string>[] = [
      { Cookie: 'access_token=alice; Authorization=Bearer alice' },
      { Authorization: 'Basic alice' },
      { Authorization: 'alice' },
      { Authorization: 'Bearer alice extra' },
      { 'X-Authorization': 'Bearer alice' },
    ];
    for (const headers of attempts) {
      expect((await ask({ path: '/keys', token: null, headers })).status).toBe(401);
    }
  });
});

describe('an API key', () => {
  test('cannot create another key, not even with all permissions or as a session', async () => {
    const all = await make({ name: 'all', permissions: ALL_PERMISSIONS });
    const session = (await ask({ method: POST, path: '/session' })).json;
    const before = world.fakes.state.apiKeys.size;
    for (const token of [all.api_key, session.api_key]) {
      for (const path of ['/keys', '/session', `/keys/${all.key.id}/rotate`]) {
        expect((await ask({ method: POST, path, token, body: NEW_KEY })).status).toBe(401);
      }
    }
    expect(world.fakes.state.apiKeys.size).toBe(before);
  });
});

test.each([
  '',
  '/',
  '/keys/',
  '//keys',
  '/./keys',
  '/../v1/keys',
  '/keys/..',
  '/keys/%2e%2e/audit',
  '/keys/aaaaaaaaaaaa/',
  '/keys/aaaaaaaaaaaa/revoke/x',
  '/keys/aaaaaaaaaaaa/delete',
  '/keys/aaaaaaaaaaa',
  '/keys/aaaaaaaaaaaaa',
  '/keys/aaaaaaaaaaa%61',
  '/keys/#directory00',
  '/Keys',
  '/keys%00',
  '/keys;v=1',
  '/session/aaaaaaaaaaaa',
  '/constructor',
  '/__proto__',
  '/toString',
])('the path %j returns 404', async (path) => {
  for (const method of ['GET', POST]) {
    const { status, json } = await ask({ method, path, ...(method === POST && { body: NEW_KEY }) });
    expect(status).toBe(404);
    expect(json.error.code).toBe('not_found');
  }
});

test('a method that the path lacks returns 405 with Allow', async () => {
  const { status, headers, json } = await ask({ method: 'DELETE', path: '/keys/aaaaaaaaaaaa' });
  expect(status).toBe(405);
  expect(headers.Allow).toBe('GET, HEAD, PATCH');
  expect(json.error).toMatchObject({ code: 'method_not_allowed' });
});

test('HEAD returns the headers of GET without the body', async () => {
  await make();
  const get = await ask({ path: '/keys' });
  const head = await ask({ path: '/keys', method: 'HEAD' });
  expect(head.status).toBe(200);
  expect(head.text).toBe('');
  expect(head.headers['Content-Length']).toBe(String(Buffer.byteLength(get.text)));
  const refused = await ask({ path: '/keys', method: 'HEAD', token: null });
  expect([refused.status, refused.text]).toEqual([401, '']);
});

test('an unexpected error returns 500 without internals, and is logged', async () => {
  world.fakes.keys.list = () => Promise.reject(new Error('table arn:aws:secret'));
  const response = await ask({ path: '/keys' });
  expect(response.status).toBe(500);
  expect(response.text).not.toContain('arn:aws');
  expect(JSON.stringify(world.fakes.log.lines)).toContain('request_failed');
});

test('a body above 64 KiB is refused before it is parsed', async () => {
  const body = { ...NEW_KEY, name: 'x'.repeat(70_000) };
  expect((await ask({ method: POST, path: '/keys', body })).status).toBe(413);
});
