/** Signing the parts of multipart uploads, on the fakes. */
import { LIMITS } from '../../../core/limits';
import { createApi } from '../../../service/storage-api';
import { send } from '../../support/requests';
import { open, type Signed } from './signing-world';

const MiB = 1024 * 1024;

describe('a multipart upload', () => {
  const wish = { method: 'PUT', multipart: { size: 11 * MiB, part_size: 5 * MiB } };

  test('is not signed again for another key, bucket or kind of upload', async () => {
    const { ask, deps, sign } = await open();
    await ask({ method: 'POST', path: '/buckets', body: '{"name":"music"}' });
    const { upload_id } = (await sign(wish)).json<Signed>();
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
});
