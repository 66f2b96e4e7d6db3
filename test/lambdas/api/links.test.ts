/** Making, listing and revoking links, on the fakes. */

import type { Permission } from '../../../core/access/ports';
import { linkOpenedBy } from '../../../core/links/link-secret';
import { newKey } from '../../support/samples';
import { put, setUp } from './world';

const LINKS = '/links';
const body = (fields: object = {}) => JSON.stringify({ bucket: 'photos', key: 'a', ...fields });

interface LinkJson {
  readonly id: string;
  readonly url: string;
  readonly created_by: string;
  readonly expires_at: string;
}

async function open() {
  const world = await setUp();
  await world.ask(put);
  const create = async (fields: object = {}, headers: Record<string, string> = {}) =>
    world.ask({ method: 'POST', path: LINKS, body: body(fields), headers });
  const list = async (query: Record<string, string> = {}) => {
    const response = await world.ask({ path: LINKS, query: { bucket: 'photos', ...query } });
    return response.json<{ links: LinkJson[]; next_page_token?: string }>();
  };
  return { ...world, create, list };
}

function idOf(url: string) {
  const { pathname, searchParams } = new URL(url);
  return linkOpenedBy(pathname.slice('/s/'.length), searchParams.get('secret') ?? undefined);
}

test('a new link has a URL of the service, whose secret is not stored', async () => {
  const { deps, create } = await open();
  const response = await create({ password: 'open sesame', note: 'for you', max_uses: 3 });
  expect(response.status).toBe(201);
  const { url, id, ...rest } = response.json<LinkJson>();
  expect(url).toMatch(/^https:\/\/files\.example\/s\/[\w-]{34}\?secret=[0-9A-Za-z]{22}$/);
  expect(new URL(url).pathname).toBe(`/s/${id}`);
  expect(rest).toEqual({
    ...{ bucket: 'photos', key: 'a', max_uses: 3, uses: 0, has_password: true, note: 'for you' },
    created_at: deps.clock.iso(),
    created_by: 'key-1',
    expires_at: new Date(deps.clock.now() + 7 * 86_400_000).toISOString(),
  });
  const stored = JSON.stringify([...deps.state.links.values()]);
  expect(stored).not.toContain(url.slice(-22));
  expect(stored).not.toContain('sesame');
  expect(idOf(url)).toMatchObject({ hash: id.slice(12) });
});

test.each([
  ['an unknown field', { uses: 1 }],
  ['an expiry of more than a year', { expires_in: 367 * 86_400 }],
  ['no use', { max_uses: 0 }],
  ['an empty password', { password: '' }],
  ['half a character in the note', { note: '\ud83d' }],
  ['another disposition', { disposition: 'form-data' }],
])('a link with %s gets 400', async (_what, fields) => {
  const { create } = await open();
  expect((await create(fields)).status).toBe(400);
});

test.each([
  ['of a missing object', { key: 'none' }],
  ['of a missing bucket', { bucket: 'none' }],
  ['of a missing version', { version: 2 }],
])('a link %s gets 404', async (_what, fields) => {
  const { create } = await open();
  expect((await create(fields)).status).toBe(404);
});

const only = (actions: Permission['actions'], prefix?: string): Permission[] => [
  { buckets: ['photos'], actions, ...(prefix !== undefined && { prefix }) },
];

test('a link needs sign and read for its key', async () => {
  const { ask } = await open();
  for (const permissions of [only(['sign']), only(['read']), only(['sign', 'read'], 'b/')]) {
    const response = await ask({ method: 'POST', path: LINKS, body: body(), permissions });
    expect(response.status).toBe(403);
  }
  const permissions = only(['sign', 'read'], 'a');
  expect((await ask({ method: 'POST', path: LINKS, body: body(), permissions })).status).toBe(201);
});

