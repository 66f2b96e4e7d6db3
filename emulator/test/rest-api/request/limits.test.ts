import { allow } from '../functions';
import { serve } from '../service';
import { BASE, changed, gatewayResponse } from '../stack';
import { dial, exchange, parseResponse, send, untilClosed, untilText } from '../wire';

const ok = () => ({ statusCode: 200, body: 'ok' });
const TOO_LARGE = 'HTTP content length exceeded 10485760 bytes.';
const PAYLOAD = 10_485_760;
// Gateway responses of the template do not apply before a request reaches the API.
const TEAPOT = {
  ...BASE,
  A: gatewayResponse('DEFAULT_4XX', { StatusCode: '418' }),
  B: gatewayResponse('REQUEST_TOO_LARGE', { StatusCode: '418' }),
};

describe('gateway', () => {
  test('accepts a URL of 10,240 characters, and returns 414 for a longer one', async () => {
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

  test('accepts 10,240 bytes of headers, and returns 431 for more', async () => {
    const { port } = await serve({ api: ok }, { resources: TEAPOT });
    const own = 'Host: x\r\nConnection: close\r\nX: \r\n'.length;
    const line = (bytes: number) => [`X: ${'y'.repeat(bytes - own)}`];
    expect((await send(port, 'GET /open/x', line(10_240))).status).toBe(200);
    expect((await send(port, 'GET /open/x', line(10_241))).status).toBe(431);
  });

  test('returns 431 for headers above the limit of the parser', async () => {
    const { port } = await serve({ api: ok });
    const response = await send(port, 'GET /open/x', [`X: ${'y'.repeat(40_000)}`]);
    expect(response.status).toBe(431);
    expect(response.header('x-amzn-RequestId')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('refuses a body whose Content-Length is above 10 MB before it reads the body, in plain text', async () => {
    const { port, invoked } = await serve({ api: ok }, { resources: TEAPOT });
    const socket = await dial(port);
    socket.write(`PUT /open/x HTTP/1.1\r\nHost: x\r\nContent-Length: ${PAYLOAD + 1}\r\n\r\nfirst`);
    const seen = await untilText(socket, TOO_LARGE);
    const response = parseResponse(Buffer.from(seen, 'latin1'));
    expect(response).toMatchObject({ status: 413, text: TOO_LARGE });
    expect(response.header('content-type')).toBe('text/plain; charset=utf-8');
    expect(response.header('connection')).toBe('close');
    socket.destroy();
    expect(invoked.calls('api')).toEqual([]);
  });

  test('reads the rest of a refused body, so that the client receives the response', async () => {
    const { port } = await serve({ api: ok });
    const response = await exchange(
      port,
      `PUT /open/x HTTP/1.1\r\nHost: x\r\nContent-Length: ${PAYLOAD + 1}\r\n\r\n`,
      Buffer.alloc(PAYLOAD + 1),
    );
    expect(response).toMatchObject({ status: 413, text: TOO_LARGE, complete: true });
  });

  test('closes the connection of a client that does not finish a refused body', async () => {
    const { port } = await serve({ api: ok }, { bounds: { lingerMs: 30 } });
    const socket = await dial(port);
    socket.write(`PUT /open/x HTTP/1.1\r\nHost: x\r\nContent-Length: ${PAYLOAD + 1}\r\n\r\n`);
    expect(parseResponse(await untilClosed(socket)).status).toBe(413);
  });

  test('refuses a chunked body as soon as it exceeds 10 MB', async () => {
    const { port, invoked } = await serve({ api: ok }, { resources: TEAPOT });
    const socket = await dial(port);
    socket.write('PUT /open/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
    const response = untilText(socket, TOO_LARGE);
    const chunk = Buffer.concat([
      Buffer.from('100000\r\n'),
      Buffer.alloc(0x100000),
      Buffer.from('\r\n'),
    ]);
    // Eleven MiB where ten are allowed. The body has no last chunk.
    for (let i = 0; i < 11; i++) socket.write(chunk);
    expect(parseResponse(Buffer.from(await response, 'latin1'))).toMatchObject({ status: 413 });
    expect(invoked.calls('api')).toEqual([]);
  });

  test.each<[string, string[], Buffer | string, number]>([
    ['binary that fits when encoded', ['*/*'], Buffer.alloc(4_717_000), 200],
    ['binary that does not fit when encoded', ['*/*'], Buffer.alloc(4_720_000), 413],
    ['text that fits', [], 'x'.repeat(6_289_000), 200],
    ['text that does not fit', [], 'x'.repeat(6_291_456), 413],
    ['text that grows by its escapes', [], '"'.repeat(3_146_000), 413],
    ['10 MB exactly', ['*/*'], Buffer.alloc(PAYLOAD), 413],
  ])('limits the size of the Lambda event for %s', async (_, types, body, status) => {
    const { port, invoked } = await serve(
      { api: ok },
      { resources: changed('Api', { BinaryMediaTypes: types }) },
    );
    const response = await send(port, 'PUT /open/x', [], body);
    expect(response.status).toBe(status);
    if (status === 200) {
      expect(Buffer.byteLength(invoked.calls('api')[0] ?? '')).toBeLessThan(6_291_456);
    } else {
      expect(response.text).toBe('{"message":"Request Too Long"}');
      expect(response.header('x-amzn-ErrorType')).toBe('BadRequestException');
    }
  });

  test('uses the gateway response of the template for an event that is too large', async () => {
    const { port } = await serve({ api: ok }, { resources: TEAPOT });
    expect((await send(port, 'PUT /open/x', [], Buffer.alloc(5_000_000))).status).toBe(418);
  });
});

describe('request with Expect: 100-continue', () => {
  const head = (path: string, length: number) =>
    `PUT ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;

  test('receives 100 (Continue) before its body is read, and the event has no Expect header', async () => {
    const { port, invoked } = await serve({ api: ok });
    const socket = await dial(port);
    socket.write(head('/open/x', 4));
    await untilText(socket, 'HTTP/1.1 100 Continue\r\n\r\n');
    socket.write('body');
    expect(parseResponse(await untilClosed(socket)).text).toBe('ok');
    expect(invoked.lastEvent().headers).not.toHaveProperty('Expect');
    expect(invoked.lastEvent().body).toBe('Ym9keQ==');
  });

  test.each<[string, string, number, number]>([
    ['a body that is too large', '/open/x', PAYLOAD + 1, 413],
    ['an unknown path', '/nope', 4, 403],
    ['a missing token', '/closed/x', 4, 401],
  ])('receives no 100 (Continue) for %s', async (_, path, length, status) => {
    const { port } = await serve({ api: ok, authorizer: () => allow() });
    // `exchange` returns the first response, which would be the 100.
    expect((await exchange(port, head(path, length))).status).toBe(status);
  });

  test('receives 417 when Expect has another value', async () => {
    const { port } = await serve({ api: ok });
    expect((await send(port, 'GET /open/x', ['Expect: miracle'])).status).toBe(417);
  });
});
