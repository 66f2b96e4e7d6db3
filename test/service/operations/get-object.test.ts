/** Reading an object, on the fakes. */
import { LIMITS } from '../../../core/limits';
import { publishChanges } from '../../../core/log/publish';
import { trimBucket } from '../../../core/log/trim';
import { NEVER_STOP } from '../../../core/stop-signal';
import type { ApiDeps } from '../../../service/operations/deps';
import { setUp } from '../../lambdas/api/world';
import type { TestRequest } from '../../support/requests';

const PATH = '/objects/photos/a';
type Query = Readonly<Record<string, string>>;

const STORED = {
  'content-type': 'text/plain',
  'cache-control': 'max-age=60',
  'content-language': 'de',
  'x-object-meta-colour': 'blue',
};

async function open(responseMode: ApiDeps['responseMode'] = 'stream') {
  const world = await setUp({ responseMode });
  const { ask, deps } = world;
  const store = (body: string, headers: Record<string, string> = STORED) =>
    ask({ method: 'PUT', path: PATH, body, headers });
  const get = (query: Query = {}, more: Partial<TestRequest> = {}) =>
    ask({ path: PATH, query, ...more });
  const descriptor = async () => (await get({ view: 'descriptor' })).json();
  /** Puts bytes in place of those that were stored, which a single PUT could not have. */
  const enlarge = async (size: number) => {
    await store('x');
    const { id = '' } = (await deps.buckets.get('photos')) ?? {};
    const record = deps.state.objects.get(id)?.get('a');
    if (record?.state !== 'live') throw new Error('no object');
    const stored = deps.state.blobs.get(record.blob);
    if (!stored) throw new Error('no blob');
    deps.state.objects.get(id)?.set('a', { ...record, size });
    deps.state.blobs.set(record.blob, { ...stored, bytes: Buffer.alloc(size, 'x') });
  };
  return { ...world, store, get, descriptor, enlarge };
}

/** Without the headers of the rate limit. */
function own({ ratelimit: _, 'ratelimit-policy': __, ...headers }: Record<string, string>) {
  return headers;
}

test('an object comes with its headers; its descriptor and its address with its validators', async () => {
  const { get, store, deps } = await open();
  const etag = (await store('hello')).json<{ etag: string }>().etag;
  const validators = {
    etag: `"${etag}"`,
    'last-modified': new Date(deps.clock.now()).toUTCString(),
    'x-object-version': '1',
    'x-object-cursor': '1',
  };
  const whole = await get();
  expect([whole.status, whole.body.toString()]).toEqual([200, 'hello']);
  expect(own(whole.headers)).toMatchObject({
    ...validators,
    'content-length': '5',
    'content-type': 'text/plain',
    'content-language': 'de',
    'x-object-meta-colour': 'blue',
  });
  expect(whole.headers).not.toHaveProperty('content-range');
  const descriptor = await get({ view: 'descriptor' });
  expect(descriptor.status).toBe(200);
  expect(descriptor.headers).toMatchObject({ ...validators, 'content-type': 'application/json' });
  expect(descriptor.json()).toMatchObject({
    bucket: 'photos',
    key: 'a',
    size: 5,
    etag,
    version: 1,
  });
  const address = await get({ redirect: 'false' });
  expect([address.status, address.headers]).toMatchObject([200, validators]);
  const { url, ...rest } = address.json<{ url: string }>();
  expect(rest).toEqual({
    ...{ method: 'GET', headers: {}, bucket: 'photos', key: 'a', version: 1, size: 5, etag },
    expires_at: new Date(deps.clock.now() + 60_000).toISOString(),
  });
  expect((await deps.s3.request('GET', url)).body.toString()).toBe('hello');
});

test('a condition that holds not is 304 with the headers of a 200 that caches need, or 412', async () => {
  const { get, store } = await open();
  const { headers } = await store('hello');
  const { etag = '' } = headers;
  const whole = (await get()).headers;
  const same = await get({}, { headers: { 'if-none-match': etag } });
  expect([same.status, same.body.length]).toEqual([304, 0]);
  expect(own(same.headers)).toEqual({
    etag,
    'last-modified': whole['last-modified'],
    'x-object-version': '1',
    'x-object-cursor': '1',
    'cache-control': whole['cache-control'],
    vary: whole.vary,
  });
  const queries: Query[] = [{}, { view: 'descriptor' }, { redirect: 'false' }];
  for (const query of queries) {
    expect((await get(query, { headers: { 'if-match': '"x"' } })).status).toBe(412);
  }
});

