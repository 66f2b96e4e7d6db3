/** Consumers, uploads, temporary keys and pages of changes: what else they promise. */
import type { Permission } from '../../../core/access/ports';
import { TEMPORARY_KEY_LIMITS } from '../../../core/limits';
import { createInternal } from '../../../lambdas/internal/app';
import { createApi } from '../../../service/storage-api';
import { setUp } from '../../lambdas/api/world';
import { setUp as setUpChanges } from '../../lambdas/changes/world';
import { put as putIn } from '../../support/bucket-world';
import { invoke } from '../../support/invocations';
import { EVERYTHING, send } from '../../support/requests';
import { newKey } from '../../support/samples';

const CONSUMERS = '/buckets/photos/consumers';
const sync = (prefix: string): Permission => ({
  ...{ buckets: ['photos'], prefix, actions: ['sync'] },
});

describe('consumers', () => {
  async function open(...names: string[]) {
    const world = await setUp();
    for (const name of names) {
      const path = `${CONSUMERS}/${name}`;
      await world.ask({ method: 'PUT', path, body: '{"cursor":0}' });
    }
    return world;
  }

  test('are on one page each, whatever the size of the pages', async () => {
    const { ask } = await open('a', 'b', 'c', 'd', 'e', 'f', 'g');
    const seen: string[] = [];
    let page_token: string | undefined;
    do {
      const query = { limit: '3', ...(page_token && { page_token }) };
      const page = (await ask({ path: CONSUMERS, query })).json<{
        consumers: readonly { name: string }[];
        next_page_token?: string;
      }>();
      seen.push(...page.consumers.map(({ name }) => name));
      page_token = page.next_page_token;
    } while (page_token !== undefined && seen.length < 20);
    expect(seen.join('')).toBe('abcdefg');
  });

  test('are seen by a key that may follow a part of the bucket only', async () => {
    const { ask } = await open('all');
    const permissions = [{ ...sync('a/'), actions: ['read' as const] }, sync('b/')];
    const body = '{"cursor":0,"prefix":"b/"}';
    await ask({ method: 'PUT', path: `${CONSUMERS}/mine`, body, permissions });
    const page = await ask({ path: CONSUMERS, permissions });
    expect(page.json()).toMatchObject({ consumers: [{ name: 'mine', prefix: 'b/' }] });
    expect((await ask({ path: `${CONSUMERS}/all`, permissions })).status).toBe(404);
  });

  test('that another call deletes meanwhile are 404', async () => {
    const { deps } = await open('a');
    const consumers = Object.assign(Object.create(deps.consumers), {
      remove: async () => 'absent',
    });
    const request = { method: 'DELETE', path: `${CONSUMERS}/a` };
    expect((await send(createApi({ ...deps, consumers }), request)).status).toBe(404);
  });
});

describe('an upload', () => {
  async function open() {
    const world = await setUp();
    const sign = { bucket: 'photos', key: 'a', method: 'PUT', commit: false };
    const request = { method: 'POST', path: '/signed-url', body: JSON.stringify(sign) };
    const { upload_id: id } = (await world.ask(request)).json<{ upload_id: string }>();
    const read = () => world.ask({ path: `/uploads/${id}` });
    const stage = async () => {
      const { blob = '' } = (await world.deps.uploads.get(id)) ?? {};
      const content = { contentType: 'text/plain', headers: {}, metadata: {} };
      const checksumSha256 = '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=';
      const { etag } = await world.deps.blobs.put(blob, Buffer.alloc(0), {
        ...{ ...content, checksumSha256 },
      });
      const until = new Date(world.deps.clock.now() + 86_400_000).toISOString();
      await world.deps.uploads.stage(id, { size: 0, etag, ...content, checksumSha256 }, until);
      return until;
    };
    return { ...world, id, read, stage };
  }

  test('that is staged says until when a commit may name it', async () => {
    const { id, read, stage } = await open();
    const expires_at = await stage();
    expect((await read()).json()).toEqual({
      ...{ upload_id: id, bucket: 'photos', key: 'a', state: 'staged', expires_at },
    });
  });

  test('is gone from the second on in which its row ends', async () => {
    const { id, read, deps } = await open();
    const { ttl = 0 } = (await deps.uploads.get(id)) ?? {};
    deps.clock.advance(ttl * 1000 - deps.clock.now() - 1);
    expect((await read()).status).toBe(200);
    deps.clock.advance(1);
    const gone = await read();
    expect([gone.status, gone.json()]).toMatchObject([
      404,
      { error: { message: expect.stringContaining('upload') } },
    ]);
  });

  test('that a principal signed is committed by it, and not by others after a key ended', async () => {
    const { id, deps, stage, ask } = await open();
    await stage();
    const internal = createInternal(
      { ...deps, linksAndKeys: undefined, responseMode: 'buffered' },
      new Map([['all', EVERYTHING]]),
    );
    const commit = (uploadId: string) => ({
      ...{ method: 'POST', path: '/commits' },
      body: JSON.stringify({
        ...{ bucket: 'photos', changes: [{ op: 'put', key: 'a', upload_id: uploadId }] },
      }),
    });
    expect((await invoke(internal, 'all', commit(id))).status).toBe(404);
    const row = deps.state.uploads.get(id);
    if (!row) throw new Error('no row');
    const { signer: _, ...unsigned } = row;
    deps.state.uploads.set(id, unsigned);
    expect((await invoke(internal, 'all', commit(id))).status).toBe(201);
    expect((await ask({ path: '/objects/photos/a' })).status).toBe(200);
  });
});

