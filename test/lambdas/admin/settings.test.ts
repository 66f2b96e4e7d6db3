/** What the administration accepts, allows and shows, value by value. */

import { requireSafe } from '../../../adapters/oidc/key-set';
import { ACTIONS } from '../../../core/access/permissions';
import { DEFAULT_RATES, KEY_LIMITS } from '../../../core/limits';
import { adminConfig } from '../../../service/administration/config';
import { type AdminRequest, makeKey, openWorld, type World } from './requests';

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
});
