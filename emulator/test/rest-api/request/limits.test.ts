import { allow } from '../functions';
import { serve } from '../service';
import { BASE, changed, gatewayResponse } from '../stack';
import { dial, exchange, parseAnswer, send, untilClosed, untilText } from '../wire';

const ok = () => ({ statusCode: 200, body: 'ok' });
const TOO_LARGE = 'HTTP content length exceeded 10485760 bytes.';
const PAYLOAD = 10_485_760;
// A template does not change responses that precede the API.
const TEAPOT = {
  ...BASE,
  A: gatewayResponse('DEFAULT_4XX', { StatusCode: '418' }),
  B: gatewayResponse('REQUEST_TOO_LARGE', { StatusCode: '418' }),
};

describe('the gateway', () => {
  test('accepts a URL of 10,240 characters, and responds 414 to a longer one', async () => {
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

  test('accepts 10,240 bytes of headers, and responds 431 to more', async () => {
    const { port } = await serve({ api: ok }, { resources: TEAPOT });
    const own = 'Host: x\r\nConnection: close\r\nX: \r\n'.length;
    const line = (bytes: number) => [`X: ${'y'.repeat(bytes - own)}`];
    expect((await send(port, 'GET /open/x', line(10_240))).status).toBe(200);
    expect((await send(port, 'GET /open/x', line(10_241))).status).toBe(431);
  });

  test('responds 431 to headers above the limit of the parser', async () => {
    const { port } = await serve({ api: ok });
    const answer = await send(port, 'GET /open/x', [`X: ${'y'.repeat(40_000)}`]);
    expect(answer.status).toBe(431);
    expect(answer.header('x-amzn-RequestId')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('refuses a body announced above 10 MB before reading it, in plain text', async () => {
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

  test('reads the rest of a refused body, so that the client sees the refusal', async () => {
    const { port } = await serve({ api: ok });
    const answer = await exchange(
      port,
      `PUT /open/x HTTP/1.1\r\nHost: x\r\nContent-Length: ${PAYLOAD + 1}\r\n\r\n`,
      Buffer.alloc(PAYLOAD + 1),
    );
    expect(answer).toMatchObject({ status: 413, text: TOO_LARGE, complete: true });
  });

  test('cuts a client that never finishes a refused body', async () => {
    const { port } = await serve({ api: ok }, { bounds: { lingerMs: 30 } });
    const socket = await dial(port);
    socket.write(`PUT /open/x HTTP/1.1\r\nHost: x\r\nContent-Length: ${PAYLOAD + 1}\r\n\r\n`);
    expect(parseAnswer(await untilClosed(socket)).status).toBe(413);
  });

  test('refuses a chunked body as soon as it exceeds 10 MB', async () => {
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
  ])('limits the Lambda event: %s', async (_, types, body, status) => {
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

  test('uses the gateway response of the template for an event that is too large', async () => {
    const { port } = await serve({ api: ok }, { resources: TEAPOT });
    expect((await send(port, 'PUT /open/x', [], Buffer.alloc(5_000_000))).status).toBe(418);
  });
});

describe('Expect: 100-continue', () => {
  const head = (path: string, length: number) =>
    `PUT ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;

  test('gets 100 Continue before the body is read, and is hidden from the function', async () => {
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
  ])('gets no 100 Continue for %s', async (_, path, length, status) => {
    const { port } = await serve({ api: ok, authorizer: () => allow() });
    // parseAnswer would take a 100 for the answer.
    expect((await exchange(port, head(path, length))).status).toBe(status);
  });

  test('with another value gets 417', async () => {
    const { port } = await serve({ api: ok });
    expect((await send(port, 'GET /open/x', ['Expect: miracle'])).status).toBe(417);
  });
});
