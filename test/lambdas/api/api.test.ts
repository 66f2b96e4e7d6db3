import fc from 'fast-check';
/**
 * What the app adds to the operations: dispatch, errors, idempotency, large answers. On the fakes.
 */
import { BucketIds } from '../../../core/objects/bucket-ids';
import type { ApiDeps } from '../../../lambdas/shared/operations/deps';
import { createDownload } from '../../../lambdas/shared/operations/get-object';
import { createApi } from '../../../lambdas/shared/storage-api';
import { createFakes } from '../../support/fakes/fakes';
import { restEvent, send, type TestRequest } from '../../support/requests';

async function setUp(change: Partial<Pick<ApiDeps, 'responseMode'>> = {}) {
  const fakes = createFakes();
  const deps = {
    ...fakes,
    bucketIds: new BucketIds(fakes.buckets),
    backoff: async () => undefined,
    responseMode: 'stream' as ApiDeps['responseMode'],
    tickets: { subscriptions: fakes.subscriptions, syncUrl: 'wss://sync.example/sync' },
    ...change,
  };
  const app = createApi(deps);
  const ask = (request: TestRequest) => send(app, request);
  await ask({ method: 'POST', path: '/buckets', body: '{"name":"photos"}' });
  return { deps, ask };
}

const put = { method: 'PUT', path: '/objects/photos/a', body: 'one' };

test.each([
  ['/nope', 404, 'not_found'],
  ['/objects', 404, 'not_found'],
  ['/objects/', 404, 'not_found'],
  ['/buckets/photos/x', 404, 'not_found'],
  ['/sync', 400, 'invalid_request'],
  ['/sync/photos', 404, 'not_found'],
  ['/objects/photos/', 400, 'invalid_request'],
  ['/objects/photos/%', 400, 'invalid_request'],
  ['/objects/PHOTOS/a', 400, 'invalid_request'],
])('GET %s is %i %s', async (path, status, code) => {
  const { ask } = await setUp();
  const answer = await ask({ path });
  expect(answer.status).toBe(status);
  expect(answer.json()).toEqual({
    error: expect.objectContaining({ code, request_id: 'request-1', message: expect.any(String) }),
  });
});

test.each([
  ['PATCH', '/buckets', 'GET, HEAD, POST'],
  ['PUT', '/buckets/photos', 'GET, HEAD, DELETE'],
  ['POST', '/objects/photos', 'GET, HEAD'],
  ['POST', '/objects/photos/a', 'GET, HEAD, PUT, DELETE'],
  ['GET', '/signed-url', 'POST'],
])('%s %s is 405 with Allow: %s', async (method, path, allow) => {
  const { ask } = await setUp();
  const answer = await ask({ method, path });
  expect([answer.status, answer.headers.allow]).toEqual([405, allow]);
});

test('the download function answers reads of objects and nothing else', async () => {
  const { deps, ask } = await setUp();
  await ask(put);
  const app = createDownload(deps);
  expect((await send(app, { path: '/objects/photos/a' })).body.toString()).toBe('one');
  expect((await send(app, { ...put, method: 'DELETE' })).status).toBe(405);
});

test('HEAD has the headers of GET, its length, and no body, errors included', async () => {
  const { deps, ask } = await setUp();
  await ask(put);
  const get = await ask({ path: '/objects/photos/a' });
  // So that as many requests are left as before.
  deps.clock.advance(1000);
  const head = await ask({ method: 'HEAD', path: '/objects/photos/a' });
  expect(head.headers).toEqual(get.headers);
  expect(head.body).toHaveLength(0);
  const list = await ask({ method: 'HEAD', path: '/buckets' });
  expect(Number(list.headers['content-length'])).toBeGreaterThan(2);
  const missing = await ask({ method: 'HEAD', path: '/objects/photos/none' });
  expect([missing.status, missing.body.length]).toEqual([404, 0]);
});

test('an unknown error shows nothing of itself', async () => {
  const { deps, ask } = await setUp();
  const secret = 'arn:aws:dynamodb:secret-table';
  const objects = { ...deps.objects, get: () => Promise.reject(new Error(secret)) };
  const answer = await send(createApi({ ...deps, objects }), { path: '/objects/photos/a' });
  expect(answer.status).toBe(500);
  expect(answer.body.toString()).not.toContain('secret');
  expect(JSON.stringify(deps.log.lines.map(({ event }) => event))).toContain('request_failed');
  expect((await ask({ path: '/buckets' })).status).toBe(200);
});

test.each(['ProvisionedThroughputExceededException', 'TimeoutError', 'SlowDown'])(
  '%s is 503 with Retry-After',
  async (name) => {
    const { deps } = await setUp();
    const failure = Object.assign(new Error('x'), { name });
    const objects = { ...deps.objects, get: () => Promise.reject(failure) };
    const answer = await send(createApi({ ...deps, objects }), { path: '/objects/photos/a' });
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
  },
);

