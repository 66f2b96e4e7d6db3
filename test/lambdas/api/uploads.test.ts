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

describe('an upload with content headers that nobody has asked for', () => {
  const ASKED = { content_type: 'image/png', cache_control: 'max-age=60' };
  const SENT = {
    'content-type': 'image/png',
    'cache-control': 'max-age=60',
    'content-disposition': 'attachment; filename="invoice.exe"',
    'content-encoding': 'gzip',
    'content-language': 'de',
  };

  async function uploaded(wish: object, sent: Record<string, string>) {
    const world = await setUp();
    const { deps, ask } = world;
    deps.state.apiKeys.set('signer', newKey({ id: 'signer', generation: 0 }));
    const post = async (path: string, body: object) =>
      (await ask({ method: 'POST', path, body: JSON.stringify(body), keyId: 'signer' })).json<{
        url: string;
        upload_id: string;
      }>();
    const { url, upload_id: id } = await post('/signed-url', { ...NAMES, method: 'PUT', ...wish });
    const headers = { 'if-none-match': '*', ...sent };
    expect((await deps.s3.request('PUT', url, headers, Buffer.from('x'))).status).toBe(200);
    await ingestBlob(deps, (await deps.uploads.get(id))?.blob ?? '');
    return { ...world, post, id };
  }

  /** The content headers of the object, from the service and from S3 by a signed URL. */
  async function served({ deps, ask, post }: Awaited<ReturnType<typeof uploaded>>) {
    const object = await ask({ path: '/objects/photos/a/b' });
    const signedGet = await post('/signed-url', { ...NAMES, method: 'GET' });
    return [object.headers, (await deps.s3.request('GET', signedGet.url)).headers];
  }

  test.each([
    ['committed', {}],
    ['staged and named by a commit', { commit: false }],
  ])('is %s without them, and no reader gets them', async (_, wish) => {
    const world = await uploaded({ ...ASKED, ...wish }, SENT);
    if ('commit' in wish) {
      const changes = [{ op: 'put', key: 'a/b', upload_id: world.id }];
      await world.post('/commits', { bucket: 'photos', changes });
    }

    const [object, fromS3] = await served(world);
    expect(object).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'private, max-age=60',
    });
    for (const name of ['content-disposition', 'content-encoding', 'content-language'])
      expect(object).not.toHaveProperty(name, SENT[name as keyof typeof SENT]);
    expect(fromS3).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'max-age=60',
      'content-disposition': 'inline',
      'content-encoding': 'identity',
      'content-language': 'und',
    });
  });

  test('keeps each of them that was asked for', async () => {
    const asked = {
      content_disposition: 'attachment',
      content_encoding: 'gzip',
      content_language: 'de',
    };
    const sent = {
      'content-disposition': 'attachment',
      'content-encoding': 'gzip',
      'content-language': 'de',
    };
    const answers = await served(await uploaded(asked, { ...sent, 'cache-control': 'public' }));
    for (const headers of answers) expect(headers).toMatchObject(sent);
    expect(answers.map((headers) => headers?.['cache-control'])).toEqual([
      'private, no-cache',
      'private, no-cache',
    ]);
  });

  test('has the type that it was sent with, if none was asked for', async () => {
    for (const headers of await served(await uploaded({}, { 'content-type': 'text/css' })))
      expect(headers).toMatchObject({ 'content-type': 'text/css' });
  });
});
