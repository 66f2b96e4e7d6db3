import { authenticate } from '../../../core/access/authentication';
import { createSession } from '../../../core/access/keys';
import { ALL_PERMISSIONS } from '../../../core/access/permissions';
import {
  type AdminRequest,
  isUsableKey,
  makeKey,
  NEW_KEY,
  openWorld,
  TEAM,
  type World,
} from './requests';

const POST = 'POST';

let world: World;
beforeEach(() => {
  world = openWorld();
});
const ask = (request: AdminRequest) => world.ask(request);
const make = (body?: object) => makeKey(world, body);
const opens = (text: string) => isUsableKey(world, text);

describe('keys', () => {
  test('POST creates a key and returns its text once', async () => {
    const expires_at = '2026-06-01T02:00:00+02:00';
    const response = await ask({
      method: POST,
      path: '/keys',
      body: { ...NEW_KEY, tier: 'small', expires_at },
    });

    expect(response.status).toBe(201);
    const { key, api_key: text } = response.json;
    expect(response.headers).toMatchObject({
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

  test('GET lists keys page by page, without sessions', async () => {
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

  test('GET returns when a key was last used, and its requests in that hour', async () => {
    const { key } = await make();
    const now = world.fakes.clock.now();
    const rate = { rate: 1, burst: 10 };
    const request = {
      class: 'read',
      rate,
      maxTokens: 3,
      now,
      knownUntil: now,
      counts: { read: 3 },
    } as const;
    await world.fakes.rates.lease(key.id, request);
    const used = (await ask({ path: `/keys/${key.id}` })).json;
    expect(used.last_used_at).toBe('2026-01-01T00:00:00.000Z');
    expect(used.rate).toEqual({
      ...{ read: 3, write: 0, list: 0, sign: 0, wait: 0, connect: 0 },
      limited: 0,
    });

    const usage = await ask({ path: '/usage', query: { key_id: key.id, days: '3' } });
    expect(usage.json).toEqual({
      key_id: key.id,
      from: '2025-12-30',
      to: '2026-01-01',
      hours: [{ hour: '2026-01-01T00:00:00.000Z', ...used.rate }],
    });
  });

  test('PATCH changes the named fields and no others', async () => {
    const { key } = await make({ ...NEW_KEY, expires_at: '2027-01-01T00:00:00Z' });
    const patch = (body: object) => ask({ method: 'PATCH', path: `/keys/${key.id}`, body });
    const renamed = await patch({ name: '  new name ' });
    expect(renamed.status).toBe(200);
    expect(renamed.json).toEqual({ ...key, name: 'new name' });
    const endless = await patch({ expires_at: null, tier: 'small' });
    const { expires_at: _removed, ...rest } = renamed.json;
    expect(endless.json).toEqual({ ...rest, tier: 'small' });
  });

  test('PATCH reactivates an expired key by a later expiry', async () => {
    const { key, api_key: text } = await make({ ...NEW_KEY, expires_at: '2026-01-01T00:00:01Z' });
    world.fakes.clock.advance(1000);
    expect((await ask({ path: `/keys/${key.id}` })).json.state).toBe('expired');
    const body = { expires_at: '2026-01-02T00:00:00Z' };
    const response = await ask({ method: 'PATCH', path: `/keys/${key.id}`, body });
    expect(response.json.state).toBe('active');
    expect(await opens(text)).toBe(true);
  });

  test('revoke ends a key, and returns the same when it is repeated', async () => {
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

  test('rotate returns a new secret, and the old one stays valid during the overlap', async () => {
    const { key, api_key: old } = await make();
    const body = { overlap_seconds: 60 };
    const response = await ask({ method: POST, path: `/keys/${key.id}/rotate`, body });
    expect(response.status).toBe(201);
    const { api_key: text, key: rotated } = response.json;
    const rotating_until = new Date(world.fakes.clock.now() + 60_000).toISOString();
    expect(rotated).toEqual({ ...key, rotating_until });
    expect([await opens(old), await opens(text)]).toEqual([true, true]);
    world.fakes.clock.advance(60_000);
    expect([await opens(old), await opens(text)]).toEqual([false, true]);
    expect((await ask({ path: `/keys/${key.id}` })).json).toEqual(key);
  });

  test('rotate without a body has an overlap of a day', async () => {
    const { key } = await make();
    const { json } = await ask({ method: POST, path: `/keys/${key.id}/rotate` });
    expect(json.key.rotating_until).toBe(
      new Date(world.fakes.clock.now() + 86_400_000).toISOString(),
    );
  });
});

describe('a session', () => {
  test('is a key with all permissions that expires with the access token', async () => {
    const response = await ask({ method: POST, path: '/session' });
    expect(response.status).toBe(201);
    const { api_key: text, key_id: id, expires_at } = response.json;
    expect(expires_at).toBe(new Date(world.fakes.clock.now() + 600_000).toISOString());
    const { key } = await authenticate(world.fakes.keys, text, world.fakes.clock.now());
    expect(key?.permissions).toEqual(ALL_PERMISSIONS);
    world.fakes.clock.advance(600_000);
    expect(await opens(text)).toBe(false);
    expect((await ask({ path: `/keys/${id}` })).status).toBe(404);
  });

  test('ends with all others of the person by DELETE, which other keys survive', async () => {
    const session = async () => (await ask({ method: POST, path: '/session' })).json;
    const earlier = await session();
    world.fakes.clock.advance(60_000);
    const latest = await session();
    const other = await make();
    const { text: foreign } = await createSession(
      world.fakes,
      { id: 'sub-bob', name: 'alice' },
      { permissions: ALL_PERMISSIONS, until: world.fakes.clock.now() + 600_000 },
    );

    const ended = await ask({ method: 'DELETE', path: '/session' });

    expect([ended.status, ended.json]).toEqual([200, { revoked: 2 }]);
    expect(await opens(earlier.api_key)).toBe(false);
    expect(await opens(latest.api_key)).toBe(false);
    expect(await opens(other.api_key)).toBe(true);
    expect(await opens(foreign)).toBe(true);
    const { records } = (await ask({ path: '/audit' })).json;
    const revoked = records.filter(({ action }: { action: string }) => action === 'revoke');
    expect(revoked.map(({ key_id: id }: { key_id: string }) => id).toSorted()).toEqual(
      [earlier.key_id, latest.key_id].toSorted(),
    );
    expect((await ask({ method: 'DELETE', path: '/session' })).json).toEqual({ revoked: 0 });
  });

  test('ends when its key is revoked', async () => {
    const { api_key: text, key_id: id } = (await ask({ method: POST, path: '/session' })).json;
    expect((await ask({ method: POST, path: `/keys/${id}/revoke` })).status).toBe(200);
    expect(await opens(text)).toBe(false);
  });
});

test('audit lists the changes of keys, newest first', async () => {
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
