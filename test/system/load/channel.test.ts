/**
 * The change channel of the whole running service: keys that lose their rights, a burst, a thousand
 * subscribers and one that never reads. BURST, SUBSCRIBERS and CHANGES set the scale.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { WebSocket } from 'ws';
import { createApiKey } from '../../../cli/api-keys';
import { StowageClient } from '../../../client';
import { ALL_PERMISSIONS } from '../../../core/access/permissions';
import type { Permission } from '../../../core/access/ports';
import { toItem } from '../../../lambdas/shared/dynamodb/items/attributes';
import { Client } from '../support/client';
import { commitMany } from '../support/fast-writer';
import {
  newDataFolder,
  openStores,
  type Running,
  startLocalService,
} from '../support/local-service';

const BURST = Number(process.env.BURST ?? 1_000);
const SUBSCRIBERS = Number(process.env.SUBSCRIBERS ?? 100);
const CHANGES = Number(process.env.CHANGES ?? 300);

/** One key may open 100 channels at once. */
const SUBSCRIBERS_PER_KEY = 50;

/** What docs/api.md promises. */
const CLOSED_WITHIN_MS = 5_000;

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
const newKey = (permissions: readonly Permission[] = ALL_PERMISSIONS) =>
  createApiKey(stores.dynamo, stores.keyTables, { name: 'a test', by: 'a test', permissions });

/** As whoever operates the service may do at any time: straight in the table. */
async function changeKey(
  key: string,
  field: string,
  value: string | readonly Permission[],
): Promise<void> {
  const [, id] = key.split('_');
  await stores.dynamo.send(
    new UpdateItemCommand({
      TableName: stores.keyTables.apiKeys,
      Key: toItem({ id }),
      UpdateExpression: 'SET #field = :value',
      ConditionExpression: 'attribute_exists(id)',
      ExpressionAttributeNames: { '#field': field },
      ExpressionAttributeValues: toItem({
        ':value': typeof value === 'string' ? value : permissionFields(value),
      }),
    }),
  );
}

const permissionFields = (permissions: readonly Permission[]) =>
  permissions.map(({ buckets, prefix, actions }) => ({ buckets, prefix, actions }));

interface Message {
  readonly type: string;
  readonly bucket?: string;
  readonly code?: number;
  readonly error?: { readonly code: string };
  readonly changes?: readonly { readonly cursor: number }[];
}

