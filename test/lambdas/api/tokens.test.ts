/** Making temporary keys, and what requests with them may do, on the fakes. */

import { newApiKey } from '../../../core/access/api-key';
import type { Permission } from '../../../core/access/ports';
import { createAuthorizer } from '../../../lambdas/authorizer/app';
import { claimIn } from '../../../lambdas/runtime/rest-event';
import { createApi } from '../../../service/storage-api';
import { createFakes } from '../../support/fakes/fakes';
import { EVERYTHING, send, type TestRequest } from '../../support/requests';
import { setUp } from './world';

const MINE: Permission[] = [
  { buckets: ['photos'], prefix: 'users/1/', actions: ['read', 'write', 'list', 'sign'] },
];

async function open(permissions: readonly Permission[] = EVERYTHING) {
  const { deps } = await setUp();
  const app = createApi(deps);
  const { id, secretHash, text } = newApiKey();
  const createdAt = deps.clock.iso();
  const maker = { id, name: 'app', secretHash, permissions, createdAt };
  deps.state.apiKeys.set(id, maker);
  const authorize = createAuthorizer(deps);
  /** As the gateway does: the context of the authorizer, which it may cache. */
  const contextFor = async (token: string) => {
    const methodArn = 'arn:aws:execute-api:us-east-1:000000000000:abc/api/GET/x';
    const authorizationToken = `Bearer ${token}`;
    return (await authorize({ type: 'TOKEN', authorizationToken, methodArn })).context;
  };
  const ask = async (
    request: TestRequest,
    token: string,
    context: Awaited<ReturnType<typeof contextFor>> | undefined = undefined,
  ) => {
    const claim = claimIn(context ?? (await contextFor(token)) ?? {});
    return send((incoming) => app({ ...incoming, claim }), request);
  };
  const make = (fields: object = {}, token = text) =>
    ask(
      { method: 'POST', path: '/tokens', body: JSON.stringify({ permissions: MINE, ...fields }) },
      token,
    );
  const token = async (fields: object = {}) => (await make(fields)).json<{ token: string }>().token;
  const change = (fields: object) => deps.state.apiKeys.set(id, { ...maker, ...fields });
  return { deps, id, text, ask, make, token, change, contextFor };
}

test.each(['before', 'after'] as const)(
  'a temporary key is made by the next call when the function dies %s any call',
  async (when) => {
    let points = 0;
    for (let at = 1, made = false; !made; at++) {
      const { deps, id, text, ask } = await open();
      let calls = 0;
      const dying = createFakes({
        ...deps,
        yieldPoint: (step) => {
          if (step.when === 'before') calls += 1;
          if (calls === at && step.when === when) throw new Error('killed');
        },
      });
      const linksAndKeys = { ...deps.linksAndKeys, apiKeys: dying.apiKeys };
      const app = createApi({ ...deps, ...dying, linksAndKeys });
      const permissions = MINE;
      const body = JSON.stringify({ permissions });
      const request = { method: 'POST', path: '/tokens', body, keyId: id };
      made = (await send(app, request)).status === 201;
      if (!made) points += 1;
      const again = await ask(request, text);
      expect(again.status).toBe(201);
      const mine = again.json<{ token: string }>().token;
      expect((await ask(put('users/1/a'), mine)).status).toBe(201);
    }
    // A token of the rate limit, the maker, the secret of temporary keys.
    expect(points).toBe(3);
  },
);

const put = (key: string) => ({ method: 'PUT', path: `/objects/photos/${key}`, body: 'x' });

test('a temporary key has its permissions and no others of its maker', async () => {
  const { ask, token } = await open();
  const mine = await token();
  expect((await ask(put('users/1/a'), mine)).status).toBe(201);
  expect((await ask(put('users/2/a'), mine)).status).toBe(403);
  expect((await ask({ method: 'DELETE', path: '/objects/photos/users/1/a' }, mine)).status).toBe(
    403,
  );
  const list = await ask({ path: '/objects/photos' }, mine);
  expect(list.json<{ objects: unknown[] }>().objects).toHaveLength(1);
});

test('a temporary key is made without a write, and names its end and its maker', async () => {
  const { deps, id, make } = await open();
  await make();
  const before = JSON.stringify([...deps.state.apiKeys]);
  const made = await make({ expires_in: 60 });
  expect(made.status).toBe(201);
  expect(made.json()).toEqual({
    token: expect.stringMatching(/^ost_[\w-]+\.[\w-]{43}$/),
    permissions: MINE,
    expires_at: new Date(deps.clock.now() + 60_000).toISOString(),
    key_id: id,
  });
  expect(JSON.stringify([...deps.state.apiKeys])).toBe(before);
});

