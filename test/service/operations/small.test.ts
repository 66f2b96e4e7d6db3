/** Consumers, uploads, temporary keys and pages of changes: what else they promise. */
import { TEMPORARY_KEY_LIMITS } from '../../../core/limits';
import { createInternal } from '../../../lambdas/internal/app';
import { setUp } from '../../lambdas/api/world';
import { invoke } from '../../support/invocations';
import { EVERYTHING } from '../../support/requests';
import { newKey } from '../../support/samples';

describe('a staged upload', () => {
  async function open() {
    const world = await setUp();
    const sign = { bucket: 'photos', key: 'a', method: 'PUT', commit: false };
    const request = { method: 'POST', path: '/signed-url', body: JSON.stringify(sign) };
    const { upload_id: id } = (await world.ask(request)).json<{ upload_id: string }>();
    const { blob = '' } = (await world.deps.uploads.get(id)) ?? {};
    const content = {
      ...{ contentType: 'text/plain', headers: {}, metadata: {} },
      checksumSha256: '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
    };
    const { etag } = await world.deps.blobs.put(blob, Buffer.alloc(0), content);
    const until = new Date(world.deps.clock.now() + 86_400_000).toISOString();
    await world.deps.uploads.stage(id, { size: 0, etag, ...content }, until);
    return { ...world, id };
  }

  test('that a key signed is not committed by a principal, one that a principal signed is', async () => {
    const { id, deps, ask } = await open();
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

  test('has at most 1,024 bytes of permissions', async () => {
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
    expect((await make(sized(permissionsBytes))).status).toBe(201);
    expect((await make(sized(permissionsBytes + 1))).status).toBe(400);
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
});
