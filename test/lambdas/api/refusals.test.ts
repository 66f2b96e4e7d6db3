/** What the refusals of the operations say: where, which and why. On the fakes. */
import type { Permission } from '../../../core/access/ports';
import type { TestRequest } from '../../support/requests';
import { put, setUp } from './world';

type Refusal = { error: { code: string; message: string; details?: Record<string, unknown> } };

async function refusalOf(request: TestRequest): Promise<Refusal['error']> {
  const { ask } = await setUp();
  await ask(put);
  return (await ask(request)).json<Refusal>().error;
}

const only = (...actions: Permission['actions']) => [{ buckets: ['*'], actions }];

test.each<[string, TestRequest, Record<string, unknown>, string]>([
  [
    'an object',
    { ...put, permissions: only('read') },
    { action: 'write', bucket: 'photos', key: 'a' },
    'the permission "write" is missing for photos/a',
  ],
  [
    'a bucket',
    { path: '/buckets/photos', permissions: [{ buckets: ['x'], actions: ['list'] }] },
    { action: 'list', bucket: 'photos' },
    'the permission "list" is missing for the bucket photos',
  ],
  [
    'a list below a prefix',
    { path: '/objects/photos', query: { prefix: '2026/' }, permissions: only('read') },
    { action: 'list', bucket: 'photos', prefix: '2026/' },
    'the permission "list" is missing for the keys of photos that begin with 2026/',
  ],
  [
    'changes',
    { path: '/sync', query: { bucket: 'photos', prefix: 'p' }, permissions: only('read') },
    { action: 'sync', bucket: 'photos', prefix: 'p' },
    'the permission "sync" is missing for the keys of photos that begin with p',
  ],
  [
    'a signed URL',
    {
      method: 'POST',
      path: '/signed-url',
      body: '{"method":"GET","bucket":"photos","key":"k"}',
      permissions: only('sign'),
    },
    { action: 'read', bucket: 'photos', key: 'k' },
    'the permission "read" is missing for photos/k',
  ],
])('403 for %s names the permission and the place', async (_what, request, details, message) => {
  expect(await refusalOf(request)).toMatchObject({ code: 'forbidden', details, message });
});

test.each<[string, TestRequest]>([
  [
    'a signed URL',
    {
      method: 'POST',
      path: '/signed-url',
      body: '{"method":"GET","bucket":"b-1","key":"k","expires_in":0}',
    },
  ],
  [
    'an upload',
    { ...put, headers: { 'content-digest': 'nonsense', 'idempotency-key': ' ', 'if-match': 'x' } },
  ],
  ['an object', { path: '/objects/photos/a', query: { version: 'x', view: 'x' } }],
  ['a list', { path: '/objects/photos', query: { limit: 'x', start_after: '\ud800' } }],
  ['changes', { path: '/sync', query: { bucket: 'photos', limit: 'x', wait: 'x' } }],
])(
  'a caller without permission for %s learns nothing about other mistakes',
  async (_what, request) => {
    const refusal = await refusalOf({ ...request, permissions: only('create_bucket') });
    expect(refusal.code).toBe('forbidden');
  },
);

test('412 names the condition, and etag and version only to a caller that may read', async () => {
  const replace = { ...put, headers: { 'if-match': '"x"' } };
  expect(await refusalOf(replace)).toMatchObject({
    code: 'precondition_failed',
    details: { header: 'If-Match', etag: expect.any(String), version: 1 },
  });
  expect((await refusalOf({ ...replace, permissions: only('write') })).details).toEqual({
    header: 'If-Match',
  });
  const remove = { ...replace, method: 'DELETE', permissions: only('delete') };
  expect((await refusalOf(remove)).details).toEqual({ header: 'If-Match' });
  const read = { path: put.path, headers: { 'if-match': '"x"' } };
  expect((await refusalOf(read)).details).toMatchObject({ header: 'If-Match', version: 1 });
});

test('404 for a version says which version is the newest', async () => {
  expect(await refusalOf({ path: put.path, query: { version: '9' } })).toMatchObject({
    code: 'not_found',
    message: 'a has no version 9; the newest is 1',
    details: { bucket: 'photos', key: 'a', version: 9, newest: 1 },
  });
  const { ask } = await setUp();
  await ask(put);
  await ask({ ...put, method: 'DELETE' });
  const deleted = await ask({ path: put.path, query: { version: '2' } });
  expect(deleted.json<Refusal>().error).toMatchObject({
    message: 'version 2 of a is no longer kept, or was a delete; the newest is 2',
  });
  const never = await ask({ path: '/objects/photos/never', query: { version: '1' } });
  expect(never.json<Refusal>().error.details).toEqual({ bucket: 'photos', key: 'never' });
});

test.each<[string, TestRequest, string]>([
  ['a body', { method: 'POST', path: '/buckets' }, 'body'],
  ['a name', { method: 'POST', path: '/buckets', body: '{}' }, 'name'],
  ['a bucket', { path: '/sync' }, 'bucket'],
  ['a bucket beside a cursor', { path: '/sync', query: { cursor: '1' } }, 'bucket'],
])(
  'the refusal of a request without %s says that it is required',
  async (_what, request, field) => {
    expect(await refusalOf(request)).toMatchObject({ message: `${field}: is required` });
  },
);

test('a body that is nested deeper than 16 levels is refused', async () => {
  const body = `{"name":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
  expect(await refusalOf({ method: 'POST', path: '/buckets', body })).toMatchObject({
    message: 'body: must be JSON in UTF-8 of at most 16 levels',
  });
});

test('a header that operations read has at most 2,048 characters', async () => {
  const long = 'x'.repeat(2049);
  expect(await refusalOf({ path: put.path, headers: { 'if-range': long } })).toMatchObject({
    message: 'if-range: must be at most 2048 characters',
  });
  const { ask } = await setUp();
  await ask(put);
  expect((await ask({ path: put.path, headers: { 'user-agent': long } })).status).toBe(200);
});

test('a Range header of more than 2,048 characters is ignored', async () => {
  const { ask } = await setUp();
  await ask(put);
  const range = `bytes=0-${'0'.repeat(2040)}`;
  expect((await ask({ path: put.path, headers: { range } })).status).toBe(206);
  expect((await ask({ path: put.path, headers: { range: `${range}0` } })).status).toBe(200);
});
