/**
 * Followers behind a hostile network: messages are dropped, repeated and reordered, connections are
 * cut, stream records and queue messages arrive twice and out of order, and the whole service is
 * killed. CHANGES sets the size and SEED the faults; the seed is printed.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { StowageClient } from '../../../client';
import { freePort } from '../../support/free-port';
import { until } from '../../support/until';
import { Client } from '../support/client';
import {
  newDataFolder,
  openStores,
  type Running,
  startLocalService,
} from '../support/local-service';
import { size } from '../support/size';

const CHANGES = size('CHANGES', { small: 100, full: 1_000 });
const KILLS = size('KILLS', { small: 1, full: 2 });
const FOLLOWERS = size('FOLLOWERS', { small: 8, full: 20 });
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1e6));
const WRITERS = 16;
const BUCKETS = ['hostile-a', 'hostile-b', 'hostile-c'];
const PREFIXES = ['', 'x/', '', 'y/'];
const FAULTS = {
  '--websocket-faults': `drop=0.2,repeat=0.2,reorder=0.2,cut=0.002,drop-disconnect=0.2,shuffle=0.2,seed=${SEED}`,
  '--stream-faults': `repeat=0.2,late=50,seed=${SEED}`,
  '--sqs-faults': `repeat=0.2,overlap=0.2,shuffle=1,seed=${SEED}`,
};

/** Only ends a run that would never end. Quiet machines need a few seconds, busy ones minutes. */
const CATCH_UP_MS = 15 * 60_000;

jest.setTimeout(40 * 60_000);

/** The changes that one follower received of one bucket. */
interface Received {
  readonly bucket: string;
  readonly prefix: string;
  readonly cursors: number[];
}

test(`followers receive ${CHANGES} changes in the order of the change log, each once`, async () => {
  process.stdout.write(`hostile network: SEED=${SEED} CHANGES=${CHANGES}\n`);
  const data = newDataFolder();
  const port = await freePort();
  const start = () =>
    startLocalService(data.folder, ['--port', String(port), ...Object.entries(FAULTS).flat()]);
  let service = await start();
  const admin = new Client(service);
  for (const name of BUCKETS) await admin.send('POST', '/buckets', JSON.stringify({ name }));

  const stop = new AbortController();
  setMaxListeners(FOLLOWERS, stop.signal);
  const followers = Array.from({ length: FOLLOWERS }, (_, n) => follow(n, service, stop.signal));
  const began = Date.now();
  const seconds = () => Math.round((Date.now() - began) / 1000);
  await write(service, async () => {
    await service.kill();
    service = await start();
  });
  process.stdout.write(`  written after ${seconds()} s\n`);

  const stores = openStores(data.folder);
  const heads = await readHeads(stores);
  expect([...heads.values()].reduce((sum, head) => sum + head, 0)).toBeGreaterThanOrEqual(CHANGES);
  const areAtHead = () =>
    followers.every(({ subscription }) =>
      subscription.buckets.every(
        (name) => (subscription.progress(name).cursor ?? 0) >= (heads.get(name) ?? 0),
      ),
    );
  // Afterwards the comparison shows which follower misses what.
  await until('all followers are at the head', areAtHead, { timeoutMs: CATCH_UP_MS }).catch(
    () => undefined,
  );
  process.stdout.write(`  followed after ${seconds()} s\n`);
  stop.abort();
  await Promise.all(followers.map(({ done }) => done));

  const received = followers.flatMap((follower) => follower.received);
  for (const name of BUCKETS) {
    const log = await readWholeLog(stores, name, heads.get(name) ?? 0);
    for (const { bucket, prefix, cursors } of received) {
      if (bucket !== name) continue;
      const due = log.filter(({ key }) => key?.startsWith(prefix)).map(({ cursor }) => cursor);
      // Compared one by one: jest would print thousands of lines.
      const wrong = due.findIndex((cursor, n) => cursors[n] !== cursor);
      expect([name, prefix, wrong, cursors.length]).toEqual([name, prefix, -1, due.length]);
    }
  }
  stores.close();
  await admin.close();
  expect(await service.interrupt()).toBe(0);
  data.remove();
});

function follow(n: number, { baseUrl, apiKey }: Running, signal: AbortSignal) {
  const client = new StowageClient({
    baseUrl,
    apiKey,
    webSocket: (address, headers) => new WebSocket(address, { headers }),
  });
  const prefix = PREFIXES[n % PREFIXES.length] ?? '';
  const names = n % 5 === 0 ? BUCKETS : [BUCKETS[n % BUCKETS.length] ?? ''];
  const subscription = client.sync(
    Object.fromEntries(names.map((name) => [name, { cursor: 0, prefix }])),
    { signal },
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
 * Writes until enough changes are acknowledged, and restarts the service on the way while the
 * writers continue.
 */
async function write(service: Running, restart: () => Promise<void>): Promise<void> {
  const client = new Client(service);
  let next = 0;
  let restarts = 0;
  let restarting: Promise<void> | undefined;
  const writer = async () => {
    while (client.acknowledged.length < CHANGES) {
      const n = next++;
      const bucket = BUCKETS[n % BUCKETS.length] ?? '';
      const key = `${n % 2 === 0 ? 'x' : 'y'}/${n % 97}`;
      const status = await client.change(bucket, key, n % 6 === 5 ? undefined : String(n));
      if (status === undefined) await wait(100);
      const due = ((restarts + 1) * CHANGES) / (KILLS + 1);
      if (!restarting && restarts < KILLS && client.acknowledged.length >= due) {
        restarts += 1;
        restarting = restart().then(() => {
          restarting = undefined;
        });
      }
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
  await restarting;
  await client.close();
  expect(restarts).toBe(KILLS);
}

async function readHeads(stores: ReturnType<typeof openStores>): Promise<Map<string, number>> {
  const heads = new Map<string, number>();
  for (const name of BUCKETS) heads.set(name, (await stores.buckets.get(name))?.cursor ?? 0);
  return heads;
}

/** The cursors and keys of a bucket's change log, which must be dense up to its head. */
async function readWholeLog(stores: ReturnType<typeof openStores>, name: string, head: number) {
  const id = (await stores.buckets.get(name))?.id ?? '';
  const entries: { cursor: number; key?: string }[] = [];
  for (let after = 0; after < head; after += 1000) {
    const read = await stores.changeLog.read(id, after, Math.min(head, after + 1000));
    entries.push(
      ...read.map((entry) => ({
        cursor: entry.cursor,
        ...(entry.type !== 'noop' && { key: entry.object.key }),
      })),
    );
  }
  expect(entries.map(({ cursor }) => cursor)).toEqual(
    Array.from({ length: head }, (_, index) => index + 1),
  );
  return entries;
}
