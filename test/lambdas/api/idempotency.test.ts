/** Idempotency-Key, on the fakes. */
import fc from 'fast-check';
import { BucketIds } from '../../../core/buckets/bucket-ids';
import { createApi } from '../../../service/storage-api';
import { createFakes } from '../../support/fakes/fakes';
import { waitIdle } from '../../support/fakes/wait-idle';
import { send, type TestRequest } from '../../support/requests';
import { put, setUp } from './world';

describe('Idempotency-Key', () => {
  const once = { ...put, headers: { 'Idempotency-Key': 'k' } };

  test('gives a retry the response of the first call, without a second change', async () => {
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

  test('makes one change when retries run concurrently', async () => {
    const { deps, ask } = await setUp();
    const responses = await Promise.all([ask(once), ask(once), ask(once)]);
    expect(new Set(responses.map(({ body }) => body.toString())).size).toBe(1);
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(deps.state.blobs.size).toBe(1);
  });

  test.each<[string, TestRequest]>([
    ['deletions', { method: 'DELETE', path: '/objects/photos/a' }],
    ['creations', { ...put, path: '/objects/photos/new', headers: { 'If-None-Match': '*' } }],
    ['deletions of the bucket', { method: 'DELETE', path: '/buckets/photos' }],
  ])(
    'makes one change of concurrent %s in any interleaving, and gives its response to all of them',
    async (what, request) => {
      await fc.assert(
        fc.asyncProperty(fc.scheduler(), async (s) => {
          const { deps, ask } = await setUp();
          if (what === 'deletions') await ask(put);
          const headers = { ...request.headers, 'Idempotency-Key': 'd' };
          const pending = [1, 2, 3].map(() => {
            const fakes = createFakes({ ...deps, yieldPoint: () => s.schedule(Promise.resolve()) });
            const instance = { ...deps, ...fakes, bucketIds: new BucketIds(fakes.buckets) };
            return send(createApi(instance), { ...request, headers });
          });
          await waitIdle(s);
          const all = await Promise.all(pending);
          const done = all.filter(({ status }) => status < 300);
          // A call that finds the bucket closing gets 503 and is repeated by the client.
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
  ])('of an earlier request returns 400 with %s', async (_name, change) => {
    const { ask } = await setUp();
    await ask(once);
    const response = await ask({ ...once, ...change });
    expect([response.status, response.body.toString()]).toEqual([
      400,
      expect.stringContaining('new key'),
    ]);
  });

  test('applies to requests of the same API key, and expires after a day', async () => {
    const { deps, ask } = await setUp();
    await ask(once);
    expect((await ask({ ...once, keyId: 'other' })).headers['x-object-version']).toBe('2');
    deps.clock.advance(24 * 3600_000 + 1000);
    expect((await ask(once)).headers['x-object-version']).toBe('3');
  });

  describe.each([
    ['GET', { method: 'GET' }],
    ['PUT', { method: 'PUT' }],
    ['a multipart upload', { method: 'PUT', multipart: { size: 20_000_000 } }],
  ])('on a signed URL for %s', (_name, wish) => {
    const signing = {
      method: 'POST',
      path: '/signed-url',
      body: JSON.stringify({ bucket: 'photos', key: 'a', expires_in: 300, ...wish }),
      headers: { 'Idempotency-Key': 'u' },
    };

    test('gives a retry the same URLs until they expire, and new ones afterwards', async () => {
      const { deps, ask } = await setUp();
      await ask(put);
      const first = await ask(signing);
      expect(first.status).toBe(201);
      deps.clock.advance(299_999);
      expect((await ask(signing)).body).toEqual(first.body);
      deps.clock.advance(1);
      const later = await ask(signing);
      expect(later.status).toBe(201);
      const { expires_at: expiry } = later.json<{ expires_at: string }>();
      expect(Date.parse(expiry)).toBe(deps.clock.now() + 300_000);
    });

    test('saves the URLs no longer than they work', async () => {
      const { deps, ask } = await setUp();
      await ask(put);
      const { expires_at: expiry } = (await ask(signing)).json<{ expires_at: string }>();
      const saved = [...deps.state.idempotencyRecords.values()];
      expect(saved.map(({ expiresAt }) => expiresAt)).toEqual([Date.parse(expiry) / 1000]);
    });
  });

  test('on signing the parts of an upload again saves the URLs no longer than they work', async () => {
    const { deps, ask } = await setUp();
    const sign = (multipart: object, headers: Record<string, string> = {}) => {
      const body = JSON.stringify({ bucket: 'photos', key: 'u', method: 'PUT', multipart });
      return ask({ method: 'POST', path: '/signed-url', body, headers });
    };
    const { upload_id } = (await sign({ size: 20_000_000 })).json();
    const { expires_at: expiry } = (
      await sign({ upload_id }, { 'Idempotency-Key': 'again' })
    ).json<{ expires_at: string }>();
    const saved = [...deps.state.idempotencyRecords.values()];
    expect(saved.map(({ expiresAt }) => expiresAt)).toEqual([Date.parse(expiry) / 1000]);
  });

  test.each(['', 'k'.repeat(65), 'a b', '\u00e9'])('is refused when it is %j', async (key) => {
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
