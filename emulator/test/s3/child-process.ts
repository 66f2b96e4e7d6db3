import { once } from 'node:events';
import { join } from 'node:path';
import { kill, useProcess } from '../support/service-process';

export interface ChildServer {
  readonly endpoint: string;
  /** kill -9; resolves when the process has exited. */
  kill(): Promise<void>;
  /** Returns the largest memory of the process so far, in bytes. */
  maxMemory(): Promise<number>;
}

/**
 * Starts a server in a child process, which is killed after the test. The server appends its events
 * to `${dataDir}.events`, one key per line.
 */
export async function useChild(dataDir: string): Promise<ChildServer> {
  const { child, endpoint } = await useProcess(join(__dirname, 'child-server.ts'), dataDir);
  return {
    endpoint,
    kill: () => kill(child),
    maxMemory: async () => {
      const received = once(child, 'message');
      child.send('memory');
      const [maxRss] = await received;
      return Number(maxRss) * 1024;
    },
  };
}
