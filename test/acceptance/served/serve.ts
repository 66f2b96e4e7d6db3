/** The service in one process, as a target of the suite. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createFirstKey } from '../../../server/first-key';
import { startServer } from '../../../server/server';
import { accessToken } from '../../../server/sign-in/local-issuer';

const DASHBOARD = path.join(__dirname, '../../../dist/dashboard');

const MANY = { rate: 1000, burst: 1000 };
const LASTING = { ...MANY, concurrent: 100 };
/** The suite asks without a pause, and may not meet a limit. */
const AMPLE = {
  ...{ read: MANY, write: MANY, list: MANY, sign: MANY },
  ...{ wait: LASTING, connect: LASTING },
};
const SMALL = { ...AMPLE, read: { rate: 10, burst: 10 }, write: { rate: 1, burst: 5 } };

/** Starts a server with a new folder. Returns the environment of the suite, and what ends it. */
export async function serve(folder: string) {
  const secret = randomBytes(32).toString('hex');
  const server = await startServer({
    ...{ folder, port: 0, signInSecret: secret },
    rateTiers: { default: AMPLE, small: SMALL },
    ...(existsSync(DASHBOARD) && { dashboard: DASHBOARD }),
    log: {
      info: () => undefined,
      error: (message, about) => console.error('server:', message, about),
    },
  });
  const keys = `"${process.execPath}" "${path.join(__dirname, 'keys.mjs')}"`;
  const environment = {
    STOWAGE_URL: server.url,
    STOWAGE_KEY: await createFirstKey(server.stores, 'acceptance'),
    ADMIN_TOKEN: accessToken({ secret, clock: Date }, 'acceptance'),
    MAKE_KEY: `${keys} make`,
    REVOKE_KEY: `${keys} revoke`,
  };
  return { environment, stop: () => server.stop() };
}
