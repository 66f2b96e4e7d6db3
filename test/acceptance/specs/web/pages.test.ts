import { it, needing } from '../../support/behaviour';
import { BUCKETS, useBucket } from '../../support/buckets';
import { call, send } from '../../support/http';
import { objectPath, put } from '../../support/objects';
import { expectError, expectStatus, headerOf } from '../../support/responses';
import { baseUrl } from '../../support/target';

/** An origin of `allowedOrigins`, and one that is not in them. */
const PAGE = 'http://localhost:3000';
const OTHER = 'https://other.example';

needing(['pages'], () => {
  describe('A page of an allowed origin', () => {
    const bucket = useBucket('pages');
    const key = 'a b.txt';
    beforeAll(() => put(bucket, key, 'content'));

    const from = (origin: string, headers: Record<string, string> = {}) => ({
      headers: { origin, ...headers },
    });
    const preflight = (path: string, origin: string, headers: Record<string, string> = {}) =>
      send('OPTIONS', baseUrl() + path, {
        headers: { origin, 'access-control-request-method': 'PUT', ...headers },
      });

    it('gets its preflights answered without a key', async () => {
      for (const path of [BUCKETS, objectPath(bucket, key), '/api/v2/storage/sync?bucket=a']) {
        const asked = { 'access-control-request-headers': 'authorization,x-object-meta-a' };
        const { headers, body } = expectStatus(await preflight(path, PAGE, asked), 204);
        expect(body).toHaveLength(0);
        expect(headers).toMatchObject({
          'access-control-allow-origin': PAGE,
          'access-control-allow-methods': 'GET, HEAD, PUT, POST, PATCH, DELETE',
          'access-control-allow-headers': 'Authorization, *',
          'access-control-max-age': '7200',
          vary: 'Origin',
        });
        expect(headers).not.toHaveProperty('access-control-allow-credentials');
      }
    });

    for (const [what, method, headers, status] of [
      ['an object', 'GET', {}, 200],
      ['HEAD of an object', 'HEAD', {}, 200],
      ['a part of an object', 'GET', { range: 'bytes=1-2' }, 206],
      ['an object that is not modified', 'GET', { 'if-none-match': '*' }, 304],
      ['a failed condition', 'GET', { 'if-match': '"none"' }, 412],
    ] as const) {
      it(`may read ${what}, with headers of any name, and other pages may not`, async () => {
        for (const [origin, allowed] of [
          [PAGE, PAGE],
          [OTHER, undefined],
        ] as const) {
          const response = await call(method, objectPath(bucket, key), from(origin, headers));
          expectStatus(response, status);
          expect(response.headers['access-control-allow-origin']).toBe(allowed);
          expect(response.headers['access-control-expose-headers']).toBe(allowed && '*');
          if (status < 400) expect(headerOf(response, 'vary')).toMatch(/\bOrigin\b/);
        }
      });
    }

    it('may read refusals of the gateway, of an operation and of the edge', async () => {
      const unauthorized = await send('GET', baseUrl() + BUCKETS, from(PAGE));
      const missing = await call('GET', objectPath(bucket, 'none'), from(PAGE));
      const body = Buffer.alloc(11 * 1024 * 1024);
      const path = objectPath(bucket, 'large');
      const large = await send('PUT', baseUrl() + path, { ...from(PAGE), body });
      for (const [response, status] of [
        [unauthorized, 401],
        [missing, 404],
        [large, 413],
      ] as const) {
        expectError(response, status);
        expect(headerOf(response, 'access-control-allow-origin')).toBe(PAGE);
      }
    });

    it('may not use the administration', async () => {
      const response = await send('GET', `${baseUrl()}/admin/v1/config`, from(PAGE));
      expect(response.headers).not.toHaveProperty('access-control-allow-origin');
      const asked = await preflight('/admin/v1/keys', PAGE);
      expect(asked.headers).not.toHaveProperty('access-control-allow-origin');
    });

    it('gets 403 for a preflight when its origin is not allowed', async () => {
      for (const origin of [OTHER, 'null', `${PAGE}.evil.example`]) {
        const response = await preflight(BUCKETS, origin);
        expectError(response, 403, { message: /allowedOrigins|--origin/ });
        expect(response.headers).not.toHaveProperty('access-control-allow-origin');
      }
    });
  });
});
