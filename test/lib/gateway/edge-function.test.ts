/**
 * The function that CloudFront runs before each request: the code of the template, run with
 * requests of hostile clients.
 */
import fc from 'fast-check';
import { newApiKey } from '../../../core/access/api-key';
import { LIMITS } from '../../../core/limits';
import { type Viewed, viewerEvent } from '../../../emulator/src/services/edge/viewer-event';
import { compile } from '../../../emulator/src/services/edge/viewer-request';
import { viewerRequestCode } from '../../../lib/gateway/edge-function';

const SYNC = '/api/v2/storage/sync';
const KEY = ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='];
const handle = compile(viewerRequestCode());
const withDirect = compile(viewerRequestCode({ directDownloads: true }));

function ask(request: Partial<Viewed>, run = handle) {
  const viewed = { method: 'GET', uri: '/', query: undefined, rawHeaders: [], ip: '192.0.2.1' };
  const context = {
    distributionDomainName: 'd.cloudfront.net',
    distributionId: 'E1',
    requestId: 'an-id',
  };
  return run(viewerEvent({ ...viewed, ...request }, context));
}

/** The behaviour of a path in CloudFront, which normalizes it first (RFC 3986). */
function behaviorOf(uri: string): string {
  const { pathname } = new URL(`https://edge${uri.replaceAll('\\', '%5C')}`);
  const normal = pathname.replace(/%[0-9a-f]{2}/gi, (encoded) => {
    const decoded = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return /[\w.~-]/.test(decoded) ? decoded : encoded;
  });
  return normal === SYNC ? 'sync' : 'rest';
}

/** The origin of a request: the one that the function selects, else that of the behaviour. */
function reached(result: ReturnType<typeof ask>, { uri = '/' }: Partial<Viewed>): string {
  if (result.kind !== 'request') throw new Error('answered at the edge');
  return result.originId ?? behaviorOf(uri);
}

test.each([
  ['', {}],
  [' with direct downloads', { directDownloads: true }],
  [
    ' with everything',
    { directDownloads: true, allowedOrigins: [`https://${'a'.repeat(2030)}.example`] },
  ],
])('its code%s fits CloudFront, and uses only features of runtime 2.0', (_what, options) => {
  const code = viewerRequestCode(options);
  expect(Buffer.byteLength(code)).toBeLessThan(10_240);
  expect(code.split('\n')[0]).toBe("import cf from 'cloudfront';");
  // AWS does not list optional chaining, nullish coalescing, spread and classes as features.
  expect(code).not.toMatch(/\?\.|\?\?|\.\.\.|\bclass\b|\bexport\b/);
});

test.each([handle, withDirect])('a request with another method in a header is refused', (run) => {
  const uri = '/api/v2/storage/objects/photos/a';
  for (const method of ['GET', 'POST', 'OPTIONS']) {
    const refused = ask({ method, uri, rawHeaders: ['X-HTTP-Method-Override', 'DELETE'] }, run);
    expect(refused).toMatchObject({ kind: 'response', status: 400 });
    expect(JSON.stringify(refused)).toContain('invalid_request');
  }
});

describe('direct downloads', () => {
  const OBJECT = '/api/v2/storage/objects/photos/a';
  const { text } = newApiKey();
  const KEYED = ['Authorization', `Bearer ${text}`];
  const direct = (request: Partial<Viewed>) => ask({ rawHeaders: KEYED, ...request }, withDirect);

  test.each(['GET', 'HEAD'])('send %s of an object with a key to the function', (method) => {
    for (const uri of [OBJECT, `${OBJECT}/`, `${OBJECT}%2F..%2Fb`, `${OBJECT}/...`]) {
      expect(direct({ method, uri })).toEqual({
        kind: 'request',
        uri: '/',
        originId: 'download',
        added: ['x-object-authorization', `Bearer ${text}`, 'x-object-path', uri],
      });
    }
  });

  test.each<[string, Partial<Viewed>]>([
    ['another method', { method: 'PUT', uri: OBJECT }],
    ['a list', { uri: '/api/v2/storage/objects/photos' }],
    ['a list with a slash', { uri: '/api/v2/storage/objects/photos/' }],
    ['no key', { uri: OBJECT, rawHeaders: [] }],
    ['a mistyped key', { uri: OBJECT, rawHeaders: ['Authorization', 'Bearer osk_1'] }],
    ['two keys', { uri: OBJECT, rawHeaders: [...KEYED, ...KEYED] }],
    ['a dot segment', { uri: `${OBJECT}/../../../sync` }],
    ['an escaped dot segment', { uri: `${OBJECT}/%2e%2E/b` }],
    ['an empty segment', { uri: '/api/v2/storage/objects//a' }],
  ])('leave a request with %s to the REST API', (_what, request) => {
    expect(direct(request)).toMatchObject({ originId: 'rest' });
    expect(direct(request)).not.toHaveProperty('added');
  });

  test('are off by default', () => {
    const request = { uri: OBJECT, rawHeaders: KEYED };
    expect(reached(ask(request), request)).toBe('rest');
  });
});

