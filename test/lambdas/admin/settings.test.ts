/** What the administration accepts, allows and shows, value by value. */

import { fetchKeySet, requireSafe } from '../../../adapters/oidc/key-set';
import { ACTIONS } from '../../../core/access/permissions';
import { DEFAULT_RATES, KEY_LIMITS } from '../../../core/limits';
import { adminConfig } from '../../../service/administration/config';
import { adminResourceOf } from '../../../service/administration/routes';
import { newKey } from '../../support/samples';
import { type AdminRequest, makeKey, NEW_KEY, openWorld, type World } from './requests';

let world: World;
beforeEach(() => {
  world = openWorld();
});
const ask = (request: AdminRequest) => world.ask(request);

test('the settings of the page name the issuer, the interface and its limits', () => {
  const issuer = { issuer: 'https://i.example', clientId: 'c', claim: 'role', value: 'admin' };
  const tiers = { default: DEFAULT_RATES, small: DEFAULT_RATES };
  const page = { scopes: 'openid email', syncUrl: 'wss://s.example', tiers, version: '1.2.3' };
  const config = {
    ...{ issuer: 'https://i.example', client_id: 'c', scopes: ['openid', 'email'] },
    ...{ authorize_parameters: {}, api_base: '/api/v2/storage', sync_url: 'wss://s.example' },
    ...{ actions: ACTIONS, tiers: ['default', 'small'], rate_tiers: tiers, version: '1.2.3' },
    session_seconds: KEY_LIMITS.sessionSeconds,
  };
  expect(adminConfig(issuer, page)).toEqual(config);
  const audience = 'https://a.example';
  expect(
    adminConfig({ ...issuer, audience }, { ...page, signOutUrl: 'https://o.example' }),
  ).toEqual({ ...config, authorize_parameters: { audience }, sign_out_url: 'https://o.example' });
});

const ID = 'aaaaaaaaaaaa';

test.each([
  ['/config', 'GET, HEAD'],
  ['/keys', 'GET, HEAD, POST'],
  [`/keys/${ID}`, 'GET, HEAD, PATCH'],
  [`/keys/${ID}/revoke`, 'POST'],
  [`/keys/${ID}/rotate`, 'POST'],
  ['/session', 'POST, DELETE'],
  ['/audit', 'GET, HEAD'],
  ['/usage', 'GET, HEAD'],
])('the path %s allows %s', async (path, allow) => {
  const { status, headers } = await ask({ method: 'PUT', path });
  expect([status, headers.Allow]).toEqual([405, allow]);
});

test.each([
  ['/admin/v1/keys', { kind: 'keys' }],
  [`/admin/v1/keys/${ID}`, { kind: 'key', id: ID }],
  [`/admin/v1/keys/${ID}/rotate`, { kind: 'rotate', id: ID }],
  [`/admin/v1/audit/${ID}`, undefined],
  [`/admin/v1/keys/${ID}/rotate/x`, undefined],
  [`/admin/v1/keys/${ID}/`, undefined],
  ['/admin/v2/keys', undefined],
  ['/x/admin/v1/keys', undefined],
])('the path %s addresses %j', (path, resource) => {
  expect(adminResourceOf(path)).toEqual(resource);
});

test.each<[string, number]>([
  ['application/json', 201],
  ['Application/JSON', 201],
  ['application/json;charset=utf-8', 201],
  ['application/json  ;  charset=UTF-8', 201],
  ['application/json; charset="utf-8" ', 201],
  ['application/jsonp', 400],
  ['text/application/json', 400],
  ['application/json; charset=utf-8; x=y', 400],
  ['application/json; charset=utf-88', 400],
  ['application/json charset=utf-8', 400],
])('a body of the type %j gets %i', async (type, status) => {
  const body = JSON.stringify(NEW_KEY);
  const headers = { 'content-type': type };
  expect((await ask({ method: 'POST', path: '/keys', body, headers })).status).toBe(status);
});

test.each<[string, string]>([
  ['POST', `/keys/${ID}/revoke`],
  ['POST', '/session'],
  ['DELETE', '/session'],
])('%s %s takes no field', async (method, path) => {
  const { status, json } = await ask({ method, path, body: { x: 1 } });
  expect([status, json]).toMatchObject([400, { error: { details: { field: 'x' } } }]);
});

describe('the requests of a key', () => {
  const usage = (query: Record<string, string>) =>
    ask({ path: '/usage', query: { key_id: ID, ...query } });

  test.each([
    [{}, '2025-12-26'],
    [{ days: '1' }, '2026-01-01'],
    [{ days: '2' }, '2025-12-31'],
    [{ days: '90' }, '2025-10-04'],
  ])('for the query %j begin with %s and end today', async (query, from) => {
    const { status, json } = await usage(query);
    expect([status, json]).toEqual([200, { key_id: ID, from, to: '2026-01-01', hours: [] }]);
  });

  test.each(['0', '91', '100', 'x1', '1x', '-1', ''])('of %j days are refused', async (days) => {
    const { status, json } = await usage({ days });
    expect([status, json]).toMatchObject([400, { error: { details: { field: 'days' } } }]);
  });

  test('are those of the days, also of the first one', async () => {
    const { key } = await makeKey(world);
    const { clock, rates } = world.fakes;
    const use = async () => {
      const now = clock.now();
      const known = { now, knownUntil: now, maxTokens: 1, counts: { read: 2, limited: 1 } };
      await rates.lease(key.id, { class: 'read', rate: { rate: 1, burst: 9 }, ...known });
    };
    await use();
    clock.advance(86_400_000);
    await use();
    const counts = { read: 2, write: 0, list: 0, sign: 0, wait: 0, connect: 0, limited: 1 };
    const at = (day: string) => ({ hour: `2026-01-${day}T00:00:00.000Z`, ...counts });
    expect((await usage({ key_id: key.id, days: '2' })).json.hours).toEqual([at('01'), at('02')]);
    expect((await usage({ key_id: key.id, days: '1' })).json.hours).toEqual([at('02')]);
  });
});

