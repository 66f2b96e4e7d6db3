/** Requests to the REST API through the distribution. */
import { normalized } from '../../src/services/edge/edge';
import { dial, send, untilClosed, untilText } from '../rest-api/wire';
import { serveBehindEdge } from './service';
import { behindEdge } from './stack';

const start = (parts: Parameters<typeof behindEdge>[0] = {}, headers = {}) =>
  serveBehindEdge(behindEdge(parts), { api: () => ({ statusCode: 200, headers, body: 'ok' }) });

const function_ = (body: string) =>
  `import cf from 'cloudfront';\nfunction handler(event) { const request = event.request; ${body} }`;

describe('a request that passes', () => {
  test.each([
    '/open/a%2Fb/%E2%82%AC/+?x=1&x=2&y&z=%20',
    '/open//a/./b/../c',
    '/open/%2e%2e/x',
    '/open/__proto__?constructor=1&__proto__=2',
  ])('reaches the API byte for byte: %s', async (target) => {
    const { port, invoked } = await start();
    const response = await send(port, `GET ${target}`);
    expect(response.status).toBe(200);
    expect(invoked.lastEvent().path).toBe(target.split('?')[0]);
  });

  test('reaches the API with its Authorization and body', async () => {
    const { port, invoked } = await start();
    await send(port, 'PUT /open/a', ['Authorization: Bearer x'], 'body');
    const { headers, body } = invoked.lastEvent();
    expect(headers.Authorization).toBe('Bearer x');
    expect(Buffer.from(body ?? '', 'base64').toString()).toBe('body');
  });

  test('gets security headers in place of the headers of the function, except its policy', async () => {
    const own = {
      'x-frame-options': 'SAMEORIGIN',
      'content-security-policy': "default-src 'self'",
    };
    const { port } = await start({}, own);
    const response = await send(port, 'GET /open/a');
    expect(response.all('x-frame-options')).toEqual(['DENY']);
    expect(response.all('content-security-policy')).toEqual(["default-src 'self'"]);
    expect(response.header('x-content-type-options')).toBe('nosniff');
    expect(response.header('referrer-policy')).toBe('no-referrer');
    expect(response.header('strict-transport-security')).toBe('max-age=31536000');
  });

  test('gets security headers when the gateway refuses it', async () => {
    const { port } = await start();
    const response = await send(port, 'GET /nothing');
    expect(response.status).toBe(403);
    expect(response.header('content-security-policy')).toBe("default-src 'none'");
  });
});

describe('a policy with CORS', () => {
  const PAGE = 'https://app.example.com';
  const cors = (origins: readonly string[]) => ({
    headers: {
      CorsConfig: {
        AccessControlAllowCredentials: false,
        AccessControlAllowHeaders: { Items: ['*'] },
        AccessControlAllowMethods: { Items: ['GET'] },
        AccessControlAllowOrigins: { Items: origins },
        AccessControlExposeHeaders: { Items: ['*'] },
        OriginOverride: false,
      },
    },
  });
  const allowed = async (line: string, headers: readonly string[], origins = [PAGE], own = {}) => {
    const { port } = await start(cors(origins), own);
    const response = await send(port, line, headers);
    return response.all('access-control-allow-origin');
  };

  test.each(['GET /open/a', 'GET /nothing', 'GET /open/a?x=1'])(
    'lets a page of a listed origin read the response to %s, and no other page',
    async (line) => {
      expect(await allowed(line, [`Origin: ${PAGE}`])).toEqual([PAGE]);
      expect(await allowed(line, ['Origin: https://other.example'])).toEqual([]);
      expect(await allowed(line, [])).toEqual([]);
      expect(await allowed(line, ['Origin: null'], ['*'])).toEqual(['*']);
    },
  );

  test('leaves a response with such headers as it is', async () => {
    const own = { 'access-control-allow-origin': 'https://own.example' };
    const given = await allowed('GET /open/a', [`Origin: ${PAGE}`], [PAGE], own);
    expect(given).toEqual(['https://own.example']);
  });

  test.each([
    ['a pattern', ['https://*.example.com']],
    ["'*' among others", ['*', PAGE]],
    ['nothing', []],
  ])('with %s is refused', async (_what, origins) => {
    await expect(start(cors(origins))).rejects.toThrow(/AccessControlAllowOrigins must be whole/);
  });
});

describe('CloudFront refuses', () => {
  test.each([
    ['a GET with a body', 'GET /open/a', 403, 'x'],
    ['a method that is not allowed', 'TRACE /open/a', 403, ''],
    ['a URL above its quota', `GET /open/${'a'.repeat(8192)}`, 414, ''],
    ['a target that is not a path', 'OPTIONS *', 400, ''],
    ['an absolute target', 'GET http://evil.example/open/a', 400, ''],
  ])('%s', async (_what, line, status, body) => {
    const { port, invoked } = await start();
    const response = await send(port, line, [], body);
    expect(response.status).toBe(status);
    expect(response.header('content-type')).toBe('text/html');
    expect(response.header('x-amz-cf-id')).toMatch(/^[\w-]{56}$/);
    expect(invoked.calls('api')).toHaveLength(0);
  });
});

