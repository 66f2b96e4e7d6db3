/** `stowage/testing`: the service in the process of a test, for the tests of applications. */
import { DEFAULT_RATES } from '../core/limits';
import { createFirstKey } from './first-key';
import { startServer, UNLIMITED } from './server';

export interface StartOptions {
  /** The data folder. Absent: everything is in memory, and ends with the service. */
  readonly folder?: string;
  /** The port on 127.0.0.1. @default any free port */
  readonly port?: number;
  /** Whether API keys have the rate limits of a deployment. @default false */
  readonly rateLimits?: boolean;
}

export interface RunningStowage {
  /** The base URL of clients: `http://127.0.0.1:41234`. */
  readonly url: string;
  /** An API key for everything. */
  readonly key: string;
  /** Stops the service, and ends its connections. */
  close(): Promise<void>;
}

/** Starts a service. Any number run at the same time. Throws when the port is taken. */
export async function startStowage(options: StartOptions = {}): Promise<RunningStowage> {
  const { folder, port = 0, rateLimits = false } = options;
  const server = await startServer({
    ...{ folder, port, durability: 'relaxed' },
    rateTiers: { default: rateLimits ? DEFAULT_RATES : UNLIMITED },
  });
  return {
    url: server.url,
    key: await createFirstKey(server.stores, 'stowage/testing'),
    close: () => server.stop(),
  };
}
