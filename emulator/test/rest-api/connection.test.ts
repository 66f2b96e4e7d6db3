import { once } from 'node:events';
import type { Socket } from 'node:net';
import { startRestApi } from '../../src/services/rest-api/rest-api';
import { UserError } from '../../src/user-error';
import { allow, functions } from './functions';
import { serve } from './service';
import { BASE, changed, gatewayResponse, stackOf } from './stack';
import { type Answer, dial, exchange, parseAnswer, send, untilClosed, untilText } from './wire';

const ok = () => ({ statusCode: 200, body: 'ok' });
const TOO_LARGE = 'HTTP content length exceeded 10485760 bytes.';
const PAYLOAD = 10_485_760;
// What a template may say changes none of the answers that come before the API.
const TEAPOT = {
  ...BASE,
  A: gatewayResponse('DEFAULT_4XX', { StatusCode: '418' }),
  B: gatewayResponse('REQUEST_TOO_LARGE', { StatusCode: '418' }),
};

describe('sizes', () => {
  test('a URL of 10,240 characters passes, one more is 414', async () => {
    const { port, invoked } = await serve({ api: ok });
    const path = `/open/${'x'.repeat(10_240 - '/open/'.length)}`;
    expect((await send(port, `GET ${path}`)).status).toBe(200);
    expect(invoked.lastEvent().path).toBe(path);
    expect(await send(port, `GET ${path}x`)).toMatchObject({
      status: 414,
      text: 'Request-URI Too Long',
    });
    expect((await send(port, `GET /open/a?${'x'.repeat(10_240)}`)).status).toBe(414);
  });

  test('10,240 bytes of headers pass, one more is 431', async () => {
    const { port } = await serve({ api: ok }, { resources: TEAPOT });
    const own = 'Host: x\r\nConnection: close\r\nX: \r\n'.length;
    const line = (bytes: number) => [`X: ${'y'.repeat(bytes - own)}`];
    expect((await send(port, 'GET /open/x', line(10_240))).status).toBe(200);
    expect((await send(port, 'GET /open/x', line(10_241))).status).toBe(431);
  });

  test('headers beyond what is read at all are 431 too', async () => {
    const { port } = await serve({ api: ok });
    const answer = await send(port, 'GET /open/x', [`X: ${'y'.repeat(40_000)}`]);
    expect(answer.status).toBe(431);
    expect(answer.header('x-amzn-RequestId')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('a body announced above 10 MB is refused before it is read, in plain text', async () => {
    const { port, invoked } = await serve({ api: ok }, { resources: TEAPOT });
    const socket = await dial(port);
    socket.write(`PUT /open/x HTTP/1.1\r\nHost: x\r\nContent-Length: ${PAYLOAD + 1}\r\n\r\nfirst`);
    const seen = await untilText(socket, TOO_LARGE);
    const answer = parseAnswer(Buffer.from(seen, 'latin1'));
    expect(answer).toMatchObject({ status: 413, text: TOO_LARGE });
    expect(answer.header('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.header('connection')).toBe('close');
    socket.destroy();
    expect(invoked.calls('api')).toEqual([]);
  });

  test('a client that sends all of a refused body still sees the refusal', async () => {
    const { port } = await serve({ api: ok });
    const answer = await exchange(
      port,
      `PUT /open/x HTTP/1.1\r\nHost: x\r\nContent-Length: ${PAYLOAD + 1}\r\n\r\n`,
      Buffer.alloc(PAYLOAD + 1),
    );
    expect(answer).toMatchObject({ status: 413, text: TOO_LARGE, complete: true });
  });

  test('a client that never finishes a refused body is cut off', async () => {
    const { port } = await serve({ api: ok }, { bounds: { lingerMs: 30 } });
    const socket = await dial(port);
    socket.write(`PUT /open/x HTTP/1.1\r\nHost: x\r\nContent-Length: ${PAYLOAD + 1}\r\n\r\n`);
    expect(parseAnswer(await untilClosed(socket)).status).toBe(413);
  });

  test('a chunked body that grows above 10 MB is refused on the way', async () => {
    const { port, invoked } = await serve({ api: ok }, { resources: TEAPOT });
    const socket = await dial(port);
    socket.write('PUT /open/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
    const answered = untilText(socket, TOO_LARGE);
    const chunk = Buffer.concat([
      Buffer.from('100000\r\n'),
      Buffer.alloc(0x100000),
      Buffer.from('\r\n'),
    ]);
    // Eleven of ten; the body is never ended.
    for (let i = 0; i < 11; i++) socket.write(chunk);
    expect(parseAnswer(Buffer.from(await answered, 'latin1'))).toMatchObject({ status: 413 });
    expect(invoked.calls('api')).toEqual([]);
  });

  test.each<[string, string[], Buffer | string, number]>([
    ['binary that fits when encoded', ['*/*'], Buffer.alloc(4_717_000), 200],
    ['binary that does not', ['*/*'], Buffer.alloc(4_720_000), 413],
    ['text that fits', [], 'x'.repeat(6_289_000), 200],
    ['text that does not', [], 'x'.repeat(6_291_456), 413],
    ['text that grows by its escapes', [], '"'.repeat(3_146_000), 413],
    ['10 MB exactly', ['*/*'], Buffer.alloc(PAYLOAD), 413],
  ])('%s in a Lambda event', async (_, types, body, status) => {
    const { port, invoked } = await serve(
      { api: ok },
      { resources: changed('Api', { BinaryMediaTypes: types }) },
    );
    const answer = await send(port, 'PUT /open/x', [], body);
    expect(answer.status).toBe(status);
    if (status === 200) {
      expect(Buffer.byteLength(invoked.calls('api')[0] ?? '')).toBeLessThan(6_291_456);
    } else {
      expect(answer.text).toBe('{"message":"Request Too Long"}');
      expect(answer.header('x-amzn-ErrorType')).toBe('BadRequestException');
    }
  });

  test('an event that is too large can be answered in the shape of the template', async () => {
    const { port } = await serve({ api: ok }, { resources: TEAPOT });
    expect((await send(port, 'PUT /open/x', [], Buffer.alloc(5_000_000))).status).toBe(418);
  });
});

describe('Expect: 100-continue', () => {
  const head = (path: string, length: number) =>
    `PUT ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;

  test('is answered when the body is wanted, and not shown to the function', async () => {
    const { port, invoked } = await serve({ api: ok });
    const socket = await dial(port);
    socket.write(head('/open/x', 4));
    await untilText(socket, 'HTTP/1.1 100 Continue\r\n\r\n');
    socket.write('body');
    expect(parseAnswer(await untilClosed(socket)).text).toBe('ok');
    expect(invoked.lastEvent().headers).not.toHaveProperty('Expect');
    expect(invoked.lastEvent().body).toBe('Ym9keQ==');
  });

  test.each<[string, string, number, number]>([
    ['a body that is too large', '/open/x', PAYLOAD + 1, 413],
    ['an unknown path', '/nope', 4, 403],
    ['a missing token', '/closed/x', 4, 401],
  ])('is not given for %s', async (_, path, length, status) => {
    const { port } = await serve({ api: ok, authorizer: () => allow() });
    // parseAnswer would take a 100 for the answer.
    expect((await exchange(port, head(path, length))).status).toBe(status);
  });

  test('another expectation is 417', async () => {
    const { port } = await serve({ api: ok });
    expect((await send(port, 'GET /open/x', ['Expect: miracle'])).status).toBe(417);
  });
});

describe('connections', () => {
  const request = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;

  test('are kept alive, also after errors', async () => {
    const { port, invoked } = await serve({ api: ok });
    const socket = await dial(port);
    for (const path of ['/open/a', '/nope', '/open/b']) {
      socket.write(request(path));
      await untilText(socket, path === '/nope' ? 'Token"}' : 'ok');
    }
    expect(invoked.calls('api')).toHaveLength(2);
  });

  test('are kept alive after a refusal whose body was still on its way', async () => {
    const { port } = await serve({ api: ok });
    const socket = await dial(port);
    socket.write('PUT /nope HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n');
    await untilText(socket, 'Token"}');
    socket.write(Buffer.alloc(100_000));
    socket.write(request('/open/x'));
    expect(await untilText(socket, 'ok')).toContain('200 OK');
  });

  test('with pipelined requests are served in order, one at a time', async () => {
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
      const answer: Answer = parseAnswer(bytes);
      texts.push(answer.text);
      bytes = answer.rest;
    }
    expect(texts).toEqual(paths.map((_, i) => `<${i}>`));
    expect(most).toBe(1);
  });

  test.each<[string, string, number]>([
    ['no HTTP', 'hello\r\n\r\n', 400],
    ['no Host', 'GET /open/x HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
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
      'a length beside chunks',
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
  ])('%s', async (_, bytes, status) => {
    const { port, invoked } = await serve({ api: ok });
    expect((await exchange(port, bytes)).status).toBe(status);
    expect(invoked.calls('api')).toHaveLength(status === 200 ? 1 : 0);
  });

  test('a client that goes away in the middle of its body invokes nothing and harms nobody', async () => {
    const { port, invoked } = await serve({ api: ok });
    const socket = await dial(port);
    socket.write('PUT /open/x HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf');
    socket.destroy();
    expect((await send(port, 'GET /open/x')).status).toBe(200);
    expect(invoked.calls('api')).toHaveLength(1);
  });

  test('a client that goes away while its authorizer is asked invokes nothing more', async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let asked = () => {};
    const started = new Promise<void>((resolve) => {
      asked = resolve;
    });
    let logged = () => {};
    const settled = new Promise<void>((resolve) => {
      logged = resolve;
    });
    const { port, invoked } = await serve(
      {
        api: ok,
        authorizer: async () => {
          asked();
          await gate;
          return allow();
        },
      },
      {
        resources: changed('Stage', {
          AccessLogSetting: { DestinationArn: 'arn', Format: '$context.httpMethod' },
        }),
        accessLog: (line) => line === 'PUT' && logged(),
      },
    );
    const socket = await dial(port);
    const head =
      'PUT /closed/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\nContent-Length: 10';
    socket.write(`${head}\r\n\r\nhalf`);
    await started;
    socket.destroy();
    // The server has noticed once it has answered a later client.
    await send(port, 'GET /nope');
    release();
    await settled;
    expect(invoked.calls('api')).toEqual([]);
  });

  test('a client that goes away before its answer harms nobody', async () => {
    let answer = (_: unknown) => {};
    const late = new Promise((resolve) => {
      answer = resolve;
    });
    let asked = () => {};
    const invocation = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const { port, invoked } = await serve({
      api: () => {
        asked();
        return invoked.calls('api').length === 1 ? late : ok();
      },
    });
    const socket: Socket = await dial(port);
    socket.write(request('/open/x'));
    await invocation;
    socket.destroy();
    answer(ok());
    expect((await send(port, 'GET /open/x')).status).toBe(200);
  });
});

describe('slow clients', () => {
  const bounds = { headersMs: 40, requestMs: 80, checkEveryMs: 10 };

  test.each<[string, string]>([
    ['headers', 'GET /open/x HTTP/1.1\r\nHost: x\r\nA: '],
    ['a body', 'PUT /open/x HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf'],
  ])('that do not finish %s are cut off', async (_, bytes) => {
    const { port, invoked } = await serve({ api: ok }, { bounds });
    const socket = await dial(port);
    const closed = untilClosed(socket);
    socket.write(bytes);
    const drip = setInterval(() => socket.write('x'), 20);
    const answer = (await closed).toString('latin1');
    clearInterval(drip);
    expect(answer.split('\r\n')[0]).toBe('HTTP/1.1 408 Request Timeout');
    expect(invoked.calls('api')).toEqual([]);
  });

  test('that say nothing at all are cut off', async () => {
    const { port } = await serve({ api: ok }, { bounds: { idleConnectionMs: 30 } });
    const socket = await dial(port);
    await untilClosed(socket);
  });
});

describe('start and stop', () => {
  test('a taken port is the user’s to mend', async () => {
    const { port } = await serve({ api: ok });
    const second = startRestApi({ stack: stackOf(BASE), invoker: functions({}), port });
    await expect(second).rejects.toThrow(UserError);
    await expect(second).rejects.toThrow(`port ${port} is taken`);
  });

  test('stop ends idle and busy connections, and may be called again', async () => {
    let asked = () => {};
    const invocation = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const { api, port } = await serve({
      api: () => {
        asked();
        return new Promise(() => {});
      },
    });
    const idle = await dial(port);
    const busy = await dial(port);
    const closed = [once(idle, 'close'), once(busy, 'close')];
    idle.resume();
    busy.resume();
    busy.write('GET /open/x HTTP/1.1\r\nHost: x\r\n\r\n');
    await invocation;
    await api.stop();
    await Promise.all(closed);
    await api.stop();
    await expect(dial(port)).rejects.toThrow('ECONNREFUSED');
  });
});
