import { PassThrough, Readable } from 'node:stream';
import { LambdaServiceError } from '../../../src/services/lambda/invoker';
import { createPreludeParser } from '../../../src/services/rest-api/response/streaming';
import { prelude, streamed } from '../functions';
import { serve } from '../service';
import { dial, exchange, send, untilText } from '../wire';

const NULS = '\0'.repeat(8);
const raw = (...chunks: (string | Buffer)[]) =>
  Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

describe('metadata of a streamed response', () => {
  test('is found wherever the chunks are split', () => {
    const whole = Buffer.from(`{"statusCode":201}${NULS}\0payload`);
    for (let cut = 1; cut < whole.length; cut++) {
      const parse = createPreludeParser();
      const chunks = [whole.subarray(0, cut), whole.subarray(cut)];
      let seen = '';
      for (const chunk of chunks) {
        if (seen === '') {
          const found = parse(chunk);
          if (found) seen = `${found.metadata}|${found.rest}`;
        } else {
          seen += chunk.toString();
        }
      }
      // The ninth NUL belongs to the payload.
      expect(seen).toBe('{"statusCode":201}|\0payload');
    }
  });

  test('is found when each chunk has one byte', () => {
    const parse = createPreludeParser();
    const bytes = [...Buffer.from(`{}${NULS}`)];
    const found = bytes.map((byte) => parse(Buffer.from([byte]))).filter(Boolean);
    expect(found).toEqual([{ metadata: '{}', rest: Buffer.alloc(0) }]);
  });

  test('may have 16 KiB with its delimiter, and not one byte more', () => {
    const fits = Buffer.from(' '.repeat(16_384 - 8) + NULS);
    expect(createPreludeParser()(fits)?.metadata).toHaveLength(16_376);
    expect(() => createPreludeParser()(Buffer.concat([Buffer.from(' '), fits]))).toThrow('16 KiB');
    const parse = createPreludeParser();
    expect(parse(fits.subarray(0, 16_000))).toBeUndefined();
    expect(parse(fits.subarray(16_000))?.metadata).toHaveLength(16_376);
  });
});

