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

async function open(responseMode: ApiDeps['responseMode'] = 'stream') {
  const world = await setUp({ responseMode });
  const { ask, deps } = world;
  const store = (body: string) => ask({ method: 'PUT', path: PATH, body });
  const get = (query: Query = {}, more: Partial<TestRequest> = {}) =>
    ask({ path: PATH, query, ...more });
  /** Stores an object of `size` bytes, which may be more than one PUT takes. */
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
  return { ...world, store, get, enlarge };
}

/** Without the headers of the rate limit. */
function own({ ratelimit: _, 'ratelimit-policy': __, ...headers }: Record<string, string>) {
  return headers;
}

test('a list of versions leaves out those that are trimmed, and ends without next_before', async () => {
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
