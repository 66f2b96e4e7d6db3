/**
 * A hostile network between service and followers: messages are dropped, repeated and reordered,
 * connections cut, records of streams and messages of queues repeated and out of order, the whole
 * service killed twice. CHANGES and SEED set the scale and the faults; the seed is printed.
 */
import { setMaxListeners } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { StowageClient } from '../../../client';
import { Client } from '../support/client';
import {
  newDataFolder,
  openStores,
  type Running,
  startLocalService,
} from '../support/local-service';

const CHANGES = Number(process.env.CHANGES ?? 1_000);
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1e6));
const WRITERS = 16;
const FOLLOWERS = 20;
const BUCKETS = ['hostile-a', 'hostile-b', 'hostile-c'];
const PREFIXES = ['', 'x/', '', 'y/'];
const FAULTS = {
  '--websocket-faults': `drop=0.2,repeat=0.2,reorder=0.2,cut=0.002,drop-disconnect=0.2,shuffle=0.2,seed=${SEED}`,
  '--stream-faults': `repeat=0.2,late=50,seed=${SEED}`,
  '--sqs-faults': `repeat=0.2,overlap=0.2,shuffle=1,seed=${SEED}`,
};

/** How long the last followers may need for what the network kept from them. */
const CATCH_UP_MS = 180_000;

jest.setTimeout(40 * 60_000);

/** What one follower was given of one bucket. */
interface Received {
  readonly bucket: string;
  readonly prefix: string;
  readonly cursors: number[];
}

test(`followers of ${CHANGES} changes end with exactly the log, in order, each once`, async () => {
  process.stdout.write(`hostile network: SEED=${SEED} CHANGES=${CHANGES}\n`);
  const data = newDataFolder();
  const port = await freePort();
  const start = () =>
    startLocalService(data.folder, ['--port', String(port), ...Object.entries(FAULTS).flat()]);
  let service = await start();
  const { baseUrl, apiKey } = service;
  const admin = new Client(service);
  for (const name of BUCKETS) await admin.send('POST', '/buckets', JSON.stringify({ name }));

  const stop = new AbortController();
  setMaxListeners(FOLLOWERS, stop.signal);
  const began = Date.now();
  const say = (what: string) =>
    process.stdout.write(`  ${what} after ${Math.round((Date.now() - began) / 1000)} s\n`);
  const followers = Array.from({ length: FOLLOWERS }, (_, n) => follow(n, baseUrl, apiKey));
  await write(service, async (written, restart) => {
    if (restart < 2 && written >= ((restart + 1) * CHANGES) / 3) {
      await service.kill();
      service = await start();
      return true;
    }
    return false;
  });

  say('written');
  const stores = openStores(data.folder);
  const heads = new Map<string, number>();
  for (const name of BUCKETS) heads.set(name, (await stores.buckets.get(name))?.cursor ?? 0);
  expect([...heads.values()].reduce((sum, head) => sum + head, 0)).toBeGreaterThanOrEqual(CHANGES);
  const deadline = Date.now() + CATCH_UP_MS;
  const isBehind = () =>
    followers.some(({ subscription }) =>
      subscription.buckets.some(
        (name) => (subscription.progress(name).cursor ?? 0) < (heads.get(name) ?? 0),
      ),
    );
  while (isBehind() && Date.now() < deadline) await wait(200);
  say('followed');
  stop.abort();
  await Promise.all(followers.map(({ done }) => done));

  for (const name of BUCKETS) {
    const log = await logOf(name, heads.get(name) ?? 0);
    for (const { bucket, prefix, cursors } of followers.flatMap(({ received }) => received)) {
      if (bucket !== name) continue;
      const due = log.filter(({ key }) => key?.startsWith(prefix)).map(({ cursor }) => cursor);
      // Compared by hand: jest would print thousands of lines.
      const wrong = due.findIndex((cursor, n) => cursors[n] !== cursor);
      expect([name, prefix, wrong, cursors.length]).toEqual([name, prefix, -1, due.length]);
    }
  }
  stores.close();
  await admin.close();
  expect(await service.interrupt()).toBe(0);
  data.remove();

  function follow(n: number, url: string, key: string) {
    const client = new StowageClient({
      baseUrl: url,
      apiKey: key,
      webSocket: (address, headers) => new WebSocket(address, { headers }),
    });
    const prefix = PREFIXES[n % PREFIXES.length] ?? '';
    const names = n % 5 === 0 ? BUCKETS : [BUCKETS[n % BUCKETS.length] ?? ''];
    const subscription = client.sync(
      Object.fromEntries(names.map((name) => [name, { cursor: 0, prefix }])),
      { signal: stop.signal },
    );
    const received: Received[] = names.map((bucket) => ({ bucket, prefix, cursors: [] }));
    const read = async () => {
      for await (const change of subscription) {
        received.find(({ bucket }) => bucket === change.bucket)?.cursors.push(change.object.cursor);
      }
    };
    return { subscription, received, done: read() };
  }

  /**
   * Writes until enough was acknowledged. `restarts` may kill and start the service again, while
   * the writers go on.
   */
  async function write(
    first: Running,
    restarts: (written: number, done: number) => Promise<boolean>,
  ): Promise<void> {
    const client = new Client(first);
    let next = 0;
    let done = 0;
    let restarting: Promise<void> | undefined;
    const writer = async () => {
      while (client.acknowledged.length < CHANGES) {
        const n = next++;
        const bucket = BUCKETS[n % BUCKETS.length] ?? '';
        const key = `${n % 2 === 0 ? 'x' : 'y'}/${n % 97}`;
        const status = await client.change(bucket, key, n % 6 === 5 ? undefined : String(n));
        if (status === undefined) await wait(100);
        restarting ??= restarts(client.acknowledged.length, done).then((did) => {
          if (did) done += 1;
          restarting = undefined;
        });
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, writer));
    await restarting;
    await client.close();
  }

  async function logOf(name: string, head: number) {
    const id = (await stores.buckets.get(name))?.id ?? '';
    const entries: { cursor: number; key?: string }[] = [];
    for (let after = 0; after < head; after += 1000) {
      const read = await stores.changeLog.read(id, after, Math.min(head, after + 1000));
      entries.push(
        ...read.map((entry) => ({
          cursor: entry.cursor,
          ...(entry.type !== 'void' && { key: entry.object.key }),
        })),
      );
    }
    expect(entries.map(({ cursor }) => cursor)).toEqual(
      Array.from({ length: head }, (_, index) => index + 1),
    );
    return entries;
  }
});

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
