import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { prelude } from '../functions';
import { serve } from '../service';
import { changed, method, STREAM } from '../stack';
import { dial, parseResponse, send, untilClosed, untilText } from '../wire';

const NULS = '\0'.repeat(8);

describe('streamed response', () => {
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
    return { response: parseResponse(bytes), lines };
  };

  test.each<[string, unknown, (body: PassThrough) => void, string]>([
    ['an error', { statusCode: 200 }, (body) => body.destroy(new Error('boom')), 'boom'],
    ['an early close', { statusCode: 200 }, (body) => body.destroy(), 'closed its stream early'],
  ])('closes the connection after %s', async (_, metadata, fail, reason) => {
    const { response, lines } = await failing(metadata, fail);
    expect([response.status, response.complete]).toEqual([200, false]);
    expect(response.text).toBe('abc');
    expect(lines[0]).toContain(reason);
  });

  test('has its status and first bytes when the function fails right after them', async () => {
    const api = () => {
      const body = prelude({ statusCode: 200 });
      body.write('abc');
      setImmediate(() => body.destroy(new Error('boom')));
      return body;
    };
    for (let attempt = 0; attempt < 20; attempt++) {
      const { port } = await serve({ api });
      const response = await send(port, 'GET /streamed');
      expect([response.status, response.complete, response.text]).toEqual([200, false, 'abc']);
    }
  });

  test('closes the connection when the function is idle for too long', async () => {
    const { response, lines } = await failing({ statusCode: 200 }, () => {}, {
      bounds: { idleStreamMs: 30 },
    });
    expect([response.text, response.complete]).toEqual(['abc', false]);
    expect(lines[0]).toContain('no progress');
  });

  test('closes the connection when the integration times out', async () => {
    const resources = changed('StreamedAny', {
      Integration: {
        ...method('ANY', 'x', {}, STREAM).Properties.Integration,
        TimeoutInMillis: 60,
      },
    });
    const { response, lines } = await failing({ statusCode: 200 }, () => {}, { resources });
    expect([response.text, response.complete]).toEqual(['abc', false]);
    expect(lines[0]).toContain('timed out');
  });
});

describe('integration timeout', () => {
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
  ])('returns 504 when the function sends %s', async (_, api) => {
    const { port } = await serve({ api }, { resources });
    expect(await send(port, 'GET /streamed')).toMatchObject({
      status: 504,
      text: '{"message":"Endpoint request timed out"}',
    });
  });

  test('does not stop the function, whose later output is read to its end', async () => {
    let respond = (_: PassThrough) => {};
    const late = new Promise<PassThrough>((resolve) => {
      respond = resolve;
    });
    const { port } = await serve({ api: () => late }, { resources });
    expect((await send(port, 'GET /streamed')).status).toBe(504);
    const body = prelude({ statusCode: 200 });
    respond(body);
    body.end(Buffer.alloc(1_000_000));
    await once(body, 'end');
  });
});

describe('streamed payload', () => {
  test('is not read while the client does not read, so that memory stays bounded', async () => {
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
    // The gateway has stopped reading when many turns of the event loop produce nothing more.
    let before = -1;
    for (let still = 0; still < 200; still = produced === before ? still + 1 : 0) {
      before = produced;
      await new Promise((resolve) => setImmediate(resolve));
    }
    // The socket buffers of the kernel hold some megabytes, whatever the size of the response.
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

  test('is read to its end when the client disconnects', async () => {
    const body = prelude({ statusCode: 200 });
    const lines: string[] = [];
    let logged = () => {};
    const disconnected = new Promise<void>((resolve) => {
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
    await disconnected;
    expect(lines[0]).toContain('client gone');
    body.end(Buffer.alloc(10_000_000));
    await once(body, 'end');
    expect(body.destroyed).toBe(true);
  });
});