test('a list has the links that the key may revoke, page by page, and no others', async () => {
  const { ask, create, list, deps } = await open();
  await ask({ ...put, path: '/objects/photos/b/1' });
  const made = new Set<string>();
  for (let n = 0; n < 5; n++) made.add((await create()).json<LinkJson>().id);
  await create({ key: 'b/1' });
  await create({ expires_in: 1 });
  deps.clock.advance(1000);

  const seen: string[] = [];
  let token: string | undefined;
  do {
    const page = await list({ limit: '2', ...(token && { page_token: token }) });
    seen.push(...page.links.map(({ id }) => id));
    for (const link of page.links) expect(link).not.toHaveProperty('url');
    token = page.next_page_token;
  } while (token !== undefined);
  expect(seen).toHaveLength(6);
  expect(seen).toEqual(expect.arrayContaining([...made]));

  const permissions = only(['sign'], 'b/');
  const narrow = await ask({ path: LINKS, query: { bucket: 'photos' }, permissions });
  expect(narrow.json<{ links: unknown[] }>().links).toEqual([
    expect.objectContaining({ key: 'b/1' }),
  ]);
  const one = { bucket: 'photos', limit: '1' };
  const last = (await ask({ path: LINKS, query: one, permissions })).json<object>();
  expect(last).toEqual({ links: [expect.objectContaining({ key: 'b/1' })] });
  const none = await ask({
    path: LINKS,
    query: { bucket: 'photos' },
    permissions: only(['read']),
  });
  expect(none.status).toBe(403);
});

test('a revoked link is gone; a link of other keys is refused like one that does not exist', async () => {
  const { ask, create, list } = await open();
  const { id } = (await create()).json<LinkJson>();
  const revoke = (permissions?: Permission[]) =>
    ask({ method: 'DELETE', path: `${LINKS}/${id}`, ...(permissions && { permissions }) });
  const refused = await revoke(only(['sign'], 'b/'));
  expect(refused.status).toBe(404);
  expect((await revoke()).status).toBe(204);
  expect((await revoke()).body.toString()).toBe(refused.body.toString());
  expect((await list()).links).toEqual([]);
  expect((await ask({ method: 'DELETE', path: `${LINKS}/short` })).status).toBe(404);
});

test('a link of a session names the person, and is bound to no key', async () => {
  const { ask, deps } = await open();
  const session = newKey({ id: 'session-key', kind: 'session', createdBy: 'ada' });
  deps.state.apiKeys.set(session.id, session);
  const made = await ask({ method: 'POST', path: LINKS, body: body(), keyId: session.id });
  expect(made.json<LinkJson>().created_by).toBe('ada');
  const [{ link } = { link: undefined }] = [...deps.state.links.values()];
  expect(link?.signer).toBeUndefined();
});

describe('Idempotency-Key of a link', () => {
  const keyed = { 'Idempotency-Key': 'k' };

  test('returns the same URL again, which no table holds in clear', async () => {
    const { deps, create } = await open();
    const first = await create({ password: 'sesame' }, keyed);
    const again = await create({ password: 'sesame' }, keyed);
    expect(again.body.toString()).toBe(first.body.toString());
    expect(deps.state.links.size).toBe(1);
    const [record] = [...deps.state.idempotencyRecords.values()];
    expect(JSON.stringify(record)).not.toContain(first.json<LinkJson>().url.slice(-28));
    expect((await create({ password: 'other' }, keyed)).status).toBe(400);
  });

  test('makes one link when retries run concurrently', async () => {
    const { deps, create } = await open();
    const all = await Promise.all([1, 2, 3].map(() => create({}, keyed)));
    expect(new Set(all.map(({ body: text }) => text.toString())).size).toBe(1);
    expect(deps.state.links.size).toBe(1);
  });

  test('of a revocation gives a retry 204 again', async () => {
    const { ask, create } = await open();
    const { id } = (await create()).json<LinkJson>();
    const revoke = { method: 'DELETE', path: `${LINKS}/${id}`, headers: keyed };
    expect([(await ask(revoke)).status, (await ask(revoke)).status]).toEqual([204, 204]);
  });
});
