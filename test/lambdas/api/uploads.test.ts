import { ingestBlob } from '../../../core/uploads/uploads';
import { newKey } from '../../support/samples';
import { setUp } from './world';

/** An api with a bucket and an upload that a key with every permission had signed. */
async function signed(more: object = {}) {
  const { deps, ask } = await setUp();
  deps.state.apiKeys.set('signer', newKey({ id: 'signer', generation: 0 }));
  const body = JSON.stringify({ bucket: 'photos', key: 'a/b', method: 'PUT', ...more });
  const response = await ask({ method: 'POST', path: '/signed-url', body, keyId: 'signer' });
  const { upload_id: id } = response.json<{ upload_id: string }>();
  const { blob = '' } = (await deps.uploads.get(id)) ?? {};
  const stateFor = async (actions: readonly string[], prefix = '', bucket = 'photos') =>
    ask({
      path: `/uploads/${id}`,
      permissions: [{ buckets: [bucket], prefix, actions: [...actions] as 'write'[] }],
    });
  return { deps, ask, id, blob, stateFor };
}

const store = async ({ deps, blob }: Awaited<ReturnType<typeof signed>>) => {
  const bytes = Buffer.from('hello');
  const checksumSha256 = 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=';
  const content = { contentType: 'text/plain', headers: {}, metadata: {}, checksumSha256 };
  await deps.blobs.put(blob, bytes, content);
};

const NAMES = { bucket: 'photos', key: 'a/b' };

test('GET of an upload returns pending, then committed with the change that it became', async () => {
  const world = await signed();
  const { ask, deps, id, blob } = world;
  const pending = await ask({ path: `/uploads/${id}` });
  expect([pending.status, pending.json()]).toEqual([
    200,
    { upload_id: id, ...NAMES, state: 'pending' },
  ]);

  await store(world);
  await ingestBlob(deps, blob);

  expect((await ask({ path: `/uploads/${id}` })).json()).toEqual({
    upload_id: id,
    ...NAMES,
    state: 'committed',
    object: { ...NAMES, version: 1, cursor: 1 },
  });
});

test('GET of an upload returns discarded with the reason', async () => {
  const world = await signed({ if_match: 'etag-of-another' });
  const { ask, deps, id, blob } = world;
  await store(world);
  await ingestBlob(deps, blob);
  expect((await ask({ path: `/uploads/${id}` })).json()).toEqual({
    upload_id: id,
    ...NAMES,
    state: 'discarded',
    reason: 'precondition_failed',
  });
});

test('GET of an upload returns the same 404 for a foreign, an unknown and a malformed id', async () => {
  const { ask, id, stateFor } = await signed();
  expect((await stateFor(['write'], 'a/')).status).toBe(200);
  const refused = [
    await stateFor(['read', 'list', 'sign', 'delete', 'sync']),
    await stateFor(['write'], 'b/'),
    await stateFor(['write'], '', 'other'),
    await ask({ path: '/uploads/01KAG8Y2M4Q7T9V1X3Z5B7D9F1' }),
    await ask({ path: '/uploads/x' }),
    await ask({ path: `/uploads/${id.toLowerCase()}` }),
  ];
  expect(refused.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
  expect(new Set(refused.map(({ body }) => body.toString())).size).toBe(1);
});

test('GET of an upload returns 404 from 7 days after its end on', async () => {
  const world = await signed();
  const { ask, deps, id, blob } = world;
  await store(world);
  await ingestBlob(deps, blob);
  deps.clock.advance(7 * 86_400_000 - 1000);
  expect((await ask({ path: `/uploads/${id}` })).status).toBe(200);
  deps.clock.advance(2000);
  expect((await ask({ path: `/uploads/${id}` })).status).toBe(404);
});

test('a signed PUT and a multipart upload name the same headers and metadata to S3', async () => {
  const content = {
    content_type: 'text/plain',
    cache_control: 'no-store',
    content_disposition: 'attachment',
    metadata: { camera: 'x100' },
  };
  const { deps, ask } = await signed();
  const sign = async (more: object) => {
    const body = JSON.stringify({ ...NAMES, method: 'PUT', ...content, ...more });
    return (await ask({ method: 'POST', path: '/signed-url', body })).json<{
      headers: Record<string, string>;
    }>();
  };
  expect((await sign({})).headers).toEqual({
    'if-none-match': '*',
    'content-type': 'text/plain',
    'cache-control': 'no-store',
    'content-disposition': 'attachment',
    'x-amz-meta-camera': 'x100',
  });
  await sign({ multipart: { size: 10 } });
  expect([...deps.state.multiparts.values()]).toMatchObject([
    {
      contentType: 'text/plain',
      headers: { 'cache-control': 'no-store', 'content-disposition': 'attachment' },
      metadata: { camera: 'x100' },
    },
  ]);
});