/** A channel as it is on the wire. `polite`: closes with the code that it is told. */
async function openChannel(key: string, { query = '', polite = false } = {}) {
  const url = `${service.baseUrl.replace('http', 'ws')}/api/v2/storage/sync${query}`;
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${key}` } });
  const messages: Message[] = [];
  let closedAt: number | undefined;
  let refused: number | undefined;
  let isOpen = false;
  socket.on('open', () => {
    isOpen = true;
  });
  socket.on('unexpected-response', (request, { statusCode }) => {
    refused = statusCode;
    request.destroy();
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    closedAt = Date.now();
  });
  socket.on('message', (text) => {
    const message: Message = JSON.parse(String(text));
    messages.push(message);
    if (polite && message.type === 'goodbye') socket.close(message.code);
  });
  await until(() => isOpen || refused !== undefined, 30_000);
  return {
    messages,
    get refused() {
      return refused;
    },
    get closedAt() {
      return closedAt;
    },
    of: (type: string) => messages.filter((message) => message.type === type),
    say: (message: unknown) => socket.send(JSON.stringify(message)),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    end: () => socket.terminate(),
  };
}

async function until(holds: () => boolean, milliseconds: number): Promise<void> {
  const end = Date.now() + milliseconds;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`waited ${milliseconds} ms in vain for ${holds}`);
    await wait(10);
  }
}

test.each<[string, string, string | readonly Permission[]]>([
  ['revoked', 'revoked_at', new Date().toISOString()],
  [
    'narrowed to another bucket',
    'permissions',
    [{ buckets: ['other-*'], actions: ['read', 'sync'] }],
  ],
  ['left without sync', 'permissions', [{ buckets: ['*'], actions: ['read', 'list'] }]],
  [
    'narrowed below the prefix',
    'permissions',
    [{ buckets: ['*'], prefix: 'a/b/', actions: ['sync'] }],
  ],
])('the channels of a key that is %s close within 5 s', async (name, field, value) => {
  const bucket = `closing-${name.replace(/\W/g, '-')}`.slice(0, 40);
  await createBucket(bucket);
  const key = await newKey();
  const followed = { action: 'subscribe', bucket, prefix: 'a/' };
  const [polite, mute, stranger] = await Promise.all([
    openChannel(key, { polite: true }),
    openChannel(key),
    openChannel(await newKey(), { polite: true }),
  ]);
  const all = [polite, mute, stranger];
  for (const channel of all) channel.say(followed);
  await until(() => all.every((channel) => channel.of('subscribed').length > 0), 30_000);

  const changed = Date.now();
  await changeKey(key, field, value);
  await until(() => polite.closedAt !== undefined && mute.closedAt !== undefined, 15_000);

  for (const channel of [polite, mute]) {
    expect(new Set(channel.of('goodbye').map(({ code }) => code))).toEqual(new Set([4401]));
    expect((channel.closedAt ?? 0) - changed).toBeLessThan(CLOSED_WITHIN_MS);
  }
  // Nothing reaches them any more; the channel of another key goes on.
  await admin.change(bucket, 'a/1', 'x');
  await until(() => stranger.of('changes').length > 0, 30_000);
  expect(stranger.of('goodbye')).toEqual([]);
  expect([...polite.of('changes'), ...mute.of('changes')]).toEqual([]);
  stranger.end();
});

test('a key without `sync` on a bucket is told `forbidden` and nothing else', async () => {
  await createBucket('shown');
  await createBucket('hidden');
  const key = await newKey([
    { buckets: ['*'], actions: ['read', 'write', 'list'] },
    { buckets: ['shown'], actions: ['sync'] },
  ]);
  const refused = await openChannel(key, { query: '?bucket=hidden' });
  expect(refused.refused).toBe(403);

  const channel = await openChannel(key);
  channel.say({ action: 'subscribe', bucket: 'hidden', cursor: 0 });
  channel.say({ action: 'subscribe', bucket: 'shown', cursor: 0 });
  channel.say({ action: 'ping', cursors: { hidden: 0 } });
  await until(() => channel.of('subscribed').length > 0 && channel.of('pong').length > 0, 30_000);
  await admin.change('hidden', 'secret', 'x');
  await admin.change('shown', 'known', 'x');
  await until(() => channel.of('changes').length > 0, 30_000);

  expect(channel.messages.filter(({ bucket }) => bucket === 'hidden')).toEqual([
    { type: 'error', bucket: 'hidden', error: expect.objectContaining({ code: 'forbidden' }) },
  ]);
  expect(channel.of('pong')).toEqual([{ type: 'pong', heads: {} }]);
  expect(JSON.stringify(channel.messages)).not.toContain('secret');
  channel.end();
});

/** Follows with the client of this repository; `cursors` fills up. */
async function follow(key: string, bucket: string, prefix: string, signal: AbortSignal) {
  const client = new StowageClient({
    baseUrl: service.baseUrl,
    apiKey: key,
    webSocket: (address, headers) => new WebSocket(address, { headers }),
  });
  const subscription = client.sync({ [bucket]: { prefix } }, { signal, transport: 'websocket' });
  const cursors: number[] = [];
  const follower = { cursors, subscription, bucket };
  const read = async () => {
    for await (const event of subscription.events()) {
      if (event.type === 'put') cursors.push(event.object.cursor);
    }
  };
  const done = read();
  const hasBegun = () => subscription.progress(bucket).cursor !== undefined;
  await Promise.race([until(hasBegun, 120_000), done]);
  return { ...follower, done };
}

const cursorOf = ({ subscription, bucket }: Awaited<ReturnType<typeof follow>>) =>
  subscription.progress(bucket).cursor ?? 0;

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + 1 + index);

test(`a burst of ${BURST} changes arrives whole`, async () => {
  await createBucket('burst');
  const stop = new AbortController();
  const key = await newKey();
  const all = await follow(key, 'burst', '', stop.signal);
  const some = await follow(key, 'burst', 'b/1', stop.signal);
  await commitMany(stores, 'burst', 'b/', BURST);
  await until(() => [all, some].every((one) => cursorOf(one) === BURST), 300_000);
  expect(all.cursors).toEqual(numbers(0, BURST));
  const due = [...Array(BURST).keys()].filter((n) => String(n).startsWith('1'));
  expect(some.cursors.length).toBe(due.length);
  expect(some.cursors).toEqual([...some.cursors].sort((a, b) => a - b));
  stop.abort();
  await Promise.all([all.done, some.done]);
});

/**
 * Changes that only the one that does not read is sent: more than sockets and the gateway keep for
 * it.
 */
const FILL = { changes: 600, padding: 24_000 };

/** Before, beside and after the one that does not read: so many each. */
const ROUNDS = 3;

test(`${SUBSCRIBERS} subscribers receive ${CHANGES} changes, also beside one that never reads`, async () => {
  await createBucket('crowd');
  const stop = new AbortController();
  setMaxListeners(SUBSCRIBERS, stop.signal);
  const crowd: Awaited<ReturnType<typeof follow>>[] = [];
  while (crowd.length < SUBSCRIBERS) {
    const key = await newKey();
    const wave = Math.min(SUBSCRIBERS_PER_KEY, SUBSCRIBERS - crowd.length);
    const joining = Array.from({ length: wave }, () => follow(key, 'crowd', 'x/', stop.signal));
    crowd.push(...(await Promise.all(joining)));
  }
  const head = async () => (await stores.buckets.get('crowd'))?.cursor ?? 0;
  const everyoneIsAt = (cursor: number) =>
    until(() => crowd.every((one) => cursorOf(one) === cursor), 300_000);
  const due: number[] = [];
  /** Milliseconds until everyone has everything, of each round. */
  const deliver = async (name: string) => {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const from = await head();
      const began = Date.now();
      await commitMany(stores, 'crowd', `x/${name}/${round}/`, Math.ceil(CHANGES / ROUNDS / 3));
      const to = await head();
      await everyoneIsAt(to);
      times.push(Date.now() - began);
      due.push(...numbers(from, to));
    }
    return times;
  };

  const before = await deliver('before');
  const mute = await openChannel(await newKey());
  mute.say({ action: 'subscribe', bucket: 'crowd' });
  await until(() => mute.of('subscribed').length > 0, 30_000);
  mute.pause();
  await commitMany(stores, 'crowd', 'fill/', FILL.changes, FILL.padding);
  await everyoneIsAt(await head());
  const beside = await deliver('beside');
  const heard = mute.of('changes').length;
  mute.resume();
  await until(() => mute.of('changes').length > heard, 30_000);
  mute.end();
  const after = await deliver('after');

  // Told, not judged: this machine's other work is in it too. test/lambdas/fanout/fanout.test.ts
  // judges what is posted to whom.
  const ratio = median(beside) / median([...before, ...after]);
  process.stdout.write(
    `${SUBSCRIBERS} subscribers, ms per round: ${before}, ${after}; beside one that never reads ${beside}: ` +
      `ratio ${ratio.toFixed(2)}\n`,
  );
  for (const { cursors } of crowd) expect(cursors).toEqual(due);
  // More than is kept for it was sent: posts to it were refused, or this shows nothing.
  const received = mute.of('changes').flatMap(({ changes = [] }) => changes);
  expect(received.length).toBeLessThan(FILL.changes);
  stop.abort();
  await Promise.all(crowd.map(({ done }) => done));
});

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
