import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { LambdaServiceError } from '../../src/services/lambda/invoker';
import { createPreludeParser } from '../../src/services/rest-api/response/streaming';
import { prelude, streamed } from './functions';
import { serve } from './service';
import { changed, method, STREAM } from './stack';
import { dial, exchange, parseAnswer, send, untilClosed, untilText } from './wire';

const NULS = '\0'.repeat(8);
const raw = (...chunks: (string | Buffer)[]) =>
  Readable.from(chunks.map((chunk) => Buffer.from(chunk)));

describe('metadata of a streamed answer', () => {
  test('is found wherever the chunks are cut', () => {
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
      // The ninth NUL is payload.
      expect(seen).toBe('{"statusCode":201}|\0payload');
    }
  });

  test('is found in single bytes', () => {
    const parse = createPreludeParser();
    const bytes = [...Buffer.from(`{}${NULS}`)];
    const found = bytes.map((byte) => parse(Buffer.from([byte]))).filter(Boolean);
    expect(found).toEqual([{ metadata: '{}', rest: Buffer.alloc(0) }]);
  });

  test('may end exactly at 16 KiB, not a byte later', () => {
    const fits = Buffer.from(' '.repeat(16_384 - 8) + NULS);
    expect(createPreludeParser()(fits)?.metadata).toHaveLength(16_376);
    expect(() => createPreludeParser()(Buffer.concat([Buffer.from(' '), fits]))).toThrow('16 KiB');
    const parse = createPreludeParser();
    expect(parse(fits.subarray(0, 16_000))).toBeUndefined();
    expect(parse(fits.subarray(16_000))?.metadata).toHaveLength(16_376);
  });
});