describe('the function', () => {
  test('adds headers to those that the client sent', async () => {
    const code = function_("request.headers['x-added'] = { value: 'yes' }; return request;");
    const { port, invoked } = await start({ code });
    await send(port, 'GET /open/a', ['X-Sent: as well']);
    expect(invoked.lastEvent().headers).toMatchObject({ 'x-added': 'yes', 'X-Sent': 'as well' });
  });

  test('responds in place of the API, without waiting for the rest of a large body', async () => {
    const code = function_(
      "return { statusCode: 413, headers: { 'content-type': { value: 'application/json' } }, body: { encoding: 'text', data: event.context.requestId } };",
    );
    const { port, invoked } = await start({ code });
    const socket = await dial(port);
    socket.write('PUT /open/a HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\nbegin');
    const text = await untilText(socket, '\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    const id = /X-Amz-Cf-Id: (\S+)/.exec(text)?.[1];
    expect(text + (await untilClosed(socket)).toString()).toContain(`\r\n\r\n${id}`);
    expect(invoked.calls('api')).toHaveLength(0);
  });

  test('responds to HEAD without the body', async () => {
    const { port } = await start({
      code: function_("return { statusCode: 400, body: 'words' };"),
    });
    const response = await send(port, 'HEAD /open/a');
    expect([response.status, response.text, response.header('content-length')]).toEqual([
      400,
      '',
      '5',
    ]);
  });

  test('changes the path of a request', async () => {
    const code = function_("request.uri = '/open/other'; return request;");
    const { port, invoked } = await start({ code });
    await send(port, 'GET /nothing?a=1');
    expect(invoked.lastEvent()).toMatchObject({
      path: '/open/other',
      queryStringParameters: { a: '1' },
    });
  });

  test('gets the path as sent, although the behaviour is chosen by the normalized path', async () => {
    const { port, invoked } = await start({ code: function_('return request;') });
    const response = await send(port, 'GET /open/x/../sync');
    // The behaviour's own origin is the channel, which serves nothing but upgrades.
    expect([response.status, response.text]).toEqual([403, '{"message":"Forbidden"}']);
    expect(invoked.calls('api')).toHaveLength(0);
    expect((await send(port, 'GET /open/sync/x')).status).toBe(200);
  });

  test.each([
    ['throws', "throw new Error('broken');"],
    ['returns nothing', ''],
    ['returns a promise', 'return Promise.resolve(request);'],
    ['selects an unknown origin', "cf.selectRequestOriginById('x'); return request;"],
    ['adds a reserved header', "request.headers.via = { value: 'b' }; return request;"],
    ['changes a header', "request.headers.host = { value: 'b' }; return request;"],
    ['removes a header', 'delete request.headers.host; return request;'],
    ['changes the query', "request.querystring = { a: { value: '1' } }; return request;"],
    ['changes the method', "request.method = 'PUT'; return request;"],
    ['returns an invalid URI', "request.uri = 'x'; return request;"],
    ['returns an invalid status', 'return { statusCode: 99 };'],
    [
      'returns an invalid header',
      "return { statusCode: 200, headers: { 'X-A': { value: '1' } } };",
    ],
    [
      'returns an invalid body',
      'return { statusCode: 200, body: { encoding: "base64", data: "x" } };',
    ],
    ['accesses this process', "return this.constructor.constructor('return process')();"],
    ['requires a module', "return require('node:fs');"],
  ])('that %s causes a 503, with the reason in the log', async (_what, body) => {
    const { port, invoked, log } = await start({ code: function_(body) });
    const response = await send(port, 'GET /open/a');
    expect(response.status).toBe(503);
    expect(log).toEqual([expect.stringMatching(/^\([\w-]+\) edge: ./)]);
    expect(invoked.calls('api')).toHaveLength(0);
  });

  test('keeps no state for the next request', async () => {
    const code = function_(
      "if (request.uri === '/open/b') cf.selectRequestOriginById('sync'); return request;",
    );
    const { port } = await start({ code });
    expect((await send(port, 'GET /open/b')).status).toBe(403);
    expect((await send(port, 'GET /open/a')).status).toBe(200);
  });
});

test('requests of one connection get their responses in order', async () => {
  const { port } = await start();
  const socket = await dial(port);
  const line = (target: string) => `GET ${target} HTTP/1.1\r\nHost: x\r\n`;
  socket.write(`${line('/open/a')}\r\n${line('*')}\r\n${line('/open/b')}Connection: close\r\n\r\n`);
  const statuses = (await untilClosed(socket)).toString().match(/HTTP\/1\.1 \d+/g);
  expect(statuses).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400', 'HTTP/1.1 200']);
});

test.each([
  ['/', '/'],
  ['//', '/'],
  ['/a/b', '/a/b'],
  ['/a//b', '/a/b'],
  ['/a/./b/', '/a/b/'],
  ['/a/x/../b', '/a/b'],
  ['/../../a', '/a'],
  ['/a/..', '/'],
  ['/a/b/.', '/a/b/'],
  ['/%61%2Fb', '/a%2Fb'],
  ['/a/%2e%2e/b', '/b'],
  ['/%zz%', '/%zz%'],
])('the path %s is normalized to %s', (path, normal) => {
  expect(normalized(path)).toBe(normal);
});
