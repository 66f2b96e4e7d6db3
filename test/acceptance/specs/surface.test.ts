import { it, needing } from '../support/behaviour';
import { BUCKETS, useBucket } from '../support/buckets';
import { call, callJson, send } from '../support/http';
import { expectBytes, objectPath, put } from '../support/objects';
import { expectError, expectHeadError, expectStatus, headerOf } from '../support/responses';
import { SIGNED_URL } from '../support/signed';
import { apiKey, baseUrl } from '../support/target';

describe('Unknown paths', () => {
  for (const path of [
    '/api/v2/storage/nothing',
    '/api/v2/storage',
    '/api/v2/storage/buckets/a-name/more',
    '/api/v2/storage/signed-url/more',
    '/api/v2/storage/objects',
    '/api/v2/Storage/buckets',
    '/api/v1/storage/buckets',
    '/api/v2',
    '/nothing/at/all',
  ]) {
    it(`GET ${path}: 404`, async () => {
      expectError(await call('GET', path), 404);
    });
  }

  it('return 404 to every method, without a body to HEAD', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      expectError(await call(method, '/api/v2/storage/nothing', { body: '{}' }), 404);
    }
    expectHeadError(await call('HEAD', '/api/v2/storage/nothing'), 404);
  });
});

describe('405 with Allow', () => {
  const bucket = useBucket('methods');
  beforeAll(() => put(bucket, 'a', 'stays'));

  for (const [what, pathOf, wrong, allowed] of [
    ['/buckets', () => BUCKETS, ['PUT', 'DELETE', 'PATCH'], ['GET', 'POST']],
    [
      '/buckets/{bucket}',
      () => `${BUCKETS}/${bucket}`,
      ['POST', 'PUT'],
      ['GET', 'PATCH', 'DELETE'],
    ],
    [
      '/objects/{bucket}',
      () => `/api/v2/storage/objects/${bucket}`,
      ['POST', 'PUT', 'PATCH'],
      ['GET', 'DELETE'],
    ],
    [
      '/objects/{bucket}/{key}',
      () => objectPath(bucket, 'a'),
      ['POST', 'PATCH'],
      ['GET', 'HEAD', 'PUT', 'DELETE'],
    ],
    ['/signed-url', () => SIGNED_URL, ['GET', 'PUT', 'DELETE', 'PATCH'], ['POST']],
  ] as const) {
    for (const method of wrong) {
      it(`${method} ${what}`, async () => {
        const response = await call(method, pathOf(), method === 'GET' ? {} : { body: '{}' });
        expectError(response, 405);
        const allow = headerOf(response, 'allow').split(/\s*,\s*/);
        expect(allow).toEqual(expect.arrayContaining([...allowed]));
        expect(allow).not.toContain(method);
        await expectBytes(bucket, 'a', 'stays');
      });
    }
  }

  it('X-HTTP-Method-Override does not turn a read into a delete', async () => {
    await put(bucket, 'override', 'stays');
    for (const method of ['DELETE', 'PATCH']) {
      const headers = { 'x-http-method-override': method };
      const response = await call('GET', objectPath(bucket, 'override'), { headers });
      expectError(response, 400, { field: 'x-http-method-override' });
    }
    await expectBytes(bucket, 'override', 'stays');
  });
});

describe('A path that nearly exists', () => {
  for (const [method, path, status, meant] of [
    ['GET', `${BUCKETS}/`, 404, BUCKETS],
    ['PUT', '/api/v2/storage/objects/photos', 405, '/api/v2/storage/objects/photos/{key}'],
  ] as const) {
    it(`${method} ${path}: ${status} that names ${meant}`, async () => {
      const { message } = expectError(await call(method, path), status);
      expect(message).toMatch(`did you mean ${meant}?`);
    });
  }
});

describe('Every error', () => {
  it('ends with a line feed, as every JSON body', async () => {
    for (const path of [BUCKETS, '/api/v2/storage/nothing']) {
      expect((await call('GET', path)).body.toString()).toMatch(/\}\n$/);
    }
  });

  const bucket = useBucket('errors');

  it('has its own request_id', async () => {
    const ids = new Set<unknown>();
    for (let n = 0; n < 5; n++) {
      ids.add(expectError(await call('GET', objectPath(bucket, 'missing')), 404).request_id);
    }
    expect(ids.size).toBe(5);
  });

  it('does not repeat markup or line breaks of the request into a header', async () => {
    const response = await call('GET', objectPath(bucket, '<script>alert(1)</script>'));
    expectError(response, 404);
    expect(response.headers['content-type']).toMatch(/^application\/json\b/);
  });

  it('comes as JSON to a client that accepts something else', async () => {
    for (const accept of ['text/html', 'image/png', 'application/xml']) {
      const headers = { accept };
      expectError(await call('GET', objectPath(bucket, 'missing'), { headers }), 404);
    }
  });

  it('leaves the connection usable: a good request after each kind of refusal', async () => {
    await put(bucket, 'good', 'x');
    for (const refused of [
      () => call('GET', objectPath(bucket, 'missing')),
      () => call('PUT', BUCKETS, { body: 'x'.repeat(1_000) }),
      () => callJson('POST', BUCKETS, { name: '!' }),
      () => call('GET', objectPath(bucket, 'good'), { headers: { range: 'bytes=99-' } }),
    ]) {
      expect((await refused()).status).toBeGreaterThanOrEqual(400);
      expectStatus(await call('GET', objectPath(bucket, 'good')), 200);
    }
  });

  it('returns 400 to a JSON body with a field that does not exist', async () => {
    expectError(await callJson('POST', BUCKETS, { name: 'fine-name', region: 'x' }), 400, {
      field: 'region',
    });
  });

  needing(['gateway-responses'], () => {
    it('has the shape for a method that a public path lacks, with and without a key', async () => {
      for (const [path, ...methods] of [
        ['/', 'PUT', 'POST', 'DELETE', 'PATCH'],
        ['/openapi.json', 'PUT', 'POST', 'DELETE', 'PATCH'],
        ['/assets/none.js', 'PUT', 'POST', 'DELETE', 'PATCH'],
        ['/admin/v1', 'GET', 'POST'],
        ['/admin', 'GET', 'POST'],
        ['/assets', 'GET', 'POST'],
      ] as const) {
        for (const method of methods) {
          const response = await send(method, baseUrl() + path, {
            headers: { authorization: `Bearer ${apiKey()}` },
          });
          expectError(response, expectStatus(response, 404, 405).status);
          const refused = await send(method, baseUrl() + path);
          expectError(refused, expectStatus(refused, 401, 404, 405).status);
        }
      }
    });

    it('has the shape also when the gateway itself responds: no key, on any path', async () => {
      for (const path of [BUCKETS, '/api/v2/storage/nothing', '/nothing']) {
        const response = await call('GET', path, { key: null });
        expectError(response, expectStatus(response, 401, 404).status);
      }
    });
  });
});