test.each([
  ['more than its maker may', { permissions: [{ buckets: ['*'], actions: ['read'] }] }, 403],
  ['an action that its maker lacks', { permissions: [{ ...MINE[0], actions: ['delete'] }] }, 403],
  ['more than twelve hours', { expires_in: 12 * 3600 + 1 }, 400],
  ['no permission', { permissions: [] }, 400],
  ['an unknown field', { name: 'x' }, 400],
  [
    'too many permissions',
    { permissions: Array.from({ length: 20 }, () => ({ ...MINE[0], prefix: 'users/1/abcdef' })) },
    400,
  ],
])('a temporary key for %s is refused', async (_what, fields, status) => {
  const { make } = await open(MINE);
  expect((await make(fields)).status).toBe(status);
});

test('a temporary key makes no others, and lasts no longer than its maker', async () => {
  const { deps, make, token, change } = await open();
  expect((await make({}, await token())).status).toBe(403);
  const expiresAt = new Date(deps.clock.now() + 5000).toISOString();
  change({ expiresAt });
  expect((await make()).json()).toMatchObject({ expires_at: expiresAt });
});

test('a cached temporary key ends with its time, and with its maker', async () => {
  const { deps, id, ask, token, change, contextFor } = await open();
  const mine = await token({ expires_in: 60 });
  const context = await contextFor(mine);
  const status = async () => (await ask(put('users/1/a'), mine, context)).status;
  expect(await status()).toBe(201);
  // Narrowed: the instance notices it at its next lease of tokens.
  change({ permissions: [{ buckets: ['photos'], prefix: 'users/1/', actions: ['read'] }] });
  await deps.rates.markChanged(id, deps.clock.now());
  deps.clock.advance(2000);
  expect(await status()).toBe(403);
  change({});
  await deps.rates.markChanged(id, deps.clock.now());
  deps.clock.advance(4000);
  expect(await status()).toBe(200);
  deps.clock.advance(54_000);
  expect(await status()).toBe(401);
});

test('a temporary key does not change the permissions that an instance caches of its maker', async () => {
  const { ask, text, token } = await open();
  const mine = await token();
  for (let n = 0; n < 3; n++) {
    expect((await ask(put('users/2/a'), mine)).status).toBe(403);
    expect((await ask(put('users/2/a'), text)).status).toBeLessThan(300);
  }
});

const list = (path: string, token: string | undefined, more: Record<string, string> = {}) => ({
  path,
  query: { ...more, ...(token && { page_token: token }) },
});

test.each<[string, (token?: string) => TestRequest]>([
  ['GET of buckets', (token) => list('/buckets', token, { limit: '1' })],
  ['GET of objects', (token) => list('/objects/photos', token, { limit: '1' })],
  ['GET of links', (token) => list('/links', token, { bucket: 'photos', limit: '1' })],
  ['GET of consumers', (token) => list('/buckets/photos/consumers', token, { limit: '1' })],
  [
    'DELETE of objects',
    (token) => ({ method: 'DELETE', ...list('/objects/photos', token, { prefix: '' }) }),
  ],
  [
    'POST of a restore',
    (page_token) => ({
      ...{ method: 'POST', path: '/restore' },
      body: JSON.stringify({ bucket: 'photos', as_of: 0, page_token }),
    }),
  ],
])('a page token of %s is for those who may do the same', async (_what, page) => {
  const { deps, ask, token, text } = await open();
  const make = (method: string, path: string, body: object) =>
    ask({ method, path, body: JSON.stringify(body) }, text);
  await make('POST', '/buckets', { name: 'pictures' });
  for (let n = 0; n < 400; n++) {
    await ask(put(`${n}`), text);
    deps.clock.advance(10);
  }
  for (const n of [1, 2]) {
    await make('POST', '/links', { bucket: 'photos', key: '1' });
    await make('PUT', `/buckets/photos/consumers/c${n}`, { cursor: 0 });
  }
  const all = { buckets: ['*'], actions: ['read', 'write', 'delete', 'list', 'sync', 'sign'] };
  const permissions = [all];
  const [mine, same] = [await token({ permissions }), await token({ permissions })];
  const others = await token({ permissions: [{ ...all, buckets: ['p*'] }] });

  const { next_page_token: next } = (await ask(page(), mine)).json<{ next_page_token: string }>();
  expect(next).toEqual(expect.any(String));
  deps.clock.advance(1000);
  for (const [key, status] of [
    [others, 400],
    [text, 400],
    [same, 200],
  ] as const) {
    expect((await ask(page(next), key)).status).toBe(status);
  }
});

test('holders of temporary keys do not share idempotency records, unless they may do the same', async () => {
  const { ask, token } = await open();
  const all = [{ buckets: ['photos'], actions: ['write'] }];
  const keyed = { ...put('users/1/a'), headers: { 'Idempotency-Key': 'k' } };
  const [mine, again, others] = [await token(), await token(), await token({ permissions: all })];
  expect((await ask(keyed, mine)).headers['x-object-version']).toBe('1');
  expect((await ask(keyed, again)).headers['x-object-version']).toBe('1');
  expect((await ask(keyed, others)).headers['x-object-version']).toBe('2');
});