test.each<[Query, string]>([
  [{ version: '0' }, 'version'],
  [{ version: '01' }, 'version'],
  [{ version: 'x1' }, 'version'],
  [{ version: '1x' }, 'version'],
  [{ version: '1'.repeat(16) }, 'version'],
  [{ as_of: 'x' }, 'as_of'],
  [{ version: '1', as_of: '1' }, 'as_of'],
  [{ view: 'x' }, 'view'],
  [{ redirect: 'true' }, 'redirect'],
  [{ view: 'versions', version: '1' }, 'version'],
  [{ view: 'versions', as_of: '1' }, 'as_of'],
])('the query %j is refused', async (query, field) => {
  const { get, store } = await open();
  await store('hello');
  const refused = await get(query);
  expect([refused.status, refused.json()]).toMatchObject([400, { error: { details: { field } } }]);
});

test('a header of S3 is refused, and so is a key without read', async () => {
  const { get, store } = await open();
  await store('hello');
  expect((await get({}, { headers: { 'x-amz-checksum-mode': 'ENABLED' } })).status).toBe(400);
  const permissions = [{ buckets: ['*'], actions: ['list', 'write', 'sign'] as const }];
  const refused = await get({}, { permissions });
  expect([refused.status, refused.json()]).toMatchObject([
    403,
    { error: { details: { action: 'read', bucket: 'photos', key: 'a' } } },
  ]);
});

test('an object can be read at each of its versions, and as it was at each cursor', async () => {
  const { ask, get, store } = await open();
  await store('one');
  await ask({ method: 'DELETE', path: PATH });
  await store('three');
  await ask({ method: 'PUT', path: '/objects/photos/b', body: 'other' });
  const text = async (query: Query) => {
    const { status, body } = await get(query);
    return status === 200 ? body.toString() : status;
  };
  const versions = ['1', '2', '3', '10', '9'.repeat(15)].map((version) => text({ version }));
  expect(await Promise.all(versions)).toEqual(['one', 404, 'three', 404, 404]);
  const states = ['0', '1', '2', '3', '4'].map((as_of) => text({ as_of }));
  expect(await Promise.all(states)).toEqual([404, 'one', 404, 'three', 'three']);
  const earlier = await get({ version: '1' });
  expect(earlier.headers).toMatchObject({ 'x-object-version': '1', 'x-object-cursor': '1' });
  expect((await ask({ path: '/objects/photos/none', query: { version: '1' } })).status).toBe(404);
});

test('the versions of an object are listed from the newest on, as many as are asked for', async () => {
  const { ask, get, store } = await open();
  const at = (await store('one')).json<{ updated_at: string }>().updated_at;
  await ask({ method: 'DELETE', path: PATH });
  await store('three');
  const list = async (query: Query) => (await get({ view: 'versions', ...query })).json();
  const one = {
    ...{ version: 1, cursor: 1, type: 'put', at, size: 3, content_type: 'text/plain' },
    ...{ etag: expect.any(String), by: 'key-1' },
  };
  const two = { version: 2, cursor: 2, type: 'delete', at, by: 'key-1' };
  const three = { ...one, version: 3, cursor: 3, size: 5 };
  const names = { bucket: 'photos', key: 'a' };
  expect(await list({})).toEqual({ ...names, versions: [three, two, one] });
  expect(await list({ limit: '3' })).toEqual({ ...names, versions: [three, two, one] });
  expect(await list({ limit: '2' })).toEqual({ ...names, versions: [three, two], next_before: 2 });
  expect(await list({ before: '2' })).toEqual({ ...names, versions: [one] });
  expect(await list({ before: '3', limit: '1' })).toEqual({
    ...{ ...names, versions: [two], next_before: 2 },
  });
  expect(await list({ before: '10' })).toEqual({ ...names, versions: [three, two, one] });
  expect(await list({ before: '1' })).toEqual({ ...names, versions: [] });
  for (const before of ['x1', '1x']) expect(await list({ before })).toHaveProperty('error');
  const none = await ask({ path: '/objects/photos/none', query: { view: 'versions' } });
  expect([none.status, none.json()]).toMatchObject([404, { error: { details: { key: 'none' } } }]);
});

