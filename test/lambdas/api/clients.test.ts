/** What the operations do for common clients: curl, wget, urllib, clients of S3. On the fakes. */
import { createHash } from 'node:crypto';
import { sha256Base64 } from '../../../core/http/digests';
import { LIMITS } from '../../../core/limits';
import { putObject } from '../../../core/objects/objects';
import { put, setUp } from './world';

type Refusal = { error: { code: string; message: string; details?: Record<string, unknown> } };

const md5 = (text: string) => createHash('md5').update(text).digest('base64');

test('redirect=false returns the signed URL in place of the bytes, whatever the size', async () => {
  const { deps, ask } = await setUp();
  await ask(put);
  const body = Buffer.alloc(LIMITS.streamedDownloadBytes + 1);
  const content = {
    body,
    contentType: 'text/plain',
    headers: {},
    metadata: {},
    checksumSha256: sha256Base64(body),
  };
  const options = { conditions: () => undefined, conditional: false };
  await putObject(deps, { bucket: 'photos', key: 'large' }, content, options);
  expect((await ask({ path: '/objects/photos/large' })).status).toBe(307);
  for (const [key, size] of [
    ['a', 3],
    ['large', body.length],
  ] as const) {
    const path = `/objects/photos/${key}`;
    const response = await ask({ path, query: { redirect: 'false' } });
    expect(response.status).toBe(200);
    expect(response.json()).toEqual({
      url: expect.stringMatching(/^https:/),
      method: 'GET',
      headers: {},
      expires_at: expect.any(String),
      bucket: 'photos',
      key,
      version: 1,
      size,
      etag: expect.any(String),
    });
    expect(response.headers).toMatchObject({ 'cache-control': 'no-store', etag: /^"/ });
  }
  const head = await ask({ method: 'HEAD', path: put.path, query: { redirect: 'false' } });
  expect([head.status, head.headers['content-type']]).toEqual([200, 'application/json']);
  const etag = String((await ask(put)).json().etag);
  const unchanged = { 'if-none-match': `"${etag}"` };
  const again = await ask({ path: put.path, query: { redirect: 'false' }, headers: unchanged });
  expect(again.status).toBe(304);
  expect((await ask({ path: put.path, query: { redirect: 'no' } })).status).toBe(400);
});

test.each(['content-md5', 'x-object-content-md5'])(
  'a PUT with a wrong %s is refused',
  async (name) => {
    const { deps, ask } = await setUp();
    const wrong = await ask({ ...put, headers: { [name]: md5('other') } });
    expect(wrong.json<Refusal>().error.message).toBe(
      'Content-MD5: does not match the body that arrived',
    );
    expect((await ask({ ...put, headers: { [name]: 'several' } })).status).toBe(400);
    expect(deps.state.blobs.size).toBe(0);
    expect((await ask({ ...put, headers: { [name]: md5(put.body) } })).status).toBe(201);
  },
);

test.each(['GET', 'PUT', 'DELETE'])('%s of an object refuses headers of S3', async (method) => {
  const { ask } = await setUp();
  await ask(put);
  const refused = await ask({ ...put, method, headers: { 'X-Amz-Copy-Source': '/a/b' } });
  expect(refused.json<Refusal>().error).toMatchObject({
    code: 'invalid_request',
    details: { field: 'x-amz-copy-source' },
  });
  expect((await ask({ path: put.path })).body.toString()).toBe('one');
});

test.each([
  ['application/x-www-form-urlencoded', 'application/octet-stream'],
  ['application/x-www-form-urlencoded; charset=utf-8', undefined],
  ['text/plain', undefined],
])('an upload with the type %s is stored as %s', async (sent, stored = sent) => {
  const { ask } = await setUp();
  const response = await ask({ ...put, headers: { 'content-type': sent } });
  expect(response.json().content_type).toBe(stored);
});

test('a JSON body ends with a line feed, also that of an error', async () => {
  const { ask } = await setUp();
  for (const path of ['/buckets', '/nothing']) {
    const { body } = await ask({ path });
    expect(body.toString()).toMatch(/^[^\n]+\n$/);
  }
});

test.each([
  ['GET', '/buckets/', 404, '/api/v2/storage/buckets'],
  ['GET', '/buckets/photos/', 404, '/api/v2/storage/buckets/photos'],
  ['POST', '/signed-url/', 404, '/api/v2/storage/signed-url'],
  ['PUT', '/objects/photos', 405, '/api/v2/storage/objects/photos/{key}'],
  ['DELETE', '/buckets', 405, '/api/v2/storage/buckets/{bucket}'],
])('%s %s returns %i, whose message names %s', async (method, path, status, meant) => {
  const { ask } = await setUp();
  const response = await ask({ method, path });
  expect(response.status).toBe(status);
  expect(response.json<Refusal>().error.message).toMatch(`; did you mean ${meant}?`);
});

test.each([
  ['PATCH', '/objects/photos', 405],
  ['GET', '/nothing/', 404],
])('%s %s returns %i without a guess', async (method, path, status) => {
  const { ask } = await setUp();
  const response = await ask({ method, path });
  expect(response.status).toBe(status);
  expect(response.json<Refusal>().error.message).not.toContain('did you mean');
});

test('GET with a slash in place of a key says that the key is required', async () => {
  const { ask } = await setUp();
  const { error } = (await ask({ path: '/objects/photos/' })).json<Refusal>();
  expect(error.message).toBe('key: is required; /api/v2/storage/objects/photos lists the bucket');
});
