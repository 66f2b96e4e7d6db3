/** Links: what they store and return, and who may make and revoke them. On the fakes. */
import type { Permission } from '../../../core/access/ports';
import { createInternal } from '../../../lambdas/internal/app';
import { createApi } from '../../../service/storage-api';
import { put, setUp } from '../../lambdas/api/world';
import { invoke } from '../../support/invocations';
import { EVERYTHING, send } from '../../support/requests';
import { newKey } from '../../support/samples';

interface LinkJson {
  readonly id: string;
  readonly url: string;
  readonly key: string;
}

async function open() {
  const world = await setUp();
  const { ask, deps } = world;
  await ask(put);
  const bucketId = (await deps.buckets.get('photos'))?.id;
  const create = (fields: object = {}, more: object = {}) =>
    ask({
      ...{ method: 'POST', path: '/links', ...more },
      body: JSON.stringify({ bucket: 'photos', key: 'a', ...fields }),
    });
  const list = (more: object = {}) => ask({ path: '/links', query: { bucket: 'photos' }, ...more });
  const stored = () => [...deps.state.links.values()].map(({ link }) => link);
  const remove = { method: 'DELETE', path: put.path };
  return { ...world, bucketId, create, list, stored, remove };
}

const inAWeek = (now: number) => new Date(now + 7 * 86_400_000).toISOString();

test('a link without wishes stores its object, its maker and its end, and returns them', async () => {
  const { create, stored, list, bucketId, deps } = await open();
  const { url, ...made } = (await create()).json<LinkJson>();
  expect(made).toEqual({
    ...{ id: expect.stringMatching(/^[\w-]{34}$/), bucket: 'photos', key: 'a', uses: 0 },
    ...{ created_at: deps.clock.iso(), created_by: 'key-1', has_password: false },
    expires_at: inAWeek(deps.clock.now()),
  });
  expect(stored()).toEqual([
    {
      ...{ bucketId, hash: made.id.slice(12), bucket: 'photos', key: 'a', uses: 0 },
      ...{ createdAt: deps.clock.iso(), expiresAt: inAWeek(deps.clock.now()) },
      ...{ createdBy: 'key-1', signer: { keyId: 'key-1', generation: 0 } },
    },
  ]);
  expect(url).toContain(made.id);
  expect((await list()).json()).toEqual({ links: [made] });
});

test('a link with every wish stores and returns them, but not the password', async () => {
  const { create, stored, list, ask } = await open();
  await ask({ ...put, body: 'two' });
  const wish = { max_uses: 3, note: 'for you', disposition: 'inline', version: 1 };
  const made = await create({ ...wish, expires_in: 60, password: 'sesame' });
  expect(made.json()).toMatchObject({ ...wish, has_password: true });
  const { max_uses: maxUses, ...same } = wish;
  expect(stored()).toMatchObject([{ ...same, maxUses, cursor: 1 }]);
  expect((await list()).json()).toMatchObject({ links: [{ ...wish, has_password: true }] });
});

test('the URL of a link begins with the address of the service, whatever its path', async () => {
  const { deps } = await open();
  const linksAndKeys = { ...deps.linksAndKeys, baseUrl: 'https://api.example/stage/' };
  const app = createApi({ ...deps, linksAndKeys });
  const body = JSON.stringify({ bucket: 'photos', key: 'a' });
  const made = await send(app, { method: 'POST', path: '/links', body });
  expect(made.json<LinkJson>().url).toMatch(
    /^https:\/\/api\.example\/stage\/s\/[\w-]{34}\?secret=/,
  );
});

test('a link needs an object; one to a version outlives it', async () => {
  const { ask, create, remove } = await open();
  await ask(remove);
  const gone = await create();
  expect([gone.status, gone.json()]).toMatchObject([404, { error: { details: { key: 'a' } } }]);
  expect((await create({ version: 1 })).status).toBe(201);
  const none = await create({ version: 9 });
  expect([none.status, none.json()]).toMatchObject([404, { error: { details: { newest: 2 } } }]);
  expect((await create({ key: 'never', version: 1 })).json()).toMatchObject({
    error: { details: { key: 'never' } },
  });
});