describe('streamed response', () => {
  test('is chunked when the function sets no length', async () => {
    const { port } = await serve({
      api: () => streamed({ statusCode: 201, headers: { ETag: 'x' } }, 'ab', 'c'),
    });
    const response = await send(port, 'GET /streamed');
    expect([response.status, response.text, response.complete]).toEqual([201, 'abc', true]);
    expect(response.header('transfer-encoding')).toBe('chunked');
    expect(response.header('ETag')).toBe('x');
    expect(response.header('Content-Type')).toBe('application/json');
    expect(response.header('x-amzn-RequestId')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('is chunked whatever length the function sets, with unchanged bytes', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    const { port } = await serve({
      api: () => streamed({ statusCode: 200, headers: { 'Content-Length': 9 } }, bytes),
    });
    const response = await send(port, 'GET /streamed');
    expect(response.header('content-length')).toBeUndefined();
    expect(response.header('transfer-encoding')).toBe('chunked');
    expect(response.body).toEqual(bytes);
  });

  test('sends its head before the first byte of payload, and each part when it arrives', async () => {
    const body = prelude({ statusCode: 200 });
    const { port } = await serve({ api: () => body });
    const socket = await dial(port);
    socket.write('GET /streamed HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await untilText(socket, '\r\n\r\n')).toContain('200 OK');
    body.write('one');
    expect(await untilText(socket, 'one')).not.toContain('two');
    body.end('two');
    await untilText(socket, '0\r\n\r\n');
  });

  test('does not wait for the end of the payload when the method is HEAD', async () => {
    const body = new PassThrough();
    body.write(`{"statusCode":200}${NULS}payload`);
    const { port } = await serve({ api: () => body });
    const socket = await dial(port);
    socket.write('HEAD /streamed HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await untilText(socket, '\r\n\r\n')).toContain('200 OK');
    body.end();
  });

  test.each([
    ['metadata only', () => streamed({ statusCode: 200 })],
    ['metadata and an empty write', () => streamed({ statusCode: 200 }, '')],
  ])('has an empty body for %s', async (_, api) => {
    const { port } = await serve({ api });
    expect(await send(port, 'GET /streamed')).toMatchObject({
      status: 200,
      text: '',
      complete: true,
    });
  });

  test('is complete when the stream ends before the gateway reads it', async () => {
    const body = streamed({ statusCode: 200 }, 'all of it');
    await new Promise((resolve) => setImmediate(resolve));
    const { port } = await serve({ api: () => body });
    expect(await send(port, 'GET /streamed')).toMatchObject({ text: 'all of it', complete: true });
  });

  test.each([
    ['HEAD', 'HEAD /streamed', 200],
    ['204', 'GET /streamed', 204],
    ['304', 'GET /streamed', 304],
  ])(
    'has neither a body nor a length for %s, whatever the function writes',
    async (_, line, status) => {
      const metadata = { statusCode: status, headers: { 'content-length': 9 } };
      const { port } = await serve({ api: () => streamed(metadata, 'payload!!') });
      const response = await send(port, line);
      expect([response.status, response.header('content-length'), response.rest.length]).toEqual([
        status,
        undefined,
        0,
      ]);
    },
  );

  test('has an empty body when X-HTTP-Method-Override is HEAD, so that the framing is intact', async () => {
    const { port } = await serve({
      api: () => streamed({ statusCode: 200, headers: { 'content-length': 9 } }, 'payload!!'),
    });
    const response = await send(port, 'GET /streamed', ['X-HTTP-Method-Override: HEAD']);
    expect([response.header('content-length'), response.text, response.complete]).toEqual([
      '0',
      '',
      true,
    ]);
  });

  test('ends with the connection when the client uses HTTP/1.0', async () => {
    const { port } = await serve({ api: () => streamed({ statusCode: 200 }, 'abc') });
    const response = await exchange(port, 'GET /streamed HTTP/1.0\r\n\r\n');
    expect([response.text, response.header('transfer-encoding')]).toEqual(['abc', undefined]);
  });

  test('leaves the connection open for the next request', async () => {
    const { port } = await serve({ api: () => streamed({ statusCode: 200 }, 'abc') });
    const socket = await dial(port);
    for (let i = 0; i < 3; i++) {
      socket.write('GET /streamed HTTP/1.1\r\nHost: x\r\n\r\n');
      await untilText(socket, '0\r\n\r\n');
    }
  });
});

describe('malformed streamed response', () => {
  test.each<[string, () => unknown, number]>([
    ['nothing at all', () => raw(), 500],
    ['no delimiter', () => raw('{"statusCode":200}'), 500],
    ['seven NULs', () => raw('{"statusCode":200}', NULS.slice(1)), 500],
    ['a delimiter after 16 KiB', () => raw(' '.repeat(16_380), NULS), 500],
    ['a megabyte of payload only', () => raw(Buffer.alloc(1_000_000, 'x')), 500],
    ['metadata that is not JSON', () => raw('hello', NULS), 500],
    ['an unknown key', () => streamed({ statusCode: 200, body: 'x' }), 500],
    ['a bad status', () => streamed({ statusCode: 'x' }), 500],
    ['a bad header', () => streamed({ headers: { 'a\n': 'b' } }), 500],
    ['a bad length', () => streamed({ headers: { 'content-length': '-1' } }), 500],
    [
      'an error before its metadata is complete',
      () => {
        const body = new PassThrough();
        body.write('{"status');
        setImmediate(() => body.destroy(new Error('boom')));
        return body;
      },
      500,
    ],
    [
      'a function that throws before its first byte',
      () => {
        throw new Error('boom');
      },
      502,
    ],
    [
      'an invocation that Lambda refuses',
      () => {
        throw new LambdaServiceError('TooManyRequestsException', 'Rate Exceeded.');
      },
      500,
    ],
  ])('is an error of the gateway for %s', async (_, api, status) => {
    const { port } = await serve({ api });
    const response = await send(port, 'GET /streamed');
    expect(response).toMatchObject({ status, text: '{"message":"Internal server error"}' });
  });
});
