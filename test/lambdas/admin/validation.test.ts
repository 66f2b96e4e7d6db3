import { type AdminRequest, makeKey, NEW_KEY, openWorld, TEAM, type World } from './requests';

const POST = 'POST';

let world: World;
beforeEach(() => {
  world = openWorld();
});
const ask = (request: AdminRequest) => world.ask(request);
const make = (body?: object) => makeKey(world, body);

test.each<[string, Record<string, string>]>([
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['a form with files', { 'content-type': 'multipart/form-data; boundary=x' }],
  ['plain text', { 'content-type': 'text/plain' }],
  ['JSON declared as text', { 'content-type': 'text/plain; application/json' }],
  ['JSON in another charset', { 'content-type': 'application/json; charset=utf-16' }],
  ['no content type', {}],
])('refuses a body that a page of another origin could send: %s', async (_name, headers) => {
  const body = JSON.stringify(NEW_KEY);
  const { status, json } = await ask({ method: POST, path: '/keys', body, headers });
  expect(status).toBe(400);
  expect(json.error.details.field).toBe('Content-Type');
  const { key } = await make();
  const rotate = { method: POST, path: `/keys/${key.id}/rotate`, body: '{}', headers };
  expect((await ask(rotate)).status).toBe(400);
});

test.each<[string, object | string, string]>([
  ['no name', { permissions: TEAM }, 'name'],
  ['an empty name', { ...NEW_KEY, name: '  ' }, 'name'],
  ['a name of 101 characters', { ...NEW_KEY, name: 'x'.repeat(101) }, 'name'],
  ['a name with a line break', { ...NEW_KEY, name: 'a\nb' }, 'name'],
  ['an unpaired surrogate as name', { ...NEW_KEY, name: '\ud800' }, 'name'],
  ['a name that is no string', { ...NEW_KEY, name: 7 }, 'name'],
  ['no permissions', { name: 'x' }, 'permissions'],
  ['empty permissions', { ...NEW_KEY, permissions: [] }, 'permissions'],
  [
    'an unknown action',
    { ...NEW_KEY, permissions: [{ buckets: ['a'], actions: ['admin'] }] },
    'permissions[0].actions',
  ],
  [
    'more permissions than API Gateway accepts',
    {
      ...NEW_KEY,
      permissions: Array(50).fill({ buckets: ['*'], prefix: 'x'.repeat(80), actions: ['read'] }),
    },
    'permissions',
  ],
  ['an unknown tier', { ...NEW_KEY, tier: 'constructor' }, 'tier'],
  ['an expiry in the past', { ...NEW_KEY, expires_at: '2025-12-31T23:59:59Z' }, 'expires_at'],
  ['an expiry without zone', { ...NEW_KEY, expires_at: '2027-01-01T00:00:00' }, 'expires_at'],
  ['an expiry that is no date', { ...NEW_KEY, expires_at: '2027-13-45T00:00:00Z' }, 'expires_at'],
  ['an expiry that is a number', { ...NEW_KEY, expires_at: 1_800_000_000 }, 'expires_at'],
  ['a null expiry', { ...NEW_KEY, expires_at: null }, 'expires_at'],
  ['an unknown field', { ...NEW_KEY, revoked_at: '2026-01-01T00:00:00Z' }, 'revoked_at'],
  ['an id of its own', { ...NEW_KEY, id: 'aaaaaaaaaaaa' }, 'id'],
  ['a secret of its own', { ...NEW_KEY, secret_hash: 'ab'.repeat(32) }, 'secret_hash'],
  ['a list', [], 'body'],
])('refuses a new key with %s, and names the field', async (_name, body, field) => {
  const { status, json } = await ask({ method: POST, path: '/keys', body });
  expect(status).toBe(400);
  expect(json.error.code).toBe('invalid_request');
  expect(json.error.details.field).toBe(field);
  expect(world.fakes.state.apiKeys.size).toBe(0);
  expect(world.fakes.state.audit.size).toBe(0);
});

test.each<[string, object]>([
  ['no field', {}],
  ['the name to null', { name: null }],
  ['the secret', { secret_hash: 'ab'.repeat(32) }],
  ['the revocation', { revoked_at: null }],
])('refuses a change of %s', async (_name, body) => {
  const { key } = await make();
  expect((await ask({ method: 'PATCH', path: `/keys/${key.id}`, body })).status).toBe(400);
});

test.each([-1, 1.5, 2_592_001, '60', null, true])('refuses an overlap of %j', async (seconds) => {
  const { key } = await make();
  const body = { overlap_seconds: seconds };
  const response = await ask({ method: POST, path: `/keys/${key.id}/rotate`, body });
  expect(response.status).toBe(400);
  expect(response.json.error.details.field).toBe('overlap_seconds');
});

test.each([
  ['/keys', { limit: '0' }],
  ['/keys', { limit: '1001' }],
  ['/keys', { limit: ['1', '2'] }],
  ['/keys', { page_token: 'x' }],
  ['/keys', { page_token: '../../../x' }],
  ['/audit', { page_token: 'keys' }],
  ['/audit', { limit: 'all' }],
  ['/usage', {}],
  ['/usage', { key_id: '*' }],
  ['/usage', { key_id: 'aaaaaaaaaaaa', days: '91' }],
])('refuses GET %s with %j', async (path, query) => {
  const { status, json } = await ask({ path, query });
  expect(status).toBe(400);
  expect(json.error.code).toBe('invalid_request');
});
