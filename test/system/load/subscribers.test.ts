/** A burst of changes, many subscribers, and a subscriber that never reads. */
import { setMaxListeners } from 'node:events';
import { createApiKey } from '../../../cli/operate/api-keys';
import { ALL_PERMISSIONS } from '../../../core/access/permissions';
import { until } from '../../support/until';
import { Client } from '../support/client';
import { commitMany } from '../support/fast-writer';
import { type Follower, follow } from '../support/follow';
import {
  newDataFolder,
  openStores,
  type Running,
  startLocalService,
} from '../support/local-service';
import { size } from '../support/size';
import { openWireChannel } from '../support/wire-channel';

const BURST = size('BURST', { small: 150, full: 1_000 });
const SUBSCRIBERS = size('SUBSCRIBERS', { small: 20, full: 100 });
const CHANGES = size('CHANGES', { small: 45, full: 300 });

/** One key may open 100 channels at once. */
const SUBSCRIBERS_PER_KEY = 50;

/**
 * Changes that match only the subscription of the subscriber that never reads: more than the
 * sockets and the gateway buffer for it.
 */
const FILL = { changes: 600, padding: 24_000 };

/** Rounds of changes before, during and after the subscriber stops reading. */
const ROUNDS = 3;

const CATCH_UP = { timeoutMs: 300_000, pauseMs: 10 };

jest.setTimeout(20 * 60_000);

const data = newDataFolder();
let service: Running;
let admin: Client;
let stores: ReturnType<typeof openStores>;

beforeAll(async () => {
  service = await startLocalService(data.folder);
  admin = new Client(service);
  stores = openStores(data.folder);
});
afterAll(async () => {
  stores.close();
  await admin.close();
  expect(await service.interrupt()).toBe(0);
  data.remove();
});

const createBucket = async (name: string) => {
  const { status } = await admin.send('POST', '/buckets', JSON.stringify({ name }));
  expect(status).toBe(201);
};
const newKey = () =>
  createApiKey(stores.dynamo, stores.keyTables, {
    name: 'a test',
    by: 'a test',
    permissions: ALL_PERMISSIONS,
  });

const cursorsBetween = (after: number, to: number) =>
  Array.from({ length: to - after }, (_, index) => after + 1 + index);

test(`followers receive a burst of ${BURST} changes completely and in order`, async () => {
  await createBucket('burst');
  const stop = new AbortController();
  const key = await newKey();
  const { signal } = stop;
  const all = await follow(service, key, { bucket: 'burst', prefix: '', signal });
  const some = await follow(service, key, { bucket: 'burst', prefix: 'b/1', signal });
  await commitMany(stores, { bucket: 'burst', prefix: 'b/', count: BURST });
  const everything = () => [all, some].every((one) => one.cursor() === BURST);
  await until('both followers are at the head', everything, CATCH_UP);
  expect(all.received).toEqual(cursorsBetween(0, BURST));
  const due = [...Array(BURST).keys()].filter((n) => String(n).startsWith('1'));
  expect(some.received.length).toBe(due.length);
  expect(some.received).toEqual([...some.received].sort((a, b) => a - b));
  stop.abort();
  await Promise.all([all.done, some.done]);
});

test(`${SUBSCRIBERS} subscribers receive ${CHANGES} changes, also while one never reads`, async () => {
  await createBucket('crowd');
  const stop = new AbortController();
  const crowd = await join(stop.signal);
  const due: number[] = [];

  const before = await publishRounds(crowd, 'before', due);
  const mute = await openWireChannel(service.baseUrl, await newKey());
  mute.send({ action: 'subscribe', bucket: 'crowd' });
  await until('the subscription', () => mute.of('subscribed').length > 0);
  mute.pause();
  await commitMany(stores, {
    bucket: 'crowd',
    prefix: 'fill/',
    count: FILL.changes,
    padding: FILL.padding,
  });
  await allAreAt(crowd, await head());
  const during = await publishRounds(crowd, 'during', due);
  const heard = mute.of('changes').length;
  mute.resume();
  await until('what is buffered for it', () => mute.of('changes').length > heard);
  mute.terminate();
  const after = await publishRounds(crowd, 'after', due);

  // Reported and not checked, because the machine may be busy. Which posts fanout makes is checked
  // by test/lambdas/fanout/fanout.test.ts.
  const ratio = median(during) / median([...before, ...after]);
  process.stdout.write(
    `${SUBSCRIBERS} subscribers, ms per round: ${before}, ${after}; ` +
      `while one never reads: ${during}, ratio ${ratio.toFixed(2)}\n`,
  );
  for (const { received } of crowd) expect(received).toEqual(due);
  // Fewer than were written: the gateway refused posts, or this test shows nothing.
  const received = mute.of('changes').flatMap(({ changes = [] }) => changes);
  expect(received.length).toBeLessThan(FILL.changes);
  stop.abort();
  await Promise.all(crowd.map(({ done }) => done));
});

async function join(signal: AbortSignal): Promise<readonly Follower[]> {
  setMaxListeners(SUBSCRIBERS, signal);
  const crowd: Follower[] = [];
  while (crowd.length < SUBSCRIBERS) {
    const key = await newKey();
    const wave = Math.min(SUBSCRIBERS_PER_KEY, SUBSCRIBERS - crowd.length);
    const joining = Array.from({ length: wave }, () =>
      follow(service, key, { bucket: 'crowd', prefix: 'x/', signal }),
    );
    crowd.push(...(await Promise.all(joining)));
  }
  return crowd;
}

const head = async () => (await stores.buckets.get('crowd'))?.cursor ?? 0;

async function allAreAt(crowd: readonly Follower[], cursor: number): Promise<void> {
  const there = () => crowd.every((one) => one.cursor() === cursor);
  await until(`all subscribers are at ${cursor}`, there, CATCH_UP);
}

/**
 * Commits changes in rounds and appends their cursors to `due`. Returns the milliseconds until all
 * subscribers have received each round.
 */
async function publishRounds(
  crowd: readonly Follower[],
  name: string,
  due: number[],
): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const from = await head();
    const began = Date.now();
    await commitMany(stores, {
      bucket: 'crowd',
      prefix: `x/${name}/${round}/`,
      count: Math.ceil(CHANGES / ROUNDS / 3),
    });
    const to = await head();
    await allAreAt(crowd, to);
    times.push(Date.now() - began);
    due.push(...cursorsBetween(from, to));
  }
  return times;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
