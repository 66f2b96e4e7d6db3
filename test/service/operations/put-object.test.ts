/** Writing and deleting an object, on the fakes. */
import { createHash } from 'node:crypto';
import type { Permission } from '../../../core/access/ports';
import { LIMITS } from '../../../core/limits';
import { setUp } from '../../lambdas/api/world';

const PATH = '/objects/photos/a';
const md5 = (text: string) => createHash('md5').update(text).digest('base64');
const sha256 = (text: string) => createHash('sha256').update(text).digest('base64');

async function open() {
  const world = await setUp();
  const { ask, deps } = world;
  const store = (
    body: string | Uint8Array,
    headers: Record<string, string> = {},
    permissions?: readonly Permission[],
  ) => ask({ method: 'PUT', path: PATH, body, headers, ...(permissions && { permissions }) });
  const remove = (headers: Record<string, string> = {}) =>
    ask({ method: 'DELETE', path: PATH, headers });
  const read = async () => (await ask({ path: PATH })).headers;
  return { ...world, store, remove, read, blobs: () => deps.state.blobs.size };
}

test('a put returns the descriptor and the validators: 201 for a new object, else 200', async () => {
  const { store, remove, deps } = await open();
  const at = deps.clock.iso();
  const expires_at = new Date(deps.clock.now() + 3_600_000).toISOString();
  const headers = {
    'Content-Type': 'text/plain',
    'x-object-meta-Colour': 'blue',
    'x-object-expires-at': expires_at,
  };
  const made = await store('hello', headers);
  const etag = Buffer.from(md5('hello'), 'base64').toString('hex');
  expect([made.status, made.json()]).toEqual([
    201,
    {
      ...{ bucket: 'photos', key: 'a', size: 5, etag, version: 1, cursor: 1, expires_at },
      ...{ created_at: at, updated_at: at, content_type: 'text/plain' },
      ...{ metadata: { colour: 'blue' }, checksum_sha256: sha256('hello') },
    },
  ]);
  expect(made.headers).toMatchObject({
    etag: `"${etag}"`,
    'last-modified': new Date(deps.clock.now()).toUTCString(),
    'x-object-version': '1',
    'x-object-cursor': '1',
  });
  const replaced = await store('two');
  expect([replaced.status, replaced.json()]).toMatchObject([200, { version: 2, metadata: {} }]);
  await remove();
  const again = await store('three');
  expect([again.status, again.json()]).toMatchObject([201, { version: 4 }]);
});

test('a delete returns the tombstone, and who wrote is kept in the versions', async () => {
  const { ask, store, remove, deps } = await open();
  await store('hello');
  const deleted = await remove();
  expect([deleted.status, deleted.json()]).toEqual([
    200,
    { bucket: 'photos', key: 'a', version: 2, cursor: 2, deleted_at: deps.clock.iso() },
  ]);
  expect(deleted.headers).toMatchObject({ 'x-object-version': '2', 'x-object-cursor': '2' });
  const query = { view: 'versions' };
  const { versions } = (await ask({ path: PATH, query })).json<{ versions: object[] }>();
  expect(versions).toMatchObject([{ by: 'key-1' }, { by: 'key-1' }]);
  const gone = await remove();
  expect([gone.status, gone.json()]).toMatchObject([404, { error: { details: { key: 'a' } } }]);
});

test.each([
  ['text/css', 'text/css'],
  ['application/x-www-form-urlencoded', 'application/octet-stream'],
  ['application/x-www-form-urlencoded; charset=utf-8', expect.stringMatching(/urlencoded/)],
])('an object that is sent as %s is stored as %s', async (sent, stored) => {
  const { store, read } = await open();
  await store('hello', { 'Content-Type': sent });
  expect((await read())['content-type']).toEqual(stored);
});

const PAST = '2025-12-31T23:59:59Z';

test.each<[Record<string, string>, number, object]>([
  [{ 'content-md5': md5('other') }, 400, { code: 'invalid_request' }],
  [{ 'x-object-content-md5': md5('other') }, 400, { code: 'invalid_request' }],
  [{ 'content-digest': `sha-256=:${sha256('other')}:` }, 400, { code: 'invalid_request' }],
  [{ 'x-amz-acl': 'public-read' }, 400, { code: 'invalid_request' }],
  [{ 'x-object-expires-at': 'soon' }, 400, { details: { field: 'x-object-expires-at' } }],
  [{ 'x-object-expires-at': PAST }, 400, { details: { field: 'x-object-expires-at' } }],
  [{ 'if-match': 'x' }, 400, { code: 'invalid_request' }],
  [{ 'if-none-match': 'x' }, 400, { code: 'invalid_request' }],
  [{ 'if-match': '*' }, 412, { details: { header: 'If-Match' } }],
  [{ 'content-type': 'no type' }, 400, { code: 'invalid_request' }],
])('a put with the headers %j is refused, and stores nothing', async (headers, status, error) => {
  const { ask, store, blobs } = await open();
  const refused = await store('hello', headers);
  expect([refused.status, refused.json()]).toMatchObject([status, { error }]);
  expect([blobs(), (await ask({ path: PATH })).status]).toEqual([0, 404]);
});

test.each<Record<string, string>>([
  { 'content-md5': md5('hello') },
  { 'x-object-content-md5': md5('hello') },
  { 'content-digest': `sha-256=:${sha256('hello')}:` },
  { 'if-none-match': '*' },
])('a put with the headers %j is accepted', async (headers) => {
  const { store } = await open();
  expect((await store('hello', headers)).status).toBe(201);
});

test('conditions of a put and of a delete are those of the current version', async () => {
  const { store, remove } = await open();
  const { etag = '' } = (await store('hello')).headers;
  expect((await store('two', { 'if-none-match': '*' })).status).toBe(412);
  expect((await store('two', { 'if-match': '"x"' })).status).toBe(412);
  expect((await store('two', { 'if-match': etag })).status).toBe(200);
  expect((await remove({ 'if-match': etag })).status).toBe(412);
  expect((await remove({ 'if-match': 'x' })).status).toBe(400);
  expect((await remove({ 'x-amz-mfa': 'x' })).status).toBe(400);
  expect((await remove({ 'if-match': '*' })).status).toBe(200);
});

test('a body has at most 4 MiB', async () => {
  const { store } = await open();
  const most = Buffer.alloc(LIMITS.inlineUploadBytes);
  expect((await store(most)).status).toBe(201);
  const more = await store(Buffer.concat([most, most.subarray(0, 1)]));
  expect([more.status, more.json()]).toMatchObject([413, { error: { code: 'payload_too_large' } }]);
});

test('a put needs write, and a delete needs delete, for the key', async () => {
  const { ask, store } = await open();
  const all = ['read', 'write', 'delete', 'list', 'sync', 'sign'] as const;
  const without = (action: string): Permission[] => [
    { buckets: ['*'], actions: all.filter((one) => one !== action) },
    { buckets: ['*'], actions: all, prefix: 'b' },
  ];
  const details = { bucket: 'photos', key: 'a' };
  const put = await store('hello', {}, without('write'));
  expect([put.status, put.json()]).toMatchObject([
    403,
    { error: { details: { ...details, action: 'write' } } },
  ]);
  await store('hello');
  const permissions = without('delete');
  const deleted = await ask({ method: 'DELETE', path: PATH, permissions });
  expect([deleted.status, deleted.json()]).toMatchObject([
    403,
    { error: { details: { ...details, action: 'delete' } } },
  ]);
});