test('versions that are no longer kept are not promised', async () => {
  const { get, store, deps } = await open();
  for (const text of ['one', 'two']) await store(text);
  deps.clock.advance(8 * 86_400_000);
  await store('three');
  await publishChanges(deps, 'photos');
  const [bucket, stats] = [await deps.buckets.get('photos'), await deps.buckets.stats('photos')];
  if (!bucket || !stats) throw new Error('no bucket');
  const limits = { ...deps, retentionSeconds: 7 * 86_400 };
  await trimBucket(limits, bucket, stats, { entries: 100, signal: NEVER_STOP });
  const page = (await get({ view: 'versions' })).json<{ versions: object[] }>();
  expect(page.versions).toMatchObject([{ version: 3 }, { version: 2 }]);
  expect(page).not.toHaveProperty('next_before');
  expect((await get({ version: '2' })).body.toString()).toBe('two');
  expect((await get({ version: '1' })).status).toBe(404);
});

describe('a range', () => {
  const ranged = (range: string, more: Record<string, string> = {}) => ({
    headers: { range, ...more },
  });

  test('is 206 with its place in the object', async () => {
    const { get, store } = await open();
    await store('hello');
    const part = await get({}, ranged('bytes=1-3'));
    expect([part.status, part.body.toString()]).toEqual([206, 'ell']);
    expect(part.headers).toMatchObject({ 'content-range': 'bytes 1-3/5', 'content-length': '3' });
    expect((await get({}, ranged('bytes=9-'))).status).toBe(416);
  });

  test('is ignored by HEAD, and when If-Range names another version', async () => {
    const { get, store } = await open();
    await store('hello');
    const head = await get({}, { method: 'HEAD', ...ranged('bytes=1-3') });
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, '5', 0]);
    const other = await get({}, ranged('bytes=1-3', { 'if-range': '"x"' }));
    expect([other.status, other.body.toString()]).toEqual([200, 'hello']);
  });
});

test.each<[ApiDeps['responseMode'], number]>([
  ['buffered', LIMITS.bufferedDownloadBytes],
  ['stream', LIMITS.streamedDownloadBytes],
])('a %s response has at most %i bytes; more are a redirect to S3', async (mode, most) => {
  const { get, deps, enlarge } = await open(mode);
  await enlarge(most);
  expect((await get()).body).toHaveLength(most);
  await enlarge(most + 1);
  const sent = await get();
  expect([sent.status, sent.body.length]).toEqual([307, 0]);
  const { location = '', ...headers } = own(sent.headers);
  expect(headers).toEqual({
    etag: expect.any(String),
    'last-modified': new Date(deps.clock.now()).toUTCString(),
    'x-object-version': '2',
    'x-object-cursor': '2',
    'cache-control': 'no-store',
  });
  expect((await deps.s3.request('GET', location)).body).toHaveLength(most + 1);
  const head = await get({}, { method: 'HEAD' });
  expect([head.status, head.headers['content-length']]).toEqual([200, String(most + 1)]);
  expect((await get({}, { headers: { range: 'bytes=1-' } })).body).toHaveLength(most);
});

test('an empty object is read without its blob; other missing bytes are 404 and reported', async () => {
  const { get, store, deps } = await open();
  await store('');
  deps.state.blobs.clear();
  const empty = await get();
  expect([empty.status, empty.body.length, empty.headers['content-length']]).toEqual([200, 0, '0']);
  await store('hello');
  deps.state.blobs.clear();
  const lost = await get();
  expect([lost.status, lost.json()]).toMatchObject([404, { error: { details: { key: 'a' } } }]);
  expect(deps.log.lines).toMatchObject([{ level: 'error', event: 'blob_missing' }]);
});

test('an object whose headers a patch has changed is served with them by S3, too', async () => {
  const { ask, get, store, deps } = await open();
  await store('hello');
  const changes = [{ op: 'patch', key: 'a', content_disposition: 'attachment' }];
  const body = JSON.stringify({ bucket: 'photos', changes });
  expect((await ask({ method: 'POST', path: '/commits', body })).status).toBe(201);
  const { url } = (await get({ redirect: 'false' })).json<{ url: string }>();
  expect((await deps.s3.request('GET', url)).headers).toMatchObject({
    'content-disposition': 'attachment',
    'cache-control': 'max-age=60',
  });
});
