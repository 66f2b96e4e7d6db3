import { connect } from 'node:net';
import { startEngine } from '../../../src/services/dynamodb/engine/process';
import { afterTest, useFolder } from '../../support/clean-up';

/** Returns whether a server listens on this address. */
function listens(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    afterTest(() => socket.destroy());
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  });
}

async function useEngine(): Promise<URL> {
  const engine = await startEngine(useFolder());
  afterTest(() => engine.stop());
  return new URL(engine.endpoint);
}

test('the engine does not listen on 127.0.0.1 or ::1, which a web page could try', async () => {
  const { hostname, port } = await useEngine();
  expect(hostname).toMatch(/^127\.\d+\.\d+\.\d+$/);
  expect(await listens(hostname, Number(port))).toBe(true);
  expect(await listens('127.0.0.1', Number(port))).toBe(false);
  expect(await listens('::1', Number(port))).toBe(false);
});

test('two engines have different addresses', async () => {
  const [one, other] = [await useEngine(), await useEngine()];
  expect(one.hostname).not.toBe(other.hostname);
});
