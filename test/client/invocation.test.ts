/** The client by invocations of the function, on the fakes. */
import { type Invoke, StowageClient, StowageError } from '../../client';
import { BucketIds } from '../../core/buckets/bucket-ids';
import { LIMITS } from '../../core/limits';
import { createInternal } from '../../lambdas/internal/app';
import { createFakes } from '../support/fakes/fakes';
import { invocationBy } from '../support/invocations';
import { EVERYTHING } from '../support/requests';

function setUp(change: (invoke: Invoke) => Invoke = (invoke) => invoke) {
  const fakes = createFakes();
  const deps = {
    ...fakes,
    bucketIds: new BucketIds(fakes.buckets),
    backoff: async () => undefined,
    responseMode: 'buffered' as const,
  };
  const grants = new Map([['all', EVERYTHING]]);
  const internal = createInternal(deps, grants);
  const payloads: unknown[] = [];
  const invoke: Invoke = async (payload) => {
    payloads.push(JSON.parse(Buffer.from(payload).toString()));
    const response = await internal(payloads.at(-1), invocationBy('all'));
    return { Payload: Buffer.from(JSON.stringify(response)) };
  };
  const downloaded: string[] = [];
  const client = new StowageClient({
    invoke: change(invoke),
    fetch: async (url, { headers }) => {
      downloaded.push(url);
      const range = new Headers(headers).get('range');
      return new Response(`from the store${range === null ? '' : `, ${range}`}`);
    },
  });
  const send = (method: string, path: string, body?: string) =>
    invoke(Buffer.from(JSON.stringify({ method, path: `/api/v2/storage/${path}`, body })), {});
  const createBucket = () => send('POST', 'buckets', '{"name":"photos"}');
  return { client, payloads, downloaded, createBucket };
}

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

test('client puts, gets, lists and deletes bytes and texts by invocations', async () => {
  const { client, createBucket } = setUp();
  await createBucket();
  const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, n) => n % 256));
  const put = await client.put('photos', 'a b/ä+#?.bin', bytes, {
    contentType: 'image/png',
    metadata: { taken: '2026' },
    ifNoneMatch: '*',
  });
  expect(put).toMatchObject({
    key: 'a b/ä+#?.bin',
    size: bytes.length,
    metadata: { taken: '2026' },
  });
  await client.put('photos', 'text', 'ä\n"text"');
  const got = await client.get('photos', 'a b/ä+#?.bin');
  expect(got.headers.get('content-type')).toBe('image/png');
  expect(bytes.equals(Buffer.from(await got.arrayBuffer()))).toBe(true);
  expect(await (await client.get('photos', 'text')).text()).toBe('ä\n"text"');
  const page = await client.list('photos', { prefix: 'a b/ä+', limit: 10 });
  expect(page.objects.map(({ key }) => key)).toEqual(['a b/ä+#?.bin']);
  expect(await client.delete('photos', 'text')).toMatchObject({ key: 'text', version: 2 });
});

test('client gets and lists earlier states, and lists versions', async () => {
  const { client, createBucket } = setUp();
  await createBucket();
  const first = await client.put('photos', 'a', 'one');
  await client.put('photos', 'a', 'two');
  await client.put('photos', 'b', 'x');
  const asOf = first.cursor;
  expect(await (await client.get('photos', 'a', { asOf })).text()).toBe('one');
  expect(await (await client.get('photos', 'a', { version: 2 })).text()).toBe('two');
  const headers = (await client.head('photos', 'a', { asOf })).headers;
  expect(headers.get('x-object-version')).toBe('1');
  const page = await client.list('photos', { asOf });
  expect(page).toMatchObject({ objects: [first], cursor: asOf });
  const newest = await client.versions('photos', 'a', { limit: 1 });
  expect(newest).toMatchObject({
    versions: [{ version: 2, type: 'put', size: 3 }],
    next_before: 2,
  });
  const before = newest.next_before;
  const older = await client.versions('photos', 'a', { before });
  expect(older.versions).toMatchObject([{ version: 1, cursor: asOf, etag: first.etag }]);
  expect(older.next_before).toBeUndefined();
});

test('client commits several changes, copies, moves, patches and deletes by prefix', async () => {
  const { client, createBucket } = setUp();
  await createBucket();
  const { changes, to } = await client.commit('photos', [
    { op: 'put', key: 'a/1', content: 'ä', contentType: 'text/plain' },
    { op: 'put', key: 'a/2', content: new Uint8Array(200_000).fill(255), cacheControl: 'no-store' },
  ]);
  expect(changes).toMatchObject([
    { key: 'a/1', size: 2, content_type: 'text/plain' },
    { key: 'a/2', size: 200_000 },
  ]);
  const late = client.commit('photos', [{ op: 'delete', key: 'a/1' }], { ifCursor: 1 });
  expect(await failure(late)).toMatchObject({ code: 'precondition_failed' });
  const nothing = [{ op: 'delete', key: 'b', ifExists: true }] as const;
  const replaced = { ifCursor: to, bucketId: 'x'.repeat(12) };
  const refused = client.commit('photos', nothing, replaced);
  expect(await failure(refused)).toMatchObject({ code: 'precondition_failed' });
  const { bucket_id: bucketId } = await client.list('photos');
  await client.commit('photos', nothing, { ifCursor: to, bucketId });
  await client.copy('photos', 'b', { key: 'a/1' }, { metadata: { c: 'd' }, ifNoneMatch: '*' });
  const moved = await client.move('photos', 'a/3', 'b');
  expect(moved).toMatchObject({ key: 'a/3', metadata: { c: 'd' }, content_type: 'text/plain' });
  const etag = moved.etag;
  const patched = await client.patch('photos', 'a/3', { contentLanguage: 'de', ifMatch: etag });
  expect(patched).toMatchObject({ version: 2, etag });
  expect(await (await client.get('photos', 'a/3')).text()).toBe('ä');
  expect(await client.removeAll('photos', 'a/')).toBe(3);
  expect((await client.list('photos')).objects).toEqual([]);
});