describe('allowedOrigins', () => {
  const PAGE = 'https://app.example.com';
  const BUCKETS = '/api/v2/storage/buckets';
  const [ofPages, ofAny] = [
    [PAGE, 'http://localhost:3000'],
    [PAGE, '*'],
  ].map((allowedOrigins) => compile(viewerRequestCode({ allowedOrigins })));
  const preflight = (origin: string, request: Partial<Viewed> = {}, run = ofPages) => {
    const asked = ['Origin', origin, 'Access-Control-Request-Method', 'PUT'];
    return ask({ method: 'OPTIONS', uri: BUCKETS, rawHeaders: asked, ...request }, run);
  };
  const headersOf = (result: ReturnType<typeof ask>) =>
    result.kind === 'response'
      ? Object.fromEntries(
          result.headers.flatMap((name, at) => (at % 2 ? [] : [[name, result.headers[at + 1]]])),
        )
      : {};

  test('answer the preflights of their pages', () => {
    const response = preflight(PAGE);
    expect(response).toMatchObject({ kind: 'response', status: 204, body: '' });
    expect(headersOf(response)).toEqual({
      vary: 'Origin',
      'access-control-allow-origin': PAGE,
      'access-control-allow-methods': 'GET, HEAD, PUT, POST, PATCH, DELETE',
      'access-control-allow-headers': 'Authorization, *',
      'access-control-expose-headers': '*',
      'access-control-max-age': '7200',
    });
    const any = headersOf(preflight('https://unknown.example', {}, ofAny));
    expect(any).toMatchObject({ 'access-control-allow-origin': '*' });
  });

  test.each([
    ['null'],
    ['https://app.example.com.evil.example'],
    ['http://app.example.com'],
    ['https://APP.example.com'],
    ['*'],
  ])('refuse the preflight of %s, without a header that allows it', (origin) => {
    const response = preflight(origin);
    expect(response).toMatchObject({ kind: 'response', status: 403 });
    expect(Object.keys(headersOf(response))).toEqual(['vary', 'content-type', 'cache-control']);
    if (response.kind !== 'response') throw new Error('no response');
    const { error } = JSON.parse(response.body);
    expect(error).toMatchObject({ code: 'forbidden', request_id: 'an-id' });
  });

  test.each<[string, Partial<Viewed>]>([
    ['of the administration', { uri: '/admin/v1/keys' }],
    ['of a link', { uri: '/s/a' }],
    ['that names no method', { rawHeaders: ['Origin', PAGE] }],
    ['without an origin', { rawHeaders: ['Access-Control-Request-Method', 'PUT'] }],
  ])('leave OPTIONS %s to the REST API', (_what, request) => {
    expect(reached(preflight(PAGE, request), { uri: BUCKETS, ...request })).toBe('rest');
  });

  test('let their pages read that a body is too large', () => {
    const rawHeaders = ['Origin', PAGE, 'Content-Length', '99999999'];
    const response = ask({ method: 'PUT', uri: BUCKETS, rawHeaders }, ofPages);
    expect(response).toMatchObject({ kind: 'response', status: 413 });
    expect(headersOf(response)).toMatchObject({ 'access-control-allow-origin': PAGE });
    const other = ask({ method: 'PUT', uri: '/admin/v1/keys', rawHeaders }, ofPages);
    expect(headersOf(other)).not.toHaveProperty('access-control-allow-origin');
  });

  test('leave preflights to the REST API when there are none', () => {
    expect(reached(preflight(PAGE, {}, handle), { uri: BUCKETS })).toBe('rest');
  });
});

describe('handshakes', () => {
  test('are sent to the root of the WebSocket API', () => {
    expect(ask({ uri: SYNC, rawHeaders: KEY })).toEqual({ kind: 'request', uri: '/' });
  });

  test('keep their query', () => {
    const query = 'ticket=a%20b&ticket=c&bucket=photos';
    expect(ask({ uri: SYNC, query, rawHeaders: KEY })).toEqual({ kind: 'request', uri: '/' });
  });

  test('are recognized by the header Sec-WebSocket-Key alone, in any case, even when it is repeated', () => {
    const twice = ['sec-websocket-key', 'a', 'SEC-WEBSOCKET-KEY', 'b'];
    expect(ask({ uri: SYNC, rawHeaders: twice })).toMatchObject({ uri: '/' });
  });

  test.each([
    '/',
    '/api/v2/storage/sync/',
    '/api/v2/storage//sync',
    '//api/v2/storage/sync',
    '/api/v2/storage/./sync',
    '/api/v2/storage/x/../sync',
    '/api/v2/storage/%73ync',
    '/API/v2/storage/sync',
    '/api/v2/storage/sync%00',
    '/api/v2/storage/buckets',
    'https://evil.example/api/v2/storage/sync',
  ])('for another path, %s, are sent to the REST API unchanged', (uri) => {
    const result = () => ask({ uri, rawHeaders: KEY });
    // The emulator refuses a malformed path before it runs the function.
    if (!uri.startsWith('/')) expect(result).toThrow(/URI/);
    else {
      expect(result()).toMatchObject({ kind: 'request', uri });
      expect(reached(result(), { uri })).toBe('rest');
    }
  });
});

