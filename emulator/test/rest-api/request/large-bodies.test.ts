import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Bounds } from '../../../src/services/rest-api/limits/limits';
import { afterTest } from '../../support/clean-up';
import { until } from '../../support/until';
import { serve } from '../service';
import { dial, send, untilClosed, untilText } from '../wire';

/**
 * Starts a gateway in a child process, which is killed after the test. `stop` returns the growth of
 * its memory in MB.
 */
async function useProcess() {
  const script = join(__dirname, 'large-bodies-server.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  afterTest(() => child.kill('SIGKILL'));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const baseUrl = String((await lines.next()).value);
  const stop = async () => {
    child.stdin.end();
    return Number((await lines.next()).value) / 1e6;
  };
  return { baseUrl, stop };
}

test('many concurrent large bodies use less than 300 MB, and reach the function complete', async () => {
  const { baseUrl, stop } = await useProcess();
  const body = randomBytes(4 * 1024 * 1024);
  const digest = createHash('sha256').update(body).digest('hex');
  const put = async () => {
    const response = await fetch(`${baseUrl}/open/x`, { method: 'PUT', body });
    return response.text();
  };

  const digests = await Promise.all(Array.from({ length: 48 }, put));
  expect(new Set(digests)).toEqual(new Set([digest]));

  expect(await stop()).toBeLessThan(300);
});

describe('large bodies', () => {
  const LARGE = 300_000;
  const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

  /**
   * Starts a gateway whose function does not respond to large bodies by itself: `respondNext`
   * responds to the oldest request.
   */
  async function useGateway(bounds: Partial<Bounds> = {}) {
    const pending: ((response: unknown) => void)[] = [];
    const api = (event: string) =>
      event.includes('/open/small')
        ? { statusCode: 200, body: 'small' }
        : new Promise((resolve) => pending.push(resolve));
    const { port } = await serve({ api }, { bounds: { largeBodies: 2, ...bounds } });
    /** Sends the head of a request, whose client waits for 100 (Continue). */
    const sendHead = async () => {
      const socket = await dial(port);
      const head = `PUT /open/x HTTP/1.1\r\nHost: x\r\nContent-Length: ${LARGE}`;
      socket.write(`${head}\r\nExpect: 100-continue\r\n\r\n`);
      return socket;
    };
    const admitted = async () => {
      const socket = await sendHead();
      expect(await untilText(socket, CONTINUE)).toBe(CONTINUE);
      socket.write(Buffer.alloc(LARGE));
      return socket;
    };
    const respondNext = async () => {
      await until(() => pending.length > 0);
      pending.shift()?.({ statusCode: 200, body: 'large' });
    };
    return { port, sendHead, admitted, respondNext };
  }

  test('wait while the limit of large bodies is reached, small bodies do not', async () => {
    const { port, sendHead, admitted, respondNext } = await useGateway();
    const first = await admitted();
    await admitted();
    const third = await sendHead();
    let early = '';
    third.on('data', (data) => {
      early += data;
    });
    expect((await send(port, 'PUT /open/small', [], 'x')).text).toBe('small');
    expect(early).toBe('');

    await respondNext();
    expect(await untilText(first, 'large')).toContain('200 OK');
    await until(() => early === CONTINUE);
    third.write(Buffer.alloc(LARGE));
    await respondNext();
    await respondNext();
    await until(() => early.endsWith('large'));
  });

  test('stop waiting for an incomplete body after `largeBodyMs`', async () => {
    const { admitted } = await useGateway({ largeBodyMs: 30 });
    for (let i = 0; i < 5; i++) await admitted();
  });

  test('do not count towards the limit when their client has disconnected', async () => {
    const { sendHead, admitted, respondNext } = await useGateway();
    const stuck = [await admitted(), await admitted()];
    const disconnected = await sendHead();
    disconnected.destroy();
    const next = sendHead();
    for (const _ of stuck) await respondNext();
    expect(await untilText(await next, CONTINUE)).toBe(CONTINUE);
    // `next` takes one of the two free slots.
    await admitted();
  });

  test('no longer count towards the limit after they are refused or aborted', async () => {
    const { port, admitted } = await useGateway();
    for (let i = 0; i < 3; i++) {
      expect((await send(port, 'PUT /open/x', [], Buffer.alloc(5_000_000))).status).toBe(413);
      const cut = await dial(port);
      cut.write(`PUT /open/x HTTP/1.1\r\nHost: x\r\nContent-Length: ${LARGE}\r\n\r\nhalf`);
      cut.end();
      await untilClosed(cut);
    }
    await admitted();
    await admitted();
  });
});