describe('a streamed answer', () => {
  test('is chunked when the function names no length', async () => {
    const { port } = await serve({
      api: () => streamed({ statusCode: 201, headers: { ETag: 'x' } }, 'ab', 'c'),
    });
    const answer = await send(port, 'GET /streamed');
    expect([answer.status, answer.text, answer.complete]).toEqual([201, 'abc', true]);
    expect(answer.header('transfer-encoding')).toBe('chunked');
    expect(answer.header('ETag')).toBe('x');
    expect(answer.header('Content-Type')).toBe('application/json');
    expect(answer.header('x-amzn-RequestId')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('has the length that the function names, and passes bytes as they are', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    const { port } = await serve({
      api: () => streamed({ statusCode: 200, headers: { 'Content-Length': 256 } }, bytes),
    });
    const answer = await send(port, 'GET /streamed');
    expect(answer.header('content-length')).toBe('256');
    expect(answer.header('transfer-encoding')).toBeUndefined();
    expect(answer.body).toEqual(bytes);
  });

  test('sends its head before the first byte of payload, and each part as it comes', async () => {
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

  test('to HEAD does not wait for the end of the payload', async () => {
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
  ])('of %s is an empty body', async (_, api) => {
    const { port } = await serve({ api });
    expect(await send(port, 'GET /streamed')).toMatchObject({
      status: 200,
      text: '',
      complete: true,
    });
  });

  test('whose end came before anybody listened is complete', async () => {
    const body = streamed({ statusCode: 200 }, 'all of it');
    await new Promise((resolve) => setImmediate(resolve));
    const { port } = await serve({ api: () => body });
    expect(await send(port, 'GET /streamed')).toMatchObject({ text: 'all of it', complete: true });
  });

  test.each<[string, string, Record<string, unknown>, number, string | undefined]>([
    ['HEAD', 'HEAD /streamed', { statusCode: 200, headers: { 'content-length': 9 } }, 200, '9'],
    ['HEAD without a length', 'HEAD /streamed', { statusCode: 200 }, 200, undefined],
    ['204', 'GET /streamed', { statusCode: 204, headers: { 'content-length': 9 } }, 204, undefined],
    ['304', 'GET /streamed', { statusCode: 304, headers: { 'content-length': 9 } }, 304, '9'],
  ])(
    'to %s has no body, whatever the function writes',
    async (_, line, metadata, status, length) => {
      const { port } = await serve({ api: () => streamed(metadata, 'payload!!') });
      const answer = await send(port, line);
      expect([answer.status, answer.header('content-length'), answer.rest.length]).toEqual([
        status,
        length,
        0,
      ]);
    },
  );

  test('to HEAD by override keeps the connection in step', async () => {
    const { port } = await serve({
      api: () => streamed({ statusCode: 200, headers: { 'content-length': 9 } }, 'payload!!'),
    });
    const answer = await send(port, 'GET /streamed', ['X-HTTP-Method-Override: HEAD']);
    expect([answer.header('content-length'), answer.text, answer.complete]).toEqual([
      '0',
      '',
      true,
    ]);
  });

  test('to an HTTP/1.0 client ends with the connection', async () => {
    const { port } = await serve({ api: () => streamed({ statusCode: 200 }, 'abc') });
    const answer = await exchange(port, 'GET /streamed HTTP/1.0\r\n\r\n');
    expect([answer.text, answer.header('transfer-encoding')]).toEqual(['abc', undefined]);
  });

  test('leaves the connection good for the next request', async () => {
    const { port } = await serve({ api: () => streamed({ statusCode: 200 }, 'abc') });
    const socket = await dial(port);
    for (let i = 0; i < 3; i++) {
      socket.write('GET /streamed HTTP/1.1\r\nHost: x\r\n\r\n');
      await untilText(socket, '0\r\n\r\n');
    }
  });
});

describe('a streamed answer that does not conform', () => {
  test.each<[string, () => unknown, number]>([
    ['nothing at all', () => raw(), 500],
    ['no delimiter', () => raw('{"statusCode":200}'), 500],
    ['seven NULs', () => raw('{"statusCode":200}', NULS.slice(1)), 500],
    ['a delimiter after 16 KiB', () => raw(' '.repeat(16_380), NULS), 500],
    ['a megabyte of payload only', () => raw(Buffer.alloc(1_000_000, 'x')), 500],
    ['metadata that is no JSON', () => raw('hello', NULS), 500],
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
      'a refusal of Lambda',
      () => {
        throw new LambdaServiceError('TooManyRequestsException', 'Rate Exceeded.');
      },
      500,
    ],
  ])('%s', async (_, api, status) => {
    const { port } = await serve({ api });
    const answer = await send(port, 'GET /streamed');
    expect([answer.status, answer.text]).toEqual([status, '{"message":"Internal server error"}']);
  });
});

describe('a streamed answer that fails half way', () => {
  const failing = async (metadata: unknown, fail: (body: PassThrough) => void, more = {}) => {
    const body = prelude(metadata);
    const lines: string[] = [];
    const { port } = await serve(
      { api: () => body },
      { executionLog: (line) => lines.push(line), ...more },
    );
    const socket = await dial(port);
    socket.write('GET /streamed HTTP/1.1\r\nHost: x\r\n\r\n');
    body.write('abc');
    const begun = await untilText(socket, 'abc');
    fail(body);
    const bytes = Buffer.concat([Buffer.from(begun, 'latin1'), await untilClosed(socket)]);
    return { answer: parseAnswer(bytes), lines };
  };

  test.each<[string, unknown, (body: PassThrough) => void, string]>([
    ['an error', { statusCode: 200 }, (body) => body.destroy(new Error('boom')), 'boom'],
    ['an early close', { statusCode: 200 }, (body) => body.destroy(), 'closed its stream early'],
    ['too few bytes', { headers: { 'content-length': 9 } }, (body) => body.end(), 'shorter'],
    [
      'too many bytes',
      { headers: { 'content-length': 4 } },
      (body) => body.end('defghi'),
      'longer',
    ],
  ])('%s cuts the connection', async (_, metadata, fail, reason) => {
    const { answer, lines } = await failing(metadata, fail);
    expect([answer.status, answer.complete]).toEqual([200, false]);
    expect(answer.text).toBe('abc');
    expect(lines[0]).toContain(reason);
  });

  test('silence longer than the idle time cuts the connection', async () => {
    const { answer, lines } = await failing({ statusCode: 200 }, () => {}, {
      bounds: { idleStreamMs: 30 },
    });
    expect([answer.text, answer.complete]).toEqual(['abc', false]);
    expect(lines[0]).toContain('nothing moved');
  });

  test('the integration timeout cuts the connection', async () => {
    const resources = changed('StreamedAny', {
      Integration: {
        ...method('ANY', 'x', {}, STREAM).Properties.Integration,
        TimeoutInMillis: 60,
      },
    });
    const { answer, lines } = await failing({ statusCode: 200 }, () => {}, { resources });
    expect([answer.text, answer.complete]).toEqual(['abc', false]);
    expect(lines[0]).toContain('timed out');
  });
});

describe('time', () => {
  const resources = changed('StreamedAny', {
    Integration: { ...method('ANY', 'x', {}, STREAM).Properties.Integration, TimeoutInMillis: 50 },
  });

  test.each<[string, () => unknown]>([
    ['no first byte', () => new Promise(() => {})],
    [
      'no complete metadata',
      () => {
        const body = new PassThrough();
        body.write('{');
        return body;
      },
    ],
  ])('%s within the integration timeout is 504', async (_, api) => {
    const { port } = await serve({ api }, { resources });
    expect(await send(port, 'GET /streamed')).toMatchObject({
      status: 504,
      text: '{"message":"Endpoint request timed out"}',
    });
  });

  test('a function that answers after its timeout is read to its end', async () => {
    let answer = (_: PassThrough) => {};
    const late = new Promise<PassThrough>((resolve) => {
      answer = resolve;
    });
    const { port } = await serve({ api: () => late }, { resources });
    expect((await send(port, 'GET /streamed')).status).toBe(504);
    const body = prelude({ statusCode: 200 });
    answer(body);
    body.end(Buffer.alloc(1_000_000));
    await once(body, 'end');
  });
});

describe('pace', () => {
  test('a client that does not read holds the function back: memory stays flat', async () => {
    const size = 64 * 1024 * 1024;
    let produced = 0;
    const body = new Readable({
      read() {
        if (produced === 0) this.push(Buffer.from(`{"statusCode":200}${NULS}`));
        produced += 65_536;
        this.push(produced > size ? null : Buffer.alloc(65_536));
      },
    });
    const { port } = await serve({ api: () => body });
    const socket = await dial(port);
    socket.pause();
    socket.write('GET /streamed HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    // Held back = nothing more is produced over many turns of the event loop.
    let before = -1;
    for (let still = 0; still < 200; still = produced === before ? still + 1 : 0) {
      before = produced;
      await new Promise((resolve) => setImmediate(resolve));
    }
    // What the kernel's socket buffers take is some megabytes, whatever the size of the answer.
    expect(produced).toBeGreaterThan(0);
    expect(produced).toBeLessThan(size / 4);
    let received = 0;
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    socket.resume();
    await once(socket, 'close');
    expect(received).toBeGreaterThan(size);
  });

  test('a client that goes away leaves the function running to its end', async () => {
    const body = prelude({ statusCode: 200 });
    const lines: string[] = [];
    let logged = () => {};
    const gone = new Promise<void>((resolve) => {
      logged = resolve;
    });
    const { port } = await serve(
      { api: () => body },
      {
        executionLog: (line) => {
          lines.push(line);
          logged();
        },
      },
    );
    const socket = await dial(port);
    socket.write('GET /streamed HTTP/1.1\r\nHost: x\r\n\r\n');
    await untilText(socket, '\r\n\r\n');
    socket.destroy();
    await gone;
    expect(lines[0]).toContain('client gone');
    body.end(Buffer.alloc(10_000_000));
    await once(body, 'end');
    expect(body.destroyed).toBe(true);
  });
});
