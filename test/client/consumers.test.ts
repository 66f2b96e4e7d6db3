/** Consumers by the client, against the operations of the service on the fakes. */
import { clientOfFakes } from './client-of-fakes';

async function open() {
  const hooks: { after?: (request: string) => Promise<void> } = {};
  const { client } = clientOfFakes({
    after: async ({ method, path }) => hooks.after?.(`${method} ${path}`),
  });
  await client.buckets.create('photos');
  for (const key of ['a', 'b', 'c']) await client.put('photos', key, key);
  const cursor = async () => (await client.consumers.get('photos', 'indexer')).cursor;
  const follow = { photos: { consumer: 'indexer' } };
  const subscribe = () => client.sync(follow, { transport: 'poll' });
  return { client, cursor, subscribe, hooks };
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

test('a subscription begins at the cursor of its consumer, and stores where it ends', async () => {
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

/** Follows every change, and calls `before` between the last one and the end of the follower. */
async function followUntilEnd(
  { subscribe }: Awaited<ReturnType<typeof open>>,
  before: () => Promise<unknown>,
): Promise<void> {
  let isDone = false;
  for await (const event of subscribe().events()) {
    // The event after the last change: the reader is done with all of them.
    if (isDone) return;
    if (event.type !== 'cursor') continue;
    await before();
    isDone = true;
  }
}

test('a deleted consumer is not created again when its follower ends', async () => {
  const world = await open();
  const { client } = world;
  await client.consumers.put('photos', 'indexer', { cursor: 1 });
  await followUntilEnd(world, async () => {
    await client.consumers.delete('photos', 'indexer');
    await client.put('photos', 'd', 'd');
  });
  expect((await client.consumers.list('photos')).consumers).toEqual([]);
});

test('a consumer that is deleted while its cursor is stored is not created again', async () => {
  const world = await open();
  const { client, hooks } = world;
  await client.consumers.put('photos', 'indexer', { cursor: 1 });
  await followUntilEnd(world, async () => {
    await client.put('photos', 'd', 'd');
    hooks.after = async (request) => {
      if (request !== 'GET /buckets/photos/consumers/indexer') return;
      hooks.after = undefined;
      await client.consumers.delete('photos', 'indexer');
    };
  });
  expect(hooks.after).toBeUndefined();
  expect((await client.consumers.list('photos')).consumers).toEqual([]);
});

test.each([
  ['move back', { cursor: 0, ifCursor: 1 }, 0],
  ['move ahead', { cursor: 4 }, 4],
  ['move forward by less', { cursor: 2 }, 3],
])(
  'a consumer that others %s during the loop ends at the right cursor: %j',
  async (_, to, expected) => {
    const world = await open();
    const { client, cursor } = world;
    await client.consumers.put('photos', 'indexer', { cursor: 1 });
    await followUntilEnd(world, async () => {
      await client.put('photos', 'd', 'd');
      await client.consumers.put('photos', 'indexer', to);
    });
    expect(await cursor()).toBe(expected);
  },
);

test('a subscription throws when its consumer does not exist', async () => {
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
