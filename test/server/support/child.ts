/** Runs the server in a process of its own: `child.js FOLDER` prints its address and a new key. */
import { createFirstKey } from '../../../server/first-key';
import { startServer } from '../../../server/server';

startServer({ folder: process.argv[2], port: 0 }).then(
  async ({ url, stores }) => {
    const key = await createFirstKey(stores, 'test');
    process.stdout.write(`${JSON.stringify({ url, key })}\n`);
  },
  (error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  },
);
