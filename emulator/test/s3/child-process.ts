import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface ChildServer {
  readonly endpoint: string;
  /** kill -9; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Largest memory of the process so far, in bytes. */
  maxMemory(): Promise<number>;
}

/** Starts a server whose events are appended to `${dataDir}.events`, one key per line. */
export async function startChild(dataDir: string): Promise<ChildServer> {
  const child = fork(join(__dirname, 'child-server.ts'), [dataDir], {
    execArgv: ['--import', require.resolve('tsx')],
  });
  const { endpoint } = await message<{ endpoint: string }>(child);
  return {
    endpoint,
    kill: async () => {
      const gone = child.exitCode !== null || child.signalCode !== null || once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
    maxMemory: async () => {
      child.send('memory');
      return (await message<{ maxRss: number }>(child)).maxRss * 1024;
    },
  };
}

async function message<T>(child: ChildProcess): Promise<T> {
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`the server ended with ${code}`);
  });
  // The process also exits after the test, when this promise has no handler.
  exited.catch(() => {});
  const [received] = await Promise.race([once(child, 'message'), exited]);
  return received as T;
}