test('client restores a bucket, and a dry run returns what would change', async () => {
  const { client, createBucket } = setUp();
  await createBucket();
  const { cursor: asOf } = await client.put('photos', 'a', 'one');
  await client.put('photos', 'a', 'two');
  await client.put('photos', 'b', 'x');
  expect(await client.restore('photos', { asOf, dryRun: true })).toMatchObject({
    ...{ restored: 1, deleted: 1, has_more: false },
    changes: [
      { key: 'a', type: 'put', version: 1 },
      { key: 'b', type: 'delete' },
    ],
  });
  expect(await client.restore('photos', { asOf })).toMatchObject({ restored: 1, deleted: 1 });
  expect(await (await client.get('photos', 'a')).text()).toBe('one');
  expect(await failure(client.get('photos', 'b'))).toMatchObject({ code: 'not_found' });
});

test('client throws the code and the details of an error response', async () => {
  const { client, createBucket } = setUp();
  await createBucket();
  expect(await failure(client.get('photos', 'none'))).toMatchObject({
    code: 'not_found',
    status: 404,
    requestId: 'request-1',
  });
  await client.put('photos', 'a', 'x');
  const again = client.put('photos', 'a', 'y', { ifNoneMatch: '*' });
  expect(await failure(again)).toMatchObject({ code: 'precondition_failed' });
  const large = client.put('photos', 'a', Buffer.alloc(LIMITS.inlineUploadBytes + 1));
  expect(await failure(large)).toMatchObject({
    code: 'payload_too_large',
    message: expect.stringContaining('signed URL'),
  });
});

test('client mirrors a bucket by polling even where there are WebSockets', async () => {
  const { client, createBucket } = setUp();
  await createBucket();
  await client.put('photos', 'a', 'x');
  const events: string[] = [];
  for await (const event of client.mirror('photos')) {
    const isObject = event.type === 'put' || event.type === 'snapshot';
    events.push(isObject ? `${event.type} ${event.object.key}` : event.type);
    if (events.length === 3) await client.put('photos', 'b', 'y');
    if (event.type === 'put') break;
  }
  expect(events).toEqual(['reset', 'snapshot a', 'cursor', 'put b']);
  expect(() => client.sync({ photos: {} }, { transport: 'websocket' })).toThrow(TypeError);
});

test('client signs URLs, and downloads large content from the store', async () => {
  const { client, createBucket, downloaded } = setUp((invoke) => async (payload, options) => {
    const { path } = JSON.parse(Buffer.from(payload).toString());
    if (!path.endsWith('/large')) return invoke(payload, options);
    const headers = { Location: 'https://store.example/large?signed' };
    return { Payload: Buffer.from(JSON.stringify({ status: 307, headers, isBase64: false })) };
  });
  await createBucket();
  const upload = await client.signedUrl('photos', 'x', { method: 'PUT', expiresIn: 60 });
  expect(upload).toMatchObject({ method: 'PUT', headers: { 'if-none-match': '*' } });
  expect(upload.url).toMatch(/^https:/);
  expect(await (await client.get('photos', 'large')).text()).toBe('from the store');
  const part = await client.get('photos', 'large', { range: { from: 1, to: 2 } });
  expect(await part.text()).toBe('from the store, bytes=1-2');
  expect(downloaded).toEqual(Array(2).fill('https://store.example/large?signed'));
});

describe('client by invocations', () => {
  test.each([
    ['AccessDeniedException', 'forbidden', false],
    ['ResourceNotFoundException', 'not_found', false],
    ['RequestTooLargeException', 'payload_too_large', false],
    ['TooManyRequestsException', 'unavailable', true],
    ['TimeoutError', 'network', true],
    ['toString', 'network', true],
  ])('maps the Lambda error %s to %s', async (name, code, isTemporary) => {
    const cause = Object.assign(new Error('not today'), { name });
    const { client } = setUp(() => () => Promise.reject(cause));
    const error = await failure(client.list('photos'));
    expect(error).toBeInstanceOf(StowageError);
    expect(error).toMatchObject({ code, isTemporary, cause });
  });

  test('throws unavailable when the function fails', async () => {
    const { client } = setUp(() => async () => ({
      Payload: Buffer.from('{"errorType":"Sandbox.Timedout"}'),
      FunctionError: 'Unhandled',
    }));
    expect(await failure(client.list('photos'))).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('Sandbox.Timedout'),
    });
  });

  test('passes the signal to invoke, and throws its reason', async () => {
    const { client } = setUp(() => (_payload, { abortSignal }) => {
      return new Promise((_, reject) => {
        abortSignal?.addEventListener('abort', () => reject(new Error('aborted')));
      });
    });
    const controller = new AbortController();
    const list = client.list('photos', { signal: controller.signal });
    setImmediate(() => controller.abort(new Error('enough')));
    expect(await failure(list)).toMatchObject({ message: 'enough' });
    const late = client.list('photos', { signal: controller.signal });
    expect(await failure(late)).toMatchObject({ message: 'enough' });
  });
});
