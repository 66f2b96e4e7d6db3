/** Signing the parts of multipart uploads, on the fakes. */
import { LIMITS } from '../../../core/limits';
import { createApi } from '../../../service/storage-api';
import { send } from '../../support/requests';
import { open, type Signed } from './signing-world';

const MiB = 1024 * 1024;

describe('a multipart upload', () => {
  interface Parts extends Signed {
    readonly parts: readonly { readonly number: number; readonly url: string }[];
    readonly complete: { readonly url: string };
    readonly abort: { readonly url: string };
  }
  const wish = { method: 'PUT', multipart: { size: 11 * MiB, part_size: 5 * MiB } };

  test('has a URL for each part, for its end and for its abort', async () => {
    const { deps, sign, inSeconds, rowOf } = await open();
    const signed = await sign(wish);
    expect(signed.status).toBe(201);
    const made = signed.json<Parts>();
    expect(made).toEqual({
      ...{ upload_id: expect.any(String), bucket: 'photos', key: 'a', part_size: 5 * MiB },
      parts: [1, 2, 3].map((number) => ({ number, url: expect.any(String) })),
      complete: { url: expect.any(String), method: 'POST', headers: { 'if-none-match': '*' } },
      abort: { url: expect.any(String), method: 'DELETE', headers: {} },
      expires_at: inSeconds(300),
    });
    const sent = async (part: number, bytes: number) => {
      const body = Buffer.alloc(bytes);
      return (await deps.s3.request('PUT', made.parts[part]?.url ?? '', {}, body)).status;
    };
    expect([await sent(0, 5 * MiB), await sent(1, 5 * MiB), await sent(2, MiB)]).toEqual(
      Array(3).fill(200),
    );
    expect([await sent(0, MiB), await sent(2, 5 * MiB)]).toEqual([403, 403]);
    expect(await rowOf(made.upload_id)).toMatchObject({
      ...{ size: 11 * MiB, partSize: 5 * MiB, state: 'pending', expiresAt: inSeconds(300) },
      multipartId: [...deps.state.multiparts.keys()][0],
    });
  });

  test('is signed again while it is pending, by the key that asks, and then ends later', async () => {
    const { deps, sign, inSeconds, rowOf } = await open();
    const { upload_id } = (await sign(wish)).json<Parts>();
    deps.clock.advance(100_000);
    const again = { method: 'PUT', multipart: { upload_id } };
    const renewed = await sign(again, { keyId: 'key-2' });
    expect([renewed.status, renewed.json()]).toMatchObject([
      201,
      { upload_id, part_size: 5 * MiB, parts: [{}, {}, {}], expires_at: inSeconds(300) },
    ]);
    expect(await rowOf(upload_id)).toMatchObject({
      ...{ signer: { keyId: 'key-2' }, expiresAt: inSeconds(300) },
      ttl: deps.clock.now() / 1000 + 300 + LIMITS.uploadRowSeconds,
    });
  });

  test('is not signed again for another key, bucket or kind of upload', async () => {
    const { ask, deps, sign } = await open();
    await ask({ method: 'POST', path: '/buckets', body: '{"name":"music"}' });
    const { upload_id } = (await sign(wish)).json<Parts>();
    const single = (await sign({ method: 'PUT' })).json<Signed>();
    const again = (id: string, fields: object = {}) =>
      sign({ method: 'PUT', multipart: { upload_id: id }, ...fields });
    for (const refused of [
      await again(upload_id, { key: 'b' }),
      await again(upload_id, { bucket: 'music' }),
      await again(single.upload_id),
      await again('01KAG8Y2M4Q7T9V1X3Z5B7D9F1'),
    ]) {
      expect([refused.status, refused.json()]).toMatchObject([
        404,
        { error: { code: 'not_found' } },
      ]);
    }
    const uploads = Object.assign(Object.create(deps.uploads), { renew: async () => false });
    const body = JSON.stringify({
      ...{ bucket: 'photos', key: 'a', method: 'PUT', multipart: { upload_id } },
    });
    const app = createApi({ ...deps, uploads });
    const ended = await send(app, { method: 'POST', path: '/signed-url', body });
    expect([ended.status, ended.json()]).toMatchObject([404, { error: { details: { key: 'a' } } }]);
    expect((await again(upload_id)).status).toBe(201);
  });

  test('is not signed again when it is a copy, or no longer pending', async () => {
    const { deps, sign, rowOf } = await open();
    const { upload_id } = (await sign(wish)).json<Parts>();
    const row = await rowOf(upload_id);
    if (!row) throw new Error('no row');
    const again = { method: 'PUT', multipart: { upload_id } };
    const copyOf = { bucketId: 'b', key: 'k', blob: 'x', etag: 'e', size: 1 };
    for (const changed of [{ state: 'committed' }, { copyOf }, { multipartId: undefined }]) {
      const uploads = Object.assign(Object.create(deps.uploads), {
        get: async () => ({ ...row, ...changed }),
      });
      const body = JSON.stringify({ bucket: 'photos', key: 'a', ...again });
      const app = createApi({ ...deps, uploads });
      const refused = await send(app, { method: 'POST', path: '/signed-url', body });
      expect(refused.status).toBe(404);
    }
  });

  const parts = (count: number) => ({
    ...{ method: 'PUT', multipart: { size: count * 5 * MiB, part_size: 5 * MiB } },
  });

  test('with more parts than a saved response holds is refused, and aborted', async () => {
    const { deps, sign } = await open();
    const one = (await sign(parts(1))).body.length;
    const each = ((await sign(parts(11))).body.length - one) / 10;
    const most = Math.floor((LIMITS.replayBytes - one) / each);
    const headers = { 'Idempotency-Key': 'k' };
    deps.state.multiparts.clear();
    const many = await sign(parts(most + 50), { headers });
    expect([many.status, many.json()]).toMatchObject([
      400,
      { error: { details: { field: 'Idempotency-Key' } } },
    ]);
    expect(deps.state.multiparts.size).toBe(0);
    expect((await sign(parts(most - 50), { headers })).status).toBe(201);
    const begun = await sign(parts(most + 50));
    expect(begun.status).toBe(201);
    const again = { method: 'PUT', multipart: { upload_id: begun.json<Signed>().upload_id } };
    const keyed = await sign(again, { headers: { 'Idempotency-Key': 'again' } });
    expect([keyed.status, keyed.json()]).toMatchObject([
      400,
      { error: { details: { field: 'Idempotency-Key' } } },
    ]);
    expect((await sign(again)).status).toBe(201);
  });

  test('with more parts than a buffered response holds is refused with a size that fits', async () => {
    const { deps, sign } = await open('buffered');
    const size = 4_000 * 5 * MiB;
    const long = { method: 'PUT', key: 'k'.repeat(900) };
    const refused = await sign({ ...long, multipart: { size, part_size: 5 * MiB } });
    const { error } = refused.json<{ error: { details: Record<string, string> } }>();
    const { field, rule } = error.details;
    expect([refused.status, field]).toEqual([400, 'multipart.part_size']);
    expect(deps.state.multiparts.size).toBe(0);
    const part_size = Number(/\d+/.exec(rule ?? '')?.[0]);
    expect(part_size).toBeGreaterThan(5 * MiB);
    expect(part_size).toBeLessThan(20 * MiB);
    expect((await sign({ ...long, multipart: { size, part_size } })).status).toBe(201);
    const streaming = await open('stream');
    const streamed = await streaming.sign({ ...long, multipart: { size, part_size: 5 * MiB } });
    expect(streamed.status).toBe(201);
  });
});