test.each<[string, object, object]>([
  ['a person', { createdBy: 'ada' }, { createdBy: 'ada' }],
  ['nobody', {}, { createdBy: 's' }],
])('a link of a session of %s ends with no key', async (_what, more, maker) => {
  const { create, stored, deps } = await open();
  const key = newKey({ id: 'key-1', name: 's', kind: 'session', ...more });
  deps.state.apiKeys.set(key.id, key);
  await create();
  const [link] = stored();
  expect(link).toMatchObject(maker);
  expect(link).not.toHaveProperty('signer');
});

test('a link of a principal is refused, whatever it may do', async () => {
  const { deps } = await open();
  const read: Permission[] = [{ buckets: ['*'], actions: ['read'] }];
  const grants = new Map([
    ['all', EVERYTHING],
    ['read', read],
  ]);
  const { linksAndKeys: _, ...rest } = deps;
  const internal = createInternal(rest, grants);
  const body = JSON.stringify({ bucket: 'photos', key: 'a' });
  for (const alias of ['all', 'read']) {
    for (const request of [
      { method: 'POST', path: '/links', body },
      { path: '/links', query: { bucket: 'photos' } },
      { method: 'DELETE', path: `/links/${'a'.repeat(34)}` },
    ]) {
      const refused = await invoke(internal, alias, request);
      expect([refused.status, refused.json()]).toEqual([
        403,
        {
          error: {
            code: 'forbidden',
            message: expect.stringContaining('links need'),
            request_id: 'request-1',
          },
        },
      ]);
    }
  }
});

const only = (prefix: string, ...actions: Permission['actions']): Permission => ({
  ...{ buckets: ['photos'], prefix, actions },
});

test('a list needs sign somewhere in the bucket, and a bucket', async () => {
  const { list, create } = await open();
  await create();
  const some = await list({ permissions: [only('b/', 'read'), only('a', 'sign')] });
  expect([some.status, some.json<{ links: unknown[] }>().links.length]).toEqual([200, 1]);
  const none = await list({ permissions: [only('', 'read', 'write')] });
  expect([none.status, none.json()]).toMatchObject([
    403,
    { error: { details: { action: 'sign' } } },
  ]);
  for (const [query, rule] of [
    [{}, 'is required'],
    [{ bucket: 'Photos' }, expect.any(String)],
  ] as const) {
    const refused = await list({ query });
    expect([refused.status, refused.json()]).toMatchObject([
      400,
      { error: { details: { field: 'bucket', rule } } },
    ]);
  }
});

test('pages of links have each link once, and belong to their key and bucket', async () => {
  const { ask, create, list } = await open();
  const made = [];
  for (let n = 0; n < 7; n++) made.push((await create()).json<LinkJson>().id);
  const seen: string[] = [];
  let page_token: string | undefined;
  do {
    const query = { bucket: 'photos', limit: '3', ...(page_token && { page_token }) };
    const page = (await list({ query })).json<{ links: LinkJson[]; next_page_token?: string }>();
    seen.push(...page.links.map(({ id }) => id));
    if (page_token === undefined) {
      const query = { bucket: 'photos', page_token: page.next_page_token };
      expect((await list({ query, keyId: 'key-2' })).status).toBe(400);
      await ask({ method: 'POST', path: '/buckets', body: '{"name":"music"}' });
      expect((await list({ query: { ...query, bucket: 'music' } })).status).toBe(400);
    }
    page_token = page.next_page_token;
  } while (page_token !== undefined);
  expect(seen).toEqual(made.sort());
});

test('a link that another call revokes meanwhile is 404, as one that never was', async () => {
  const { ask, create, deps } = await open();
  const { id } = (await create()).json<LinkJson>();
  const revoke = { method: 'DELETE', path: `/links/${id}` };
  const links = Object.assign(Object.create(deps.links), { remove: async () => 'absent' });
  const app = createApi({ ...deps, linksAndKeys: { ...deps.linksAndKeys, links } });
  const raced = await send(app, revoke);
  const never = await ask({ method: 'DELETE', path: `/links/${'a'.repeat(34)}` });
  expect([raced.status, raced.body.toString()]).toEqual([404, never.body.toString()]);
  expect(never.json<{ error: { message: string } }>().error.message).toContain('link');
  const done = await ask(revoke);
  expect([done.status, done.body.length]).toEqual([204, 0]);
});