test('a list of more than a hundred keys has each with its last use', async () => {
  const { clock, rates, state } = world.fakes;
  const asked: number[] = [];
  const { uses } = rates;
  rates.uses = async (ids) => {
    asked.push(ids.length);
    return uses.call(rates, ids);
  };
  const ids = Array.from({ length: 205 }, (_, n) => String(n).padStart(12, '0'));
  for (const id of ids) {
    state.apiKeys.set(id, newKey({ id }));
    const now = clock.now();
    const known = { now, knownUntil: now, maxTokens: 1, counts: { read: 1 } };
    await rates.lease(id, { class: 'read', rate: { rate: 1, burst: 9 }, ...known });
  }
  const { json } = await ask({ path: '/keys', query: { limit: '300' } });
  const shown = json.keys.map(({ id, last_used_at }: Record<string, string>) => [id, last_used_at]);
  expect(shown).toHaveLength(205);
  expect(Object.fromEntries(shown)).toEqual(
    Object.fromEntries(ids.map((id) => [id, '2026-01-01T00:00:00.000Z'])),
  );
  expect(asked).toEqual([100, 100, 5]);
  expect(json).not.toHaveProperty('next_page_token');
});

const ULID = '01KAG8Y2M4Q7T9V1X3Z5B7D9F1';

test.each<[string, string]>([
  ['/keys', 'aaaaaaaaaaa'],
  ['/audit', ULID.slice(1)],
  ['/audit', `${ULID}0`],
  ['/audit', ULID.toLowerCase()],
  ['/audit', ULID.replace('M', 'I')],
])('GET %s with the page token %s is refused', async (path, page_token) => {
  const { status, json } = await ask({ path, query: { page_token } });
  expect([status, json]).toMatchObject([400, { error: { details: { field: 'page_token' } } }]);
});

test('the audit records are on one page each', async () => {
  const { key } = await makeKey(world);
  for (const name of ['b', 'c', 'd', 'e']) {
    world.fakes.clock.advance(1);
    await ask({ method: 'PATCH', path: `/keys/${key.id}`, body: { name } });
  }
  const seen: string[] = [];
  let page_token: string | undefined;
  do {
    const query = { limit: '3', ...(page_token !== undefined && { page_token }) };
    const { json } = await ask({ path: '/audit', query });
    seen.push(...json.records.map(({ details }: { details: { name: string } }) => details.name));
    page_token = json.next_page_token;
  } while (page_token !== undefined);
  expect(seen).toEqual(['e', 'd', 'c', 'b', 'team']);
});

test('PATCH replaces the permissions and the expiry, and returns them', async () => {
  const { key } = await makeKey(world);
  const permissions = [{ buckets: ['photos'], actions: ['write'] }];
  const body = { permissions, expires_at: '2027-01-01T01:00:00+01:00' };
  const changed = await ask({ method: 'PATCH', path: `/keys/${key.id}`, body });
  expect(changed.json).toMatchObject({ permissions, expires_at: '2027-01-01T00:00:00.000Z' });
  expect((await ask({ path: `/keys/${key.id}` })).json).toEqual(changed.json);
});

test('a page token may be any id, also of a key that is gone', async () => {
  expect((await ask({ path: '/keys', query: { page_token: ID } })).status).toBe(200);
  expect((await ask({ path: '/audit', query: { page_token: ULID } })).json).toEqual({
    records: [],
  });
});

test('a header has any case, and the settings of the page need no token', async () => {
  const headers = { authorization: 'Bearer alice' };
  expect((await ask({ path: '/keys', token: null, headers })).status).toBe(200);
  expect((await ask({ path: '/config', token: 'wrong' })).status).toBe(200);
});

describe('the keys of the issuer', () => {
  test.each([
    'https://issuer.example/keys',
    'http://127.0.0.1:8080/keys',
    'http://localhost/keys',
    'http://[::1]:1/keys',
  ])('may be at %s', (uri) => {
    expect(() => requireSafe(uri)).not.toThrow();
  });

  test.each(['http://issuer.example/', 'http://127.0.0.2/', 'ftp://localhost/', 'ws://localhost/'])(
    'may not be at %s',
    (uri) => {
      expect(() => requireSafe(uri)).toThrow('https');
    },
  );

  test('that cannot be fetched are an error with its cause', async () => {
    await expect(fetchKeySet('http://issuer.example/')).rejects.toThrow('must begin with https:');
  });
});