describe('a temporary key', () => {
  const MINE = [{ buckets: ['photos'], prefix: 'a/', actions: ['read'] }];

  async function open() {
    const world = await setUp();
    const key = newKey({ id: 'abcdefghijkl', name: 'app' });
    world.deps.state.apiKeys.set(key.id, key);
    const make = (fields: object = {}, more: object = {}) =>
      world.ask({
        ...{ method: 'POST', path: '/tokens', keyId: key.id, ...more },
        body: JSON.stringify({ permissions: MINE, ...fields }),
      });
    const expiry = async (fields: object = {}) =>
      Date.parse((await make(fields)).json<{ expires_at: string }>().expires_at);
    return { ...world, key, make, expiry };
  }

  test('lasts as long as is asked for, in whole seconds, and no longer than its maker', async () => {
    const { deps, key, expiry } = await open();
    const now = deps.clock.now();
    deps.clock.advance(999);
    const { defaultSeconds, maxSeconds } = TEMPORARY_KEY_LIMITS;
    expect(await expiry()).toBe(now + defaultSeconds * 1000);
    expect(await expiry({ expires_in: 1 })).toBe(now + 1000);
    expect(await expiry({ expires_in: maxSeconds })).toBe(now + maxSeconds * 1000);
    const expiresAt = new Date(now + 5500).toISOString();
    deps.state.apiKeys.set(key.id, { ...key, expiresAt });
    expect(await expiry()).toBe(now + 5000);
    expect(await expiry({ expires_in: 3 })).toBe(now + 3000);
  });

  test.each<[object, string]>([
    [{ expires_in: 0 }, 'expires_in'],
    [{ expires_in: 1.5 }, 'expires_in'],
    [{ expires_in: TEMPORARY_KEY_LIMITS.maxSeconds + 1 }, 'expires_in'],
    [{ permissions: 'all' }, 'permissions'],
    [{ generation: 1 }, 'generation'],
  ])('with %j is refused', async (fields, field) => {
    const { make } = await open();
    const refused = await make(fields);
    expect([refused.status, refused.json()]).toMatchObject([
      400,
      { error: { details: { field } } },
    ]);
  });

  test('has permissions of at most so many bytes as its text can hold', async () => {
    const { make } = await open();
    const sized = (bytes: number) => {
      const read = { buckets: ['*'], actions: ['read'] };
      const permissions = (...prefixes: string[]) =>
        prefixes.map((prefix) => ({ ...read, prefix }));
      const first = 'x'.repeat(bytes / 2);
      const rest = bytes - JSON.stringify(permissions(first, '')).length;
      return { permissions: permissions(first, 'y'.repeat(rest)) };
    };
    const { permissionsBytes } = TEMPORARY_KEY_LIMITS;
    const most = await make(sized(permissionsBytes));
    const more = await make(sized(permissionsBytes + 1));
    expect([most.status, more.status]).toEqual([201, 400]);
  });

  test('is not made for a principal, which could not end it', async () => {
    const { deps } = await open();
    const { linksAndKeys: _, ...rest } = deps;
    const internal = createInternal(rest, new Map([['all', EVERYTHING]]));
    const body = JSON.stringify({ permissions: MINE });
    const refused = await invoke(internal, 'all', { method: 'POST', path: '/tokens', body });
    expect([refused.status, refused.json()]).toMatchObject([
      403,
      { error: { message: expect.stringContaining('temporary keys need an API key') } },
    ]);
  });

  test('is not made for a maker that is gone, or with more than it may', async () => {
    const { make } = await open();
    expect((await make({}, { keyId: 'zzzzzzzzzzzz' })).status).toBe(401);
    const permissions = [{ buckets: ['photos'], prefix: 'a/b', actions: ['read' as const] }];
    const refused = await make({}, { permissions });
    expect([refused.status, refused.json()]).toMatchObject([
      403,
      { error: { details: { action: 'read', bucket: 'photos', prefix: 'a/' } } },
    ]);
  });
});

test('a page of changes ignores conditions that are not about its cursor', async () => {
  const { deps, ask } = await setUpChanges();
  await putIn(deps, 'a', '1');
  const headers = { 'If-Match': '"x"', 'If-Modified-Since': 'Fri, 01 Jan 2027 00:00:00 GMT' };
  const known = { ...headers, 'If-None-Match': '"1"' };
  expect((await ask({ cursor: '1' }, { headers: known })).status).toBe(304);
  const page = await ask({ cursor: '1' }, { headers });
  expect(page.status).toBe(200);
  expect(page.headers).not.toHaveProperty('retry-after');
  for (const wait of ['x1', '1x', '-1', '100', '']) {
    expect((await ask({ cursor: '1', wait })).status).toBe(400);
  }
});
