/** Consumers by the client: requests on the fakes, a channel with times as plain numbers. */
import { Channel, type Output } from '../../client/channel/channel';
import { FollowedBucket } from '../../client/channel/followed-bucket';
import { clientOfFakes } from './client-of-fakes';

async function open() {
  const meanwhile: { after?: (request: string) => Promise<void> } = {};
  const { client } = clientOfFakes({
    after: async ({ method, path }) => meanwhile.after?.(`${method} ${path}`),
  });
  await client.buckets.create('photos');
  for (const key of ['a', 'b', 'c']) await client.put('photos', key, key);
  const cursor = async () => (await client.consumers.get('photos', 'indexer')).cursor;
  const follow = { photos: { consumer: 'indexer' } };
  const subscribe = () => client.sync(follow, { transport: 'poll' });
  return { client, cursor, subscribe, meanwhile };
}

test('the client stores, reads, lists and deletes consumers', async () => {
  const { client } = await open();
  const made = await client.consumers.put('photos', 'indexer', { cursor: 1, ifCursor: null });
  expect(made).toMatchObject({ name: 'indexer', cursor: 1 });
  const { bucket_id: bucketId } = made;
  const back = client.consumers.put('photos', 'indexer', { cursor: 0 });
  await expect(back).rejects.toMatchObject({ code: 'precondition_failed' });
  await client.consumers.put('photos', 'indexer', { cursor: 0, ifCursor: 1, bucketId });
  const mine = { cursor: 3, prefix: 'a/', idempotencyKey: 'k' };
  await client.consumers.put('photos', 'mine', mine);
  const found = await client.consumers.get('photos', 'indexer');
  expect(found).toMatchObject({ cursor: 0, behind_retention: false });
  const { consumers, next_page_token: pageToken } = await client.consumers.list('photos', {
    limit: 1,
  });
  const rest = await client.consumers.list('photos', { limit: 1, pageToken });
  expect([...consumers, ...rest.consumers].map(({ name }) => name)).toEqual(['indexer', 'mine']);
  await client.consumers.delete('photos', 'mine');
  const gone = client.consumers.get('photos', 'mine');
  await expect(gone).rejects.toMatchObject({ code: 'not_found' });
});

test('a subscription continues where its consumer is, and stores where it ends', async () => {
  const { client, cursor, subscribe } = await open();
  await client.consumers.put('photos', 'indexer', { cursor: 1 });
  const seen: number[] = [];
  for await (const event of subscribe().events()) {
    if (event.type === 'put') seen.push(event.cursor);
    // The reader has got it, and is not done with it.
    if (event.type === 'cursor') break;
  }
  expect(seen).toEqual([2, 3]);
  expect(await cursor()).toBe(1);
  for await (const event of subscribe().events()) {
    if (event.type === 'cursor') continue;
    if (event.type === 'put' && event.cursor > 3) break;
    if (event.type === 'put' && event.cursor === 3) void client.put('photos', 'd', 'd');
  }
  expect(await cursor()).toBe(3);
});

/** Follows to the end of what there is, and lets `meanwhile` happen before the follower ends. */
async function followUntilEnd(
  { subscribe }: Awaited<ReturnType<typeof open>>,
  meanwhile: () => Promise<unknown>,
): Promise<void> {
  let isDone = false;
  for await (const event of subscribe().events()) {
    // The event after the last change: the reader is done with all of them.
    if (isDone) return;
    if (event.type !== 'cursor') continue;
    await meanwhile();
    isDone = true;
  }
}

test('a consumer that is deleted does not return when its follower ends', async () => {
  const world = await open();
  const { client } = world;
  await client.consumers.put('photos', 'indexer', { cursor: 1 });
  await followUntilEnd(world, async () => {
    await client.consumers.delete('photos', 'indexer');
    await client.put('photos', 'd', 'd');
  });
  expect((await client.consumers.list('photos')).consumers).toEqual([]);
});

test('a consumer that is deleted while its cursor is stored does not return', async () => {
  const world = await open();
  const { client, meanwhile } = world;
  await client.consumers.put('photos', 'indexer', { cursor: 1 });
  await followUntilEnd(world, async () => {
    await client.put('photos', 'd', 'd');
    meanwhile.after = async (request) => {
      if (request !== 'GET /buckets/photos/consumers/indexer') return;
      meanwhile.after = undefined;
      await client.consumers.delete('photos', 'indexer');
    };
  });
  expect(meanwhile.after).toBeUndefined();
  expect((await client.consumers.list('photos')).consumers).toEqual([]);
});

test.each([
  ['moved back', { cursor: 0, ifCursor: 1 }, 0],
  ['moved ahead', { cursor: 4 }, 4],
  ['moved forward by less', { cursor: 2 }, 3],
])('a consumer that is %s is at %j when its follower ends', async (_, to, expected) => {
  const world = await open();
  const { client, cursor } = world;
  await client.consumers.put('photos', 'indexer', { cursor: 1 });
  await followUntilEnd(world, async () => {
    await client.put('photos', 'd', 'd');
    await client.consumers.put('photos', 'indexer', to);
  });
  expect(await cursor()).toBe(expected);
});

