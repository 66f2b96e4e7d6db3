import { it } from '../support/behaviour';
import { BUCKETS, useBucket } from '../support/buckets';
import { call, send } from '../support/http';
import { objectPath, put } from '../support/objects';
import { expectError } from '../support/responses';
import { apiKey, baseUrl } from '../support/target';

const EVERYWHERE = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
};

describe('The edge', () => {
  const bucket = useBucket('edge');
  beforeAll(() => put(bucket, 'page.html', '<script>alert(1)</script>'));

  for (const [what, method, pathOf, status] of [
    ['a response', 'GET', () => BUCKETS, 200],
    ['an object', 'GET', () => objectPath(bucket, 'page.html'), 200],
    ['HEAD of an object', 'HEAD', () => objectPath(bucket, 'page.html'), 200],
    ['a refusal', 'GET', () => objectPath(bucket, 'missing'), 404],
    ['a page of changes', 'GET', () => `/api/v2/storage/sync?bucket=${bucket}&cursor=0`, 200],
  ] as const) {
    it(`gives ${what} headers that keep browsers from running it`, ['edge'], async () => {
      const response = await call(method, pathOf());
      expect(response.status).toBe(status);
      expect(response.headers).toMatchObject({
        ...EVERYWHERE,
        'content-security-policy': "sandbox; default-src 'none'",
      });
    });
  }

  it('makes browsers use HTTPS only', ['edge', 'https-only'], async () => {
    for (const path of [BUCKETS, objectPath(bucket, 'missing'), '/']) {
      const { headers } = await send('GET', baseUrl() + path);
      expect(headers['strict-transport-security']).toMatch(/^max-age=\d{8}/);
    }
  });

  it('sends a refusal to the request that it refuses, and to no later one', ['edge'], async () => {
    const path = '/api/v2/storage/signed-url';
    const first = expectError(await call('GET', path), 405);
    const second = expectError(await call('GET', `${path}?again`), 405);
    expect(second.request_id).not.toBe(first.request_id);
    expect((await send('GET', baseUrl() + path)).status).toBe(401);
  });

  it('gives a refusal of the gateway the same', ['edge', 'gateway-responses'], async () => {
    const response = await send('GET', baseUrl() + BUCKETS);
    expectError(response, 401);
    expect(response.headers).toMatchObject(EVERYWHERE);
  });

  it(
    'serves the dashboard on the same origin, with a policy that lets it run',
    ['edge'],
    async () => {
      const response = await send('GET', `${baseUrl()}/`);
      expect(response.status).toBe(200);
      expect(response.headers).toMatchObject({
        ...EVERYWHERE,
        'content-type': expect.stringMatching(/^text\/html/),
        'content-security-policy': expect.stringContaining("script-src 'self'"),
      });
    },
  );

  it(
    'refuses a large body ahead of everything, on any path and without a key',
    ['edge'],
    async () => {
      const body = Buffer.alloc(11 * 1024 * 1024);
      for (const path of [objectPath(bucket, 'large'), BUCKETS, '/nothing/at/all']) {
        const response = await send('PUT', baseUrl() + path, { body });
        expectError(response, 413, { message: /POST \/api\/v2\/storage\/signed-url/ });
        expect(response.headers).toMatchObject({ 'cache-control': 'no-store' });
      }
    },
  );

  it(
    'ignores the headers of a handshake on other paths than that of the channel',
    ['edge'],
    async () => {
      const headers = {
        authorization: `Bearer ${apiKey()}`,
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        'sec-websocket-version': '13',
      };
      const response = await send('GET', baseUrl() + BUCKETS, { headers });
      expect(response.status).toBe(200);
    },
  );
});
