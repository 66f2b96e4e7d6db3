import { once } from 'node:events';
import type { Socket } from 'node:net';
import { UserError } from '../../src/errors/user-error';
import { deferred } from '../../src/runtime/deferred';
import { startRestApi } from '../../src/services/rest-api/rest-api';
import { allow, functions } from './functions';
import { serve } from './service';
import { BASE, changed, stackOf } from './stack';
import {
  dial,
  exchange,
  parseResponse,
  type RawResponse,
  send,
  untilClosed,
  untilText,
} from './wire';

const ok = () => ({ statusCode: 200, body: 'ok' });

describe('connection', () => {
  const request = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;

  test('stays open after responses and errors', async () => {
    const { port, invoked } = await serve({ api: ok });
    const socket = await dial(port);
    for (const path of ['/open/a', '/nope', '/open/b']) {
      socket.write(request(path));
      await untilText(socket, path === '/nope' ? 'Token"}' : 'ok');
    }
    expect(invoked.calls('api')).toHaveLength(2);
  });

  test('stays open when the gateway refuses a request before the end of its body', async () => {
    const { port } = await serve({ api: ok });
    const socket = await dial(port);
    socket.write('PUT /nope HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n');
    await untilText(socket, 'Token"}');
    socket.write(Buffer.alloc(100_000));
    socket.write(request('/open/x'));
    expect(await untilText(socket, 'ok')).toContain('200 OK');
  });

  test('serves pipelined requests in order, one at a time', async () => {
    let running = 0;
    let most = 0;
    const api = async (payload: string) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return { body: `<${JSON.parse(payload).pathParameters.proxy}>` };
    };
    const { port } = await serve({ api });
    const paths = Array.from({ length: 20 }, (_, i) => `/open/${i}`);
    const socket = await dial(port);
    socket.write(
      paths
        .map((path) => request(path, path.endsWith('/19') ? 'Connection: close\r\n' : ''))
        .join(''),
    );
    let bytes = await untilClosed(socket);
    const texts: string[] = [];
    while (bytes.length > 0) {
      const response: RawResponse = parseResponse(bytes);
      texts.push(response.text);
      bytes = response.rest;
    }
    expect(texts).toEqual(paths.map((_, i) => `<${i}>`));
    expect(most).toBe(1);
  });

  test.each<[string, string, number]>([
    ['bytes that are not HTTP', 'hello\r\n\r\n', 400],
    ['a request without Host', 'GET /open/x HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['two Hosts', 'GET /open/x HTTP/1.1\r\nHost: x\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
    ['HTTP/2.0', 'GET /open/x HTTP/2.0\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
    ['HTTP/0.9', 'GET /open/x HTTP/0.9\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
    ['HTTP/1.2', 'GET /open/x HTTP/1.2\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
    ['HTTP/1.0', 'GET /open/x HTTP/1.0\r\nHost: x\r\n\r\n', 200],
    [
      'two lengths',
      'PUT /open/x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      400,
    ],
    [
      'a length together with chunks',
      'PUT /open/x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    [
      'an unknown transfer coding',
      'PUT /open/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n',
      400,
    ],
    [
      'a broken chunk',
      'PUT /open/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
    ],
    [
      'a folded header',
      'GET /open/x HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\nConnection: close\r\n\r\n',
      400,
    ],
    ['a bare line feed in a header', 'GET /open/x HTTP/1.1\r\nHost: x\r\nA: b\nc\r\n\r\n', 400],
    ['a space in the path', 'GET /open/a b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
    [
      'bytes beyond ASCII in the path',
      'GET /open/é HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      400,
    ],
    ['a fragment', 'GET /open/x#y HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
    ['absolute form', 'GET http://x/open/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
    ['asterisk form', 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
    ['a broken query', 'GET /open/x?a=%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
    [
      'an upgrade, which is ignored',
      'GET /open/x HTTP/1.1\r\nHost: x\r\nConnection: close, Upgrade\r\nUpgrade: websocket\r\n\r\n',
      200,
    ],
  ])('receives the status of the gateway for %s', async (_, bytes, status) => {
    const { port, invoked } = await serve({ api: ok });
    expect((await exchange(port, bytes)).status).toBe(status);
    expect(invoked.calls('api')).toHaveLength(status === 200 ? 1 : 0);
  });

  test('invokes no function when it closes within a body, and the next request succeeds', async () => {
    const { port, invoked } = await serve({ api: ok });
    const socket = await dial(port);
    socket.write('PUT /open/x HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf');
    socket.destroy();
    expect((await send(port, 'GET /open/x')).status).toBe(200);
    expect(invoked.calls('api')).toHaveLength(1);
  });

  test('does not invoke the function when it closes while the authorizer runs', async () => {
    const [gate, started, settled] = [deferred<void>(), deferred<void>(), deferred<void>()];
    const { port, invoked } = await serve(
      {
        api: ok,
        authorizer: async () => {
          started.resolve();
          await gate.value;
          return allow();
        },
      },
      {
        resources: changed('Stage', {
          AccessLogSetting: { DestinationArn: 'arn', Format: '$context.httpMethod' },
        }),
        accessLog: (line) => line === 'PUT' && settled.resolve(),
      },
    );
    const socket = await dial(port);
    const head =
      'PUT /closed/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\nContent-Length: 10';
    socket.write(`${head}\r\n\r\nhalf`);
    await started.value;
    socket.destroy();
    // A response to a later request shows that the server has seen the close.
    await send(port, 'GET /nope');
    gate.resolve();
    await settled.value;
    expect(invoked.calls('api')).toEqual([]);
  });

  test('does not affect the next request when it closes before its response', async () => {
    const [late, invocation] = [deferred<unknown>(), deferred<void>()];
    const { port, invoked } = await serve({
      api: () => {
        invocation.resolve();
        return invoked.calls('api').length === 1 ? late.value : ok();
      },
    });
    const socket: Socket = await dial(port);
    socket.write(request('/open/x'));
    await invocation.value;
    socket.destroy();
    late.resolve(ok());
    expect((await send(port, 'GET /open/x')).status).toBe(200);
  });
});

describe('server', () => {
  const bounds = { headersMs: 40, requestMs: 80, checkEveryMs: 10 };

  test.each<[string, string]>([
    ['headers', 'GET /open/x HTTP/1.1\r\nHost: x\r\nA: '],
    ['a body', 'PUT /open/x HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf'],
  ])('closes the connection of a client that does not finish %s', async (_, bytes) => {
    const { port, invoked } = await serve({ api: ok }, { bounds });
    const socket = await dial(port);
    const closed = untilClosed(socket);
    socket.write(bytes);
    const drip = setInterval(() => socket.write('x'), 20);
    const response = (await closed).toString('latin1');
    clearInterval(drip);
    expect(response.split('\r\n')[0]).toBe('HTTP/1.1 408 Request Timeout');
    expect(invoked.calls('api')).toEqual([]);
  });

  test('closes the connection of a client that sends nothing', async () => {
    const { port } = await serve({ api: ok }, { bounds: { idleConnectionMs: 30 } });
    const socket = await dial(port);
    await untilClosed(socket);
  });
});

describe('startRestApi', () => {
  test('rejects with UserError when the port is taken', async () => {
    const { port } = await serve({ api: ok });
    const second = startRestApi({ stack: stackOf(BASE), invoker: functions({}), port });
    await expect(second).rejects.toThrow(UserError);
    await expect(second).rejects.toThrow(`port ${port} for the REST API is taken`);
  });

  test('returns an API that closes idle and busy connections when it stops, and may stop twice', async () => {
    const invocation = deferred<void>();
    const { api, port } = await serve({
      api: () => {
        invocation.resolve();
        return new Promise(() => {});
      },
    });
    const idle = await dial(port);
    const busy = await dial(port);
    const closed = [once(idle, 'close'), once(busy, 'close')];
    idle.resume();
    busy.resume();
    busy.write('GET /open/x HTTP/1.1\r\nHost: x\r\n\r\n');
    await invocation.value;
    await api.stop();
    await Promise.all(closed);
    await api.stop();
    await expect(dial(port)).rejects.toThrow('ECONNREFUSED');
  });
});