test.each([
  ['no key', []],
  ['an Upgrade without a key', ['Connection', 'Upgrade', 'Upgrade', 'websocket']],
  ['a key in another header', ['X-Sec-WebSocket-Key', 'a', 'Sec-WebSocket-Version', '13']],
  ['the name of a member of objects', ['constructor', 'x', '__proto__', 'sec-websocket-key']],
])('a request with %s for the path of the channel is sent to the REST API', (_what, rawHeaders) => {
  expect(ask({ uri: SYNC, rawHeaders })).toEqual({ kind: 'request', uri: SYNC, originId: 'rest' });
});

test('Content-MD5 is passed on under a name that API Gateway does not withhold', () => {
  const md5 = '1B2M2Y8AsgTpgAmY7PhCfg==';
  const added = (...rawHeaders: string[]) => ask({ method: 'PUT', uri: '/a', rawHeaders });
  expect(added('Content-MD5', md5)).toMatchObject({ added: ['x-object-content-md5', md5] });
  expect(added('content-md5', md5, 'Content-MD5', md5)).toMatchObject({
    added: ['x-object-content-md5', 'several'],
  });
  expect(added()).not.toHaveProperty('added');
});

describe('bodies', () => {
  const limit = LIMITS.inlineUploadBytes;

  test.each([0, 1, limit - 1, limit])('of %d bytes are accepted', (length) => {
    const rawHeaders = ['Content-Length', String(length)];
    expect(ask({ method: 'PUT', rawHeaders })).toMatchObject({ kind: 'request' });
  });

  test.each([
    String(limit + 1),
    '10485761',
    '99999999999999999999',
    '1e9',
    'Infinity',
    '5, 5',
    'NaN',
    'abc',
  ])('of %s bytes are refused with an error in the format of the interface', (length) => {
    const response = ask({ method: 'PUT', rawHeaders: ['Content-Length', length] });
    if (response.kind !== 'response') throw new Error('accepted');
    expect(response.status).toBe(413);
    expect(response.headers).toEqual([
      'content-type',
      'application/json',
      'cache-control',
      'no-store',
    ]);
    expect(JSON.parse(response.body)).toEqual({
      error: {
        code: 'payload_too_large',
        message: expect.stringContaining('POST /api/v2/storage/signed-url'),
        request_id: 'an-id',
      },
    });
  });

  test('above the limit are refused in a handshake too', () => {
    const rawHeaders = [...KEY, 'Content-Length', String(limit + 1)];
    expect(ask({ uri: SYNC, rawHeaders })).toMatchObject({ kind: 'response', status: 413 });
  });

  test('without Content-Length are accepted, because the REST API checks their size', () => {
    const rawHeaders = ['Transfer-Encoding', 'chunked'];
    expect(ask({ method: 'PUT', rawHeaders })).toMatchObject({ kind: 'request' });
  });
});

// That a function may select the origin of the behaviour itself is not documented.
test.each(['/', '/s/abc', '/api/v2/storage/buckets', '/api/v2/storage/objects/photos/a%20b%2Fc'])(
  'a request for %s is left to the origin of its behaviour',
  (uri) => {
    expect(ask({ uri })).toEqual({ kind: 'request', uri });
  },
);

test('every other request is sent to the REST API unchanged', () => {
  const parts = fc.constantFrom('api', 'v2', 'storage', 'sync', '%73ync', '.', '..', '%2e', '');
  const path = fc.array(parts, { maxLength: 8 }).map((segments) => segments.join('/'));
  const odd = fc.string({ unit: 'grapheme', maxLength: 20 });
  const text = fc.oneof(odd, path);
  const header = fc.tuple(fc.stringMatching(/^[\w-]{1,12}$/), text);
  fc.assert(
    fc.property(
      text.map((rest) => `/${rest}`),
      fc.option(text, { nil: undefined }),
      fc.array(header, { maxLength: 8 }),
      (uri, query, headers) => {
        const rawHeaders = headers.flat();
        fc.pre(!headers.some(([name]) => name.toLowerCase() === 'content-length'));
        const result = ask({ uri, query, rawHeaders });
        expect(result).toMatchObject({ kind: 'request', uri });
        expect(reached(result, { uri })).toBe('rest');
      },
    ),
  );
});