test('a key that has expired since the authorizer’s answer was cached is 401', async () => {
  const { ask } = await setUp();
  const answer = await ask({ path: '/buckets', expiresAt: '2026-01-01T00:00:00.000Z' });
  expect(answer.status).toBe(401);
});

describe('Idempotency-Key', () => {
  const once = { ...put, headers: { 'Idempotency-Key': 'k' } };

  test('a retry is answered as the first call was, with no second change', async () => {
    const { ask } = await setUp();
    const first = await ask(once);
    const retry = await ask(once);
    const { ratelimit: _before, ...headers } = first.headers;
    expect([retry.status, retry.body.toString(), retry.headers]).toEqual([
      first.status,
      first.body.toString(),
      { ...headers, ratelimit: expect.any(String) },
    ]);
    expect(first.status).toBe(201);
    expect((await ask({ ...put, body: 'two' })).headers['x-object-version']).toBe('2');
  });

  test('two retries at once make one change', async () => {
    const { deps, ask } = await setUp();
    const answers = await Promise.all([ask(once), ask(once), ask(once)]);
    expect(new Set(answers.map(({ body }) => body.toString())).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(deps.state.blobs.size).toBe(1);
  });

  test.each<[string, TestRequest]>([
    ['deletions', { method: 'DELETE', path: '/objects/photos/a' }],
    ['creations', { ...put, path: '/objects/photos/new', headers: { 'If-None-Match': '*' } }],
    ['deletions of the bucket', { method: 'DELETE', path: '/buckets/photos' }],
  ])(
    '%s at once, in any interleaving, make one change and are all told so',
    async (what, request) => {
      await fc.assert(
        fc.asyncProperty(fc.scheduler(), async (s) => {
          const { deps, ask } = await setUp();
          if (what === 'deletions') await ask(put);
          const headers = { ...request.headers, 'Idempotency-Key': 'd' };
          const answers = [1, 2, 3].map(() => {
            const fakes = createFakes({ ...deps, yieldPoint: () => s.schedule(Promise.resolve()) });
            const instance = { ...deps, ...fakes, bucketIds: new BucketIds(fakes.buckets) };
            return send(createApi(instance), { ...request, headers });
          });
          await s.waitIdle();
          const all = await Promise.all(answers);
          const done = all.filter(({ status }) => status < 300);
          // The bucket may be closing when another call looks: then that one is to come again.
          expect(all.every(({ status }) => status < 300 || status === 503)).toBe(true);
          expect(done.length).toBeGreaterThan(what === 'deletions of the bucket' ? 0 : 2);
          expect(
            new Set(done.map(({ body, headers: h }) => `${body}${h['x-object-cursor']}`)).size,
          ).toBe(1);
        }),
        { numRuns: 100 },
      );
    },
  );

  test.each([
    ['another body', { body: 'two' }],
    ['another path', { path: '/objects/photos/b' }],
    ['another type', { headers: { 'Idempotency-Key': 'k', 'Content-Type': 'a/b' } }],
  ])('with %s it is 400', async (_name, change) => {
    const { ask } = await setUp();
    await ask(once);
    const answer = await ask({ ...once, ...change });
    expect([answer.status, answer.body.toString()]).toEqual([
      400,
      expect.stringContaining('new key'),
    ]);
  });

  test('belongs to the API key that sent it, and ends after a day', async () => {
    const { deps, ask } = await setUp();
    await ask(once);
    expect((await ask({ ...once, keyId: 'other' })).headers['x-object-version']).toBe('2');
    deps.clock.advance(24 * 3600_000 + 1000);
    expect((await ask(once)).headers['x-object-version']).toBe('3');
  });

  test.each(['', 'k'.repeat(65), 'a b', '\u00e9'])('%j is refused', async (key) => {
    const { ask } = await setUp();
    expect((await ask({ ...once, headers: { 'Idempotency-Key': key } })).status).toBe(400);
  });

  test('covers buckets, deletions and signed uploads', async () => {
    const { ask } = await setUp();
    await ask(put);
    for (const [n, request] of [
      { method: 'POST', path: '/buckets', body: '{"name":"other"}' },
      { method: 'POST', path: '/signed-url', body: '{"bucket":"photos","key":"a","method":"GET"}' },
      { method: 'DELETE', path: '/objects/photos/a' },
      { method: 'POST', path: '/signed-url', body: '{"bucket":"photos","key":"u","method":"PUT"}' },
      { method: 'DELETE', path: '/buckets/photos' },
    ].entries()) {
      const keyed = { ...request, headers: { 'Idempotency-Key': `x${n}` } };
      const first = await ask(keyed);
      expect(first.status).toBeLessThan(300);
      expect((await ask(keyed)).body).toEqual(first.body);
    }
  });
});

test('a bucket that was deleted and made again elsewhere is found by an instance that remembers the old one', async () => {
  const { deps, ask } = await setUp();
  await ask(put);
  const elsewhere = createApi({ ...deps, bucketIds: new BucketIds(deps.buckets) });
  await send(elsewhere, { method: 'DELETE', path: '/objects/photos/a' });
  await send(elsewhere, { method: 'DELETE', path: '/buckets/photos' });
  expect((await ask({ path: '/objects/photos/a' })).status).toBe(404);
  await send(elsewhere, { method: 'POST', path: '/buckets', body: '{"name":"photos"}' });
  await send(elsewhere, { ...put, body: 'new life' });
  expect((await ask({ path: '/objects/photos/a' })).body.toString()).toBe('new life');
  const written = await ask({ ...put, body: 'again' });
  expect([written.status, written.headers['x-object-version']]).toEqual([200, '2']);
});

test('a stale instance judges conditions and versions by the present life of the bucket', async () => {
  const { deps, ask } = await setUp();
  await ask(put);
  const elsewhere = createApi({ ...deps, bucketIds: new BucketIds(deps.buckets) });
  await send(elsewhere, { method: 'DELETE', path: '/objects/photos/a' });
  await send(elsewhere, { method: 'DELETE', path: '/buckets/photos' });
  expect((await ask({ path: '/objects/photos/a', query: { version: '1' } })).status).toBe(404);
  await send(elsewhere, { method: 'POST', path: '/buckets', body: '{"name":"photos"}' });
  await send(elsewhere, { ...put, body: 'new life' });
  const old = await ask({ path: '/objects/photos/a', query: { version: '1' } });
  expect(old.body.toString()).toBe('new life');
  const stale = createApi({ ...deps, bucketIds: staleIds(deps.buckets) });
  const replaced = await send(stale, { ...put, headers: { 'If-Match': '*' } });
  expect(replaced.status).toBe(200);
});

/** Remembers an id that the bucket has no more. */
function staleIds(buckets: ConstructorParameters<typeof BucketIds>[0]): BucketIds {
  const ids = new BucketIds(buckets);
  jest.spyOn(ids, 'resolve').mockResolvedValueOnce({ name: 'photos', id: 'b99999999999' });
  return ids;
}

test('a list never answers a position behind which a writer is still under way', async () => {
  const { deps, ask } = await setUp();
  await ask(put);
  const { id } = (await deps.buckets.get('photos')) ?? { id: '' };
  await deps.buckets.allocate({ name: 'photos', id });
  for (const path of ['/objects/photos', '/buckets/photos']) {
    expect((await ask({ path })).json().cursor).toBe(1);
  }
});

test.each([
  ['If-None-Match', '"zzz"', 412],
  ['If-Match', '"zzz"', 200],
  ['Content-Type', 'c/d', 400],
  ['Idempotency-Key', 'b', 400],
])('%s on two lines: a list is one list, anything else is refused', async (name, last, status) => {
  const { deps, ask } = await setUp();
  const first = (await ask(put)).headers.etag ?? '';
  const event = restEvent({ ...put, headers: { [name]: last } });
  event.multiValueHeaders = { [name]: [first, last] };
  expect((await createApi(deps)(event)).status).toBe(status);
});

test('a buffered deployment refuses a multipart upload whose answer would not fit', async () => {
  const { ask } = await setUp({ responseMode: 'buffered' });
  const multipart = { size: 10_000 * 5 * 1024 * 1024, part_size: 5 * 1024 * 1024 };
  const body = JSON.stringify({ bucket: 'photos', key: 'u', method: 'PUT', multipart });
  const answer = await ask({ method: 'POST', path: '/signed-url', body });
  const fits = answer.status === 201 && answer.body.length <= 5 * 1024 * 1024;
  const refused = answer.status === 400 && answer.body.toString().includes('multipart.part_size');
  expect(fits || refused).toBe(true);
});

test('a page token ends within minutes of the secret that sealed it, and lists go on with the new one', async () => {
  const { deps, ask } = await setUp();
  for (const key of ['a', 'b', 'c']) await ask({ ...put, path: `/objects/photos/${key}` });
  const page = async (token?: string) => {
    const query = { limit: '1', ...(token !== undefined && { page_token: token }) };
    const answer = await ask({ path: '/objects/photos', query });
    const json: Record<string, unknown> = answer.json();
    const { objects, next_page_token: next } = json as {
      objects?: { key: string }[];
      next_page_token?: string;
    };
    return { status: answer.status, first: objects?.[0]?.key, next, error: json.error };
  };
  const { next: old } = await page();
  deps.state.service.delete('page-token-secret');
  expect((await page(old)).first).toBe('b');
  deps.clock.advance(5 * 60_000);
  expect(await page(old)).toMatchObject({ status: 400, error: { code: 'invalid_request' } });
  const { next: fresh } = await page();
  expect((await page(fresh)).first).toBe('b');
});
