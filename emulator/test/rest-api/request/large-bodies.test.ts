import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Bounds } from '../../../src/services/rest-api/limits';
import { until } from '../../lambda/service';
import { serve } from '../service';
import { dial, send, untilClosed, untilText } from '../wire';

/**
 * A gateway in a process of its own, killed after the test. `stop` resolves with the MB by which
 * its memory grew.
 */
async function useProcess() {
  const script = join(__dirname, 'large-bodies-server.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  killed.push(() => child.kill('SIGKILL'));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const baseUrl = String((await lines.next()).value);
  const stop = async () => {
    child.stdin.end();
    return Number((await lines.next()).value) / 1e6;
  };
  return { baseUrl, stop };
}

const killed: (() => void)[] = [];
afterEach(() => {
  for (const kill of killed.splice(0)) kill();
});

test('many large bodies at a time take less than 300 MB, and reach the function whole', async () => {
  const { baseUrl, stop } = await useProcess();
  const body = randomBytes(4 * 1024 * 1024);
  const digest = createHash('sha256').update(body).digest('hex');
  const put = async () => {
    const answer = await fetch(`${baseUrl}/open/x`, { method: 'PUT', body });
    return answer.text();
  };

  for (let round = 0; round < 3; round++) {
    const digests = await Promise.all(Array.from({ length: 32 }, put));
    expect(new Set(digests)).toEqual(new Set([digest]));
  }

  expect(await stop()).toBeLessThan(300);
}, 60_000);

describe('large bodies', () => {
  const LARGE = 300_000;
  const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

  /** Clients of a gateway whose function answers when the test says so, the oldest first. */
  async function useGateway(bounds: Partial<Bounds> = {}) {
    const answers: ((answer: unknown) => void)[] = [];
    const api = (event: string) =>
      event.includes('/open/small')
        ? { statusCode: 200, body: 'small' }
        : new Promise((resolve) => answers.push(resolve));
    const { port } = await serve({ api }, { bounds: { largeBodies: 2, ...bounds } });
    /** Its body may be sent once it is told to continue. */
    const ask = async () => {
      const socket = await dial(port);
      const head = `PUT /open/x HTTP/1.1\r\nHost: x\r\nContent-Length: ${LARGE}`;
      socket.write(`${head}\r\nExpect: 100-continue\r\n\r\n`);
      return socket;
    };
    const admitted = async () => {
      const socket = await ask();
      expect(await untilText(socket, CONTINUE)).toBe(CONTINUE);
      socket.write(Buffer.alloc(LARGE));
      return socket;
    };
    const answerNext = async () => {
      await until(() => answers.length > 0);
      answers.shift()?.({ statusCode: 200, body: 'large' });
    };
    return { port, ask, admitted, answerNext };
  }

  test('are taken in a few at a time, small ones at once', async () => {
    const { port, ask, admitted, answerNext } = await useGateway();
    const first = await admitted();
    await admitted();
    const third = await ask();
    let early = '';
    third.on('data', (data) => {
      early += data;
    });
    expect((await send(port, 'PUT /open/small', [], 'x')).text).toBe('small');
    expect(early).toBe('');

    await answerNext();
    expect(await untilText(first, 'large')).toContain('200 OK');
    await until(() => early === CONTINUE);
    third.write(Buffer.alloc(LARGE));
    await answerNext();
    await answerNext();
    await until(() => early.endsWith('large'));
  });

  test('wait no longer than so long for one that does not come to its end', async () => {
    const { admitted } = await useGateway({ largeBodyMs: 30 });
    for (let i = 0; i < 5; i++) await admitted();
  });

  test('of clients that have gone take no place', async () => {
    const { ask, admitted, answerNext } = await useGateway();
    const stuck = [await admitted(), await admitted()];
    const gone = await ask();
    gone.destroy();
    const next = ask();
    for (const _ of stuck) await answerNext();
    expect(await untilText(await next, CONTINUE)).toBe(CONTINUE);
    // Both places are free again: one is taken by `next`.
    await admitted();
  });

  test('that are refused or cut off give their place back', async () => {
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
