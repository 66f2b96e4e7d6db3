import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { engineBinary } from '../../emulator/src/services/dynamodb/engine/binary';
import { freePort } from './free-port';

const START_TIMEOUT_MS = 15_000;

export interface Engine {
  /** `http://127.0.0.1:PORT`. */
  readonly endpoint: string;
  /** Ends the process. Repeatable. */
  stop(): Promise<void>;
}

/**
 * Starts the DynamoDB engine of this platform with an empty database in memory, ready for requests.
 */
export async function startDynamoEngine(): Promise<Engine> {
  const port = await freePort();
  const child = spawn(engineBinary(), ['serve', '--port', String(port)], { stdio: 'ignore' });
  // The engine ends with the test process.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const stop = async () => {
    process.removeListener('exit', kill);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  const endpoint = `http://127.0.0.1:${port}`;
  try {
    await ready(endpoint, child);
  } catch (error) {
    await stop();
    throw error;
  }
  return { endpoint, stop };
}

/** One engine for the tests of a file, which starts when it is first asked for. */
export function useDynamoEngine(): () => Promise<Engine> {
  let engine: Promise<Engine> | undefined;
  afterAll(async () => (await engine)?.stop());
  return () => {
    engine ??= startDynamoEngine();
    return engine;
  };
}

async function ready(endpoint: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the engine ended with code ${child.exitCode}`);
    const reached = await fetch(endpoint).then(
      (response) => response.arrayBuffer().then(() => true),
      () => false,
    );
    if (reached) return;
    if (Date.now() > deadline) throw new Error(`the engine does not respond at ${endpoint}`);
    await wait(20);
  }
}