test('a consumer that is already where its follower ends is not stored again', async () => {
  const world = await open();
  const { client, cursor, meanwhile } = world;
  await client.consumers.put('photos', 'indexer', { cursor: 1 });
  const requests: string[] = [];
  await followUntilEnd(world, async () => {
    await client.put('photos', 'd', 'd');
    await client.consumers.put('photos', 'indexer', { cursor: 3 });
    meanwhile.after = async (request) => void requests.push(request);
  });
  expect(await cursor()).toBe(3);
  expect(requests).toContain('GET /buckets/photos/consumers/indexer');
  expect(requests.filter((request) => request.startsWith('PUT'))).toEqual([]);
});

test('a consumer that was made again for other keys stays when its follower ends', async () => {
  const world = await open();
  const { client } = world;
  await client.consumers.put('photos', 'indexer', { cursor: 1 });
  await followUntilEnd(world, async () => {
    await client.consumers.delete('photos', 'indexer');
    await client.consumers.put('photos', 'indexer', { cursor: 1, prefix: 'b/' });
    await client.put('photos', 'd', 'd');
  });
  const found = await client.consumers.get('photos', 'indexer');
  expect(found).toMatchObject({ cursor: 1, prefix: 'b/' });
});

test('a consumer of another prefix ends the bucket', async () => {
  const { client, subscribe } = await open();
  await client.consumers.put('photos', 'indexer', { cursor: 1, prefix: 'b/' });
  const reading = (async () => {
    for await (const _ of subscribe()) break;
  })();
  await expect(reading).rejects.toMatchObject({
    ...{ code: 'invalid_request', details: { field: 'prefix' } },
  });
});

test('a consumer that does not exist ends the bucket', async () => {
  const { subscribe } = await open();
  const reading = (async () => {
    for await (const _ of subscribe()) break;
  })();
  await expect(reading).rejects.toMatchObject({ code: 'not_found' });
});

test('a mirror stores how far the copy is, and begins with a snapshot', async () => {
  const { client, cursor } = await open();
  await client.consumers.put('photos', 'indexer', { cursor: 0 });
  const types: string[] = [];
  const options = { consumer: 'indexer', transport: 'poll' } as const;
  for await (const event of client.mirror('photos', options)) {
    types.push(event.type);
    if (event.type === 'cursor') void client.put('photos', 'd', 'd');
    if (event.type === 'put') break;
  }
  expect(types.slice(0, 5)).toEqual(['reset', 'snapshot', 'snapshot', 'snapshot', 'cursor']);
  expect(await cursor()).toBe(3);
});

const ID = 'bucket000001';

function opened() {
  const followed = new FollowedBucket('photos', { consumer: 'indexer' });
  const channel = new Channel([followed], () => 0.5);
  channel.start(0);
  const outputs = channel.opened(0);
  const tell = (now: number, message: object) =>
    channel.received(now, JSON.stringify({ bucket: 'photos', bucket_id: ID, ...message }));
  return { channel, followed, outputs, tell };
}

const sent = (outputs: readonly Output[]) =>
  outputs.flatMap((output) => (output.type === 'send' ? [JSON.parse(output.text)] : []));

/** Ticks at each `wakeAt` until `until`; returns the messages with their times. */
function run(channel: Channel, from: number, until: number) {
  const all: (readonly [number, { consumed?: unknown }])[] = [];
  let now = from;
  for (let ticks = 0; ticks < 1000; ticks++) {
    now = Math.max(now, channel.wakeAt(now));
    if (now > until) return all;
    for (const message of sent(channel.tick(now))) {
      all.push([now, message]);
      const pong = { type: 'pong', heads: { photos: 9 } };
      channel.received(now, JSON.stringify(pong));
    }
  }
  throw new Error('the channel wakes without end');
}

test('a channel begins at the consumer, and stores what the reader is done with each 31 s', () => {
  const { channel, followed, outputs, tell } = opened();
  const subscribe = { action: 'subscribe', consumer: 'indexer', bucket: 'photos' };
  expect(sent(outputs)).toEqual([subscribe]);
  expect(run(channel, 0, 2_000)).toEqual([]);
  tell(2_000, { type: 'subscribed', cursor: 4, head: 9 });
  tell(2_000, { type: 'changes', from: 4, to: 9, head: 9, changes: [] });
  const stored = (from: number, until: number) =>
    run(channel, from, until).flatMap(([at, { consumed }]) => (consumed ? [[at, consumed]] : []));
  // Received, not done.
  expect(stored(2_000, 40_000)).toEqual([]);
  followed.consumed = 6;
  expect(stored(40_000, 64_000)).toEqual([[64_000, { photos: 6 }]]);
  followed.consumed = 9;
  expect(stored(64_001, 95_000)).toEqual([[95_000, { photos: 9 }]]);
});

test('a paused channel stores nothing, and does not wake for it', () => {
  const { channel, followed, tell } = opened();
  tell(0, { type: 'subscribed', cursor: 4, head: 4 });
  channel.pause();
  followed.consumed = 4;
  expect(run(channel, 0, 100_000).filter(([, { consumed }]) => consumed)).toEqual([]);
});
