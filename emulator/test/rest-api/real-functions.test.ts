/** Tests the gateway together with functions that run in threads. */
import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startRestApi } from '../../src/services/rest-api/rest-api';
import { useLambda } from '../lambda/service';
import { functionStack } from '../lambda/stack';
import { afterTest, useFolder } from '../support/clean-up';
import { BASE, type Resources, stackOf } from './stack';
import { dial, parseResponse, send, untilClosed, untilText } from './wire';

/** Starts a gateway for one function of ../lambda/functions, and returns its port. */
async function useApi(handler: string, resources: Resources = BASE): Promise<number> {
  const invoker = useLambda(functionStack({ api: { Handler: handler, MemorySize: 512 } }));
  const bounds = { stopMs: 50 };
  const api = await startRestApi({ stack: stackOf(resources), invoker, port: 0, bounds });
  afterTest(() => api.stop());
  return Number(new URL(api.baseUrl).port);
}

const digestOf = (body: Buffer) => createHash('sha256').update(body).digest('hex');

test('each small write of a streaming function reaches the client at once', async () => {
  const port = await useApi('streamed.behindGateway');
  const folder = useFolder();
  const socket = await dial(port);
  const query = `do=inSteps&folder=${encodeURIComponent(folder)}`;
  socket.write(`GET /streamed?${query} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  for (const step of ['head', 'one', 'two', 'three']) {
    await untilText(socket, step === 'head' ? '\r\n\r\n' : step);
    writeFileSync(join(folder, step), '');
  }
  await untilClosed(socket);
});

describe('request body in the event', () => {
  test.each([3, 60_000, 65_536, 65_537, 300_001, 4_000_000])(
    'has the same encoding and the same place in the event when it has %d bytes',
    async (length) => {
      const port = await useApi('received.handler');
      const body = randomBytes(length);
      const { text } = await send(port, 'PUT /open/x', [], body);
      const { members, ...seen } = JSON.parse(text);
      expect(seen).toMatchObject({
        isBase64Encoded: true,
        canonical: true,
        digest: digestOf(body),
      });
      expect(members.slice(-3)).toEqual(['requestContext', 'body', 'isBase64Encoded']);
    },
  );

  test('is complete when the request is chunked', async () => {
    const port = await useApi('received.handler');
    const body = randomBytes(400_000);
    const socket = await dial(port);
    socket.write(
      'PUT /open/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    for (let at = 0; at < body.length; at += 100_000) {
      const chunk = body.subarray(at, at + 100_000);
      socket.write(`${chunk.length.toString(16)}\r\n`);
      socket.write(chunk);
      socket.write('\r\n');
    }
    socket.write('0\r\n\r\n');
    const { text } = parseResponse(await untilClosed(socket));
    expect(JSON.parse(text)).toMatchObject({ canonical: true, digest: digestOf(body) });
  });

  test('is refused when the event has 6 MiB, and accepted when it is one byte smaller', async () => {
    const port = await useApi('received.handler');
    const put = (path: string, pad: string, bytes: number) =>
      send(port, `PUT /open/${path}`, [`X-Pad: ${pad}`], Buffer.alloc(bytes));
    const { size } = JSON.parse((await put('x', '', 4_700_000)).text);
    const missing = 6 * 1024 * 1024 - 1 - size;
    // Three bytes of the body add four characters of base64. A character of the header is in the
    // event twice, a character of the path three times.
    const path = missing % 2 === 1 ? 'xx' : 'x';
    const left = missing - (path.length - 1) * 3;
    const groups = Math.floor(left / 4) - 1;
    const pad = 'p'.repeat((left - groups * 4) / 2);

    const largest = await put(path, pad, 4_700_000 + groups * 3);
    expect(JSON.parse(largest.text).size).toBe(6 * 1024 * 1024 - 1);
    const refused = await put(`x${path}`, pad.slice(1), 4_700_000 + groups * 3);
    expect([refused.status, refused.text]).toEqual([413, '{"message":"Request Too Long"}']);
  });
});
