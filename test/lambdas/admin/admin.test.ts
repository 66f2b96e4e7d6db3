import { authenticate } from '../../../core/access/authentication';
import { ALL_PERMISSIONS } from '../../../core/access/permissions';
import { type AdminRequest, openWorld, type World } from './requests';

const TEAM = [{ buckets: ['team-*'], prefix: '2026/', actions: ['read', 'list'] }];
const NEW_KEY = { name: 'team', permissions: TEAM };
const POST = 'POST';

let world: World;
beforeEach(() => {
  world = openWorld();
});
const ask = (request: AdminRequest) => world.ask(request);
const make = async (body: object = NEW_KEY) =>
  (await ask({ method: POST, path: '/keys', body })).json;
const opens = async (text: string) =>
  (await authenticate(world.fakes.keys, text, world.fakes.clock.now())).key !== undefined;

describe('keys', () => {
  test('POST makes one and shows it once', async () => {
    const expires_at = '2026-06-01T02:00:00+02:00';
    const answer = await ask({
      method: POST,
      path: '/keys',
      body: { ...NEW_KEY, tier: 'small', expires_at },
    });

    expect(answer.status).toBe(201);
    const { key, api_key: text } = answer.json;
    expect(answer.headers).toMatchObject({
      Location: `/admin/v1/keys/${key.id}`,
      'Cache-Control': 'no-store',
    });
    expect(key).toEqual({
      id: text.split('_')[1],
      name: 'team',
      permissions: TEAM,
      tier: 'small',
      state: 'active',
      created_at: world.fakes.clock.iso(),
      created_by: 'alice',
      expires_at: '2026-06-01T00:00:00.000Z',
      summary: ['may read and list objects in buckets whose names begin with team-, below 2026/'],
    });
    expect(await opens(text)).toBe(true);

    const again = await ask({ path: `/keys/${key.id}` });
    expect(again.json).toEqual(key);
    const secret = text.split('_')[2];
    for (const path of ['/keys', `/keys/${key.id}`, '/audit']) {
      const { text: shown } = await ask({ path });
      expect(shown).not.toContain(secret);
      expect(shown).not.toMatch(/hash|generation":0/);
    }
  });

  test('GET lists them page by page, and no session among them', async () => {
    const ids = [];
    for (let n = 0; n < 5; n++) ids.push((await make()).key.id);
    await ask({ method: POST, path: '/session' });
    const found = [];
    let page_token: string | undefined;
    do {
      const { json } = await ask({
        path: '/keys',
        query: { limit: '2', ...(page_token && { page_token }) },
      });
      found.push(...json.keys.map((key: { id: string }) => key.id));
      page_token = json.next_page_token;
    } while (page_token && found.length < 20);
    expect(found.sort()).toEqual(ids.sort());
  });

  test('GET shows when a key was used last, and how often in that hour', async () => {
    const { key } = await make();
    const now = world.fakes.clock.now();
    const rate = { rate: 1, burst: 10 };
    const ask1 = { class: 'read', rate, want: 3, now, knows: now, counts: { read: 3 } } as const;
    await world.fakes.rates.lease(key.id, ask1);
    const used = (await ask({ path: `/keys/${key.id}` })).json;
    expect(used.last_used_at).toBe('2026-01-01T00:00:00.000Z');
    expect(used.rate).toEqual({ read: 3, write: 0, list: 0, sign: 0, connect: 0, limited: 0 });

    const usage = await ask({ path: '/usage', query: { key_id: key.id, days: '2' } });
    expect(usage.json).toEqual({
      key_id: key.id,
      from: '2025-12-31',
      to: '2026-01-01',
      hours: [{ hour: '2026-01-01T00:00:00.000Z', ...used.rate }],
    });
  });

  test('PATCH changes what it names and nothing else', async () => {
    const { key } = await make({ ...NEW_KEY, expires_at: '2027-01-01T00:00:00Z' });
    const patch = (body: object) => ask({ method: 'PATCH', path: `/keys/${key.id}`, body });
    const renamed = await patch({ name: '  new name ' });
    expect(renamed.status).toBe(200);
    expect(renamed.json).toEqual({ ...key, name: 'new name' });
    const endless = await patch({ expires_at: null, tier: 'small' });
    const { expires_at: _removed, ...rest } = renamed.json;
    expect(endless.json).toEqual({ ...rest, tier: 'small' });
  });

  test('an expired key is alive again under another expiry', async () => {
    const { key, api_key: text } = await make({ ...NEW_KEY, expires_at: '2026-01-01T00:00:01Z' });
    world.fakes.clock.advance(1000);
    expect((await ask({ path: `/keys/${key.id}` })).json.state).toBe('expired');
    const body = { expires_at: '2026-01-02T00:00:00Z' };
    const answer = await ask({ method: 'PATCH', path: `/keys/${key.id}`, body });
    expect(answer.json.state).toBe('active');
    expect(await opens(text)).toBe(true);
  });

  test('revoke ends one, and may be repeated', async () => {
    const { key, api_key: text } = await make();
    const revoke = () => ask({ method: POST, path: `/keys/${key.id}/revoke` });
    const first = await revoke();
    expect(first.status).toBe(200);
    expect(first.json).toMatchObject({ state: 'revoked', revoked_by: 'alice' });
    expect(first.json.revoked_at).toBe(world.fakes.clock.iso());
    world.fakes.clock.advance(5000);
    expect((await revoke()).json).toEqual(first.json);
    expect(await opens(text)).toBe(false);
    for (const request of [
      { method: 'PATCH', path: `/keys/${key.id}`, body: { name: 'x' } },
      { method: POST, path: `/keys/${key.id}/rotate` },
    ]) {
      const refused = await ask(request);
      expect(refused.status).toBe(409);
      expect(refused.json.error).toMatchObject({
        code: 'conflict',
        details: { reason: 'revoked' },
      });
    }
  });

  test('rotate answers a new secret beside the old one', async () => {
    const { key, api_key: old } = await make();
    const body = { overlap_seconds: 60 };
    const answer = await ask({ method: POST, path: `/keys/${key.id}/rotate`, body });
    expect(answer.status).toBe(201);
    const { api_key: text, key: rotated } = answer.json;
    const rotating_until = new Date(world.fakes.clock.now() + 60_000).toISOString();
    expect(rotated).toEqual({ ...key, rotating_until });
    expect([await opens(old), await opens(text)]).toEqual([true, true]);
    world.fakes.clock.advance(60_000);
    expect([await opens(old), await opens(text)]).toEqual([false, true]);
    expect((await ask({ path: `/keys/${key.id}` })).json).toEqual(key);
  });

  test('rotate without a body overlaps for a day', async () => {
    const { key } = await make();
    const { json } = await ask({ method: POST, path: `/keys/${key.id}/rotate` });
    expect(json.key.rotating_until).toBe(
      new Date(world.fakes.clock.now() + 86_400_000).toISOString(),
    );
  });
});

describe('a session', () => {
  test('is a key of all permissions that ends with the token', async () => {
    const answer = await ask({ method: POST, path: '/session' });
    expect(answer.status).toBe(201);
    const { api_key: text, key_id: id, expires_at } = answer.json;
    expect(expires_at).toBe(new Date(world.fakes.clock.now() + 600_000).toISOString());
    const { key } = await authenticate(world.fakes.keys, text, world.fakes.clock.now());
    expect(key?.permissions).toEqual(ALL_PERMISSIONS);
    world.fakes.clock.advance(600_000);
    expect(await opens(text)).toBe(false);
    expect((await ask({ path: `/keys/${id}` })).status).toBe(404);
  });

  test('can be ended early, when somebody signs out', async () => {
    const { api_key: text, key_id: id } = (await ask({ method: POST, path: '/session' })).json;
    expect((await ask({ method: POST, path: `/keys/${id}/revoke` })).status).toBe(200);
    expect(await opens(text)).toBe(false);
  });
});

test('audit tells newest first who did what', async () => {
  const { key } = await make();
  world.fakes.clock.advance(1);
  await ask({ method: 'PATCH', path: `/keys/${key.id}`, body: { name: 'new' } });
  world.fakes.clock.advance(1);
  await ask({ method: POST, path: `/keys/${key.id}/revoke` });
  const first = (await ask({ path: '/audit', query: { limit: '2' } })).json;
  expect(first.records.map(({ action }: { action: string }) => action)).toEqual([
    'revoke',
    'change',
  ]);
  expect(first.records[1]).toEqual({
    id: expect.stringMatching(/^[0-9A-Z]{26}$/),
    at: '2026-01-01T00:00:00.001Z',
    actor: 'alice',
    actor_id: 'sub-alice',
    action: 'change',
    key_id: key.id,
    details: { name: 'new', before: { name: 'team' }, after: { name: 'new' } },
  });
  const page_token = first.next_page_token;
  const second = (await ask({ path: '/audit', query: { page_token } })).json;
  expect(second.records).toHaveLength(1);
  expect(second).not.toHaveProperty('next_page_token');
});

test('config is for everybody, and says all that a page needs to sign in', async () => {
  const answer = await ask({ path: '/config', token: null });
  expect(answer.status).toBe(200);
  expect(answer.json).toMatchObject({
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

describe('whoever has not signed in', () => {
  const ROUTES: [string, string][] = [
    ['GET', '/keys'],
    [POST, '/keys'],
    ['GET', '/keys/aaaaaaaaaaaa'],
    ['PATCH', '/keys/aaaaaaaaaaaa'],
    [POST, '/keys/aaaaaaaaaaaa/revoke'],
    [POST, '/keys/aaaaaaaaaaaa/rotate'],
    [POST, '/session'],
    ['GET', '/audit'],
    ['GET', '/usage'],
    ['GET', '/nothing'],
    ['DELETE', '/keys'],
    ['HEAD', '/keys'],
  ];

  test.each(ROUTES)('gets 401 from %s %s, whatever is there', async (method, path) => {
    for (const token of [null, '', 'wrong', (await make()).api_key]) {
      const { status, json } = await ask({ method, path, token, body: NEW_KEY });
      expect(status).toBe(401);
      if (method !== 'HEAD') expect(json.error.code).toBe('unauthorized');
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
  test('makes no other, not even one of all permissions or that of a session', async () => {
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

test.each<[string, Record<string, string>]>([
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['a form with files', { 'content-type': 'multipart/form-data; boundary=x' }],
  ['plain text', { 'content-type': 'text/plain' }],
  ['JSON said to be text', { 'content-type': 'text/plain; application/json' }],
  ['JSON in another charset', { 'content-type': 'application/json; charset=utf-16' }],
  ['nothing said', {}],
])('a body that a foreign page could send is refused: %s', async (_name, headers) => {
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
  ['half a character as name', { ...NEW_KEY, name: '\ud800' }, 'name'],
  ['a name that is no text', { ...NEW_KEY, name: 7 }, 'name'],
  ['no permissions', { name: 'x' }, 'permissions'],
  ['empty permissions', { ...NEW_KEY, permissions: [] }, 'permissions'],
  [
    'an unknown action',
    { ...NEW_KEY, permissions: [{ buckets: ['a'], actions: ['admin'] }] },
    'permissions[0].actions',
  ],
  [
    'more permissions than a gateway takes',
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
])('a new key with %s is refused, naming the field', async (_name, body, field) => {
  const { status, json } = await ask({ method: POST, path: '/keys', body });
  expect(status).toBe(400);
  expect(json.error.code).toBe('invalid_request');
  expect(json.error.details.field).toBe(field);
  expect(world.fakes.state.apiKeys.size).toBe(0);
  expect(world.fakes.state.audit.size).toBe(0);
});

test.each<[string, object]>([
  ['nothing to change', {}],
  ['a name of null', { name: null }],
  ['a secret', { secret_hash: 'ab'.repeat(32) }],
  ['the revocation', { revoked_at: null }],
])('a change of %s is refused', async (_name, body) => {
  const { key } = await make();
  expect((await ask({ method: 'PATCH', path: `/keys/${key.id}`, body })).status).toBe(400);
});

test.each([-1, 1.5, 2_592_001, '60', null, true])(
  'an overlap of %j is refused',
  async (seconds) => {
    const { key } = await make();
    const body = { overlap_seconds: seconds };
    const answer = await ask({ method: POST, path: `/keys/${key.id}/rotate`, body });
    expect(answer.status).toBe(400);
    expect(answer.json.error.details.field).toBe('overlap_seconds');
  },
);

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
])('%s with %j is refused', async (path, query) => {
  const { status, json } = await ask({ path, query });
  expect(status).toBe(400);
  expect(json.error.code).toBe('invalid_request');
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
])('the path %j is none', async (path) => {
  for (const method of ['GET', POST]) {
    const { status, json } = await ask({ method, path, ...(method === POST && { body: NEW_KEY }) });
    expect(status).toBe(404);
    expect(json.error.code).toBe('not_found');
  }
});

test('another method is 405 with those that are', async () => {
  const { status, headers, json } = await ask({ method: 'DELETE', path: '/keys/aaaaaaaaaaaa' });
  expect(status).toBe(405);
  expect(headers.Allow).toBe('GET, HEAD, PATCH');
  expect(json.error).toMatchObject({ code: 'method_not_allowed' });
});

test('HEAD answers as GET does, without the body', async () => {
  await make();
  const get = await ask({ path: '/keys' });
  const head = await ask({ path: '/keys', method: 'HEAD' });
  expect(head.status).toBe(200);
  expect(head.text).toBe('');
  expect(head.headers['Content-Length']).toBe(String(Buffer.byteLength(get.text)));
  const refused = await ask({ path: '/keys', method: 'HEAD', token: null });
  expect([refused.status, refused.text]).toEqual([401, '']);
});

test('what fails on our side is a 500 or 503 without internals, and is logged', async () => {
  world.fakes.keys.list = () => Promise.reject(new Error('table arn:aws:secret'));
  const answer = await ask({ path: '/keys' });
  expect(answer.status).toBe(500);
  expect(answer.text).not.toContain('arn:aws');
  expect(JSON.stringify(world.fakes.log.lines)).toContain('request_failed');
});

test('a body above 64 KiB is refused before it is read', async () => {
  const body = { ...NEW_KEY, name: 'x'.repeat(70_000) };
  expect((await ask({ method: POST, path: '/keys', body })).status).toBe(413);
});
