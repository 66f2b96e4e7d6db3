/** What the server does for a client's messages, and how long. */
import { RateLimiter } from '../../../core/access/rate-limiter';
import { createBucket } from '../../../core/buckets/buckets';
import { ping, subscribe, unsubscribe } from '../../../core/channel/channel';
import { publishChanges } from '../../../core/log/publish';
import { BUCKET, openBucket, type World } from '../../support/bucket-world';
import { newKey } from '../../support/samples';

const OTHER = 'another';

async function addEntries(deps: World, bucket: { name: string; id: string }, count: number) {
  for (let n = 0; n < count; n++) {
    const cursor = Number(await deps.commits.allocate(bucket));
    const noop = { type: 'noop', bucket: bucket.name, cursor, at: deps.clock.iso() } as const;
    await deps.changeLog.fill(bucket.id, noop);
  }
  await publishChanges(deps, bucket.name);
}

/** A channel, and two buckets with that many entries each. */
async function open(entries: number) {
  const { deps, bucket } = await openBucket();
  const other = await createBucket(deps, OTHER);
  if (!other) throw new Error('no bucket');
  for (const one of [bucket, other]) await addEntries(deps, one, entries);
  const key = newKey();
  deps.state.apiKeys.set(key.id, key);
  await deps.subscriptions.open({ id: 'c1', keyId: key.id, connectedAt: deps.clock.now() });
  deps.gateway.open('c1');
  const limiter = new RateLimiter(deps);
  const takeToken = jest.spyOn(limiter, 'takeToken');
  const world = { ...deps, limiter };
  const sender = async () => {
    const connection = await deps.subscriptions.get('c1');
    if (!connection) throw new Error('no connection');
    return { connection, key };
  };
  let read = 0;
  const news = () => {
    const all = deps.gateway.messages('c1').map((text) => JSON.parse(text));
    const since = all.slice(read);
    read = all.length;
    return since;
  };
  const follow = async (name: string, cursor?: number) =>
    subscribe(world, await sender(), {
      bucket: name,
      prefix: '',
      ...(cursor !== undefined && { cursor }),
    });
  const report = async (cursors: Record<string, number>) => {
    const reported = { cursors: new Map(Object.entries(cursors)), consumed: new Map() };
    await ping(world, await sender(), reported);
    return news();
  };
  const ranges = () =>
    news().flatMap(({ type, bucket: name, from, to, more = false }) =>
      type === 'changes' ? [[name, from, to, more]] : [],
    );
  /** Does the work before the nth post of changes, by n. */
  const beforePosts = (works: Readonly<Record<number, () => unknown>>) => {
    const post = deps.channels.post.bind(deps.channels);
    let posts = 0;
    jest.spyOn(deps.channels, 'post').mockImplementation(async (id, text) => {
      if (JSON.parse(text).type === 'changes') await works[++posts]?.();
      return post(id, text);
    });
  };
  return {
    deps: world,
    bucket,
    other,
    key,
    takeToken,
    sender,
    news,
    follow,
    report,
    ranges,
    beforePosts,
  };
}

const replayOf = (bucketId: string) => `c1 ${bucketId}`;

describe('subscribe', () => {
  test('replays nothing at the head, and stops no replay of a first subscription', async () => {
    const { deps, news, follow } = await open(2);
    const take = jest.spyOn(deps.slots, 'take');
    const release = jest.spyOn(deps.slots, 'release');
    const expiry = jest.spyOn(deps.subscriptions, 'setKeyExpiry');
    await follow(BUCKET, 2);
    expect(news()).toMatchObject([{ type: 'subscribed', cursor: 2, head: 2 }]);
    for (const call of [take, release, expiry]) expect(call).not.toHaveBeenCalled();
    await follow(BUCKET);
    expect(release).toHaveBeenCalledTimes(1);
  });

  test('stores the expiry of the key when it changes meanwhile', async () => {
    const { deps, bucket, key, follow } = await open(1);
    const expiresAt = new Date(deps.clock.now() + 1_000).toISOString();
    deps.state.apiKeys.set(key.id, { ...key, expiresAt });
    await follow(BUCKET);
    expect(await deps.subscriptions.subscribers(bucket.id)).toMatchObject([
      { expiresAt: Date.parse(expiresAt) },
    ]);
  });

  test('takes a token for each further 500 entries, and frees its replay', async () => {
    const { deps, key, takeToken, follow, ranges } = await open(1_100);
    await follow(BUCKET, 0);
    expect(ranges()).toHaveLength(3);
    expect(takeToken.mock.calls.map(([, kind]) => kind)).toEqual(['read', 'read']);
    expect((await deps.slots.holders(key.id, 'replay')).size).toBe(0);
  });

  test('ends its replay when it is stopped', async () => {
    const { deps, bucket, key, follow, ranges, beforePosts } = await open(1_100);
    beforePosts({ 1: () => deps.slots.release(key.id, 'replay', replayOf(bucket.id)) });
    await follow(BUCKET, 0);
    expect(ranges()).toEqual([[BUCKET, 0, 500, false]]);
  });

  test('leaves the earlier subscription after an error that another request may avoid', async () => {
    const { deps, follow, news } = await open(1);
    await follow(BUCKET);
    news();
    await follow(BUCKET, 9);
    expect(news()).toMatchObject([{ type: 'error', error: { code: 'invalid_request' } }]);
    expect((await deps.subscriptions.get('c1'))?.subscriptions.size).toBe(1);
  });

  test('is refused when the connection follows as many buckets as it may', async () => {
    const { deps, follow, news } = await open(1);
    jest.spyOn(deps.subscriptions, 'subscribe').mockResolvedValue(false);
    await follow(BUCKET);
    const details = { field: 'bucket', rule: 'too many subscriptions' };
    expect(news()).toMatchObject([{ type: 'error', error: { code: 'invalid_request', details } }]);
  });
});

test('unsubscribe of a bucket that is not followed says so, too', async () => {
  const { deps, sender, news } = await open(0);
  await unsubscribe(deps, await sender(), BUCKET, 3);
  expect(news()).toEqual([{ type: 'unsubscribed', bucket: BUCKET }]);
});

describe('ping', () => {
  async function openBehind(entries: number) {
    const world = await open(0);
    for (const name of [BUCKET, OTHER]) await world.follow(name);
    await addEntries(world.deps, world.bucket, entries);
    await addEntries(world.deps, world.other, entries);
    world.news();
    return world;
  }
  const both = { [BUCKET]: 0, [OTHER]: 0 };

  test.each([
    [7_999, [BUCKET, OTHER]],
    [8_000, [BUCKET]],
  ])('leaves out buckets when it has taken %i ms', async (elapsed, names) => {
    const { deps, report } = await openBehind(0);
    const stats = deps.buckets.stats.bind(deps.buckets);
    jest.spyOn(deps.buckets, 'stats').mockImplementationOnce(async (name) => {
      deps.clock.advance(elapsed);
      return stats(name);
    });
    const [pong] = await report(both);
    expect(Object.keys(pong.heads)).toEqual(names);
  });

  test('gives each bucket an equal share of the time that is left', async () => {
    const { deps, report, news, beforePosts } = await openBehind(1_100);
    beforePosts({
      1: () => deps.clock.advance(4_000),
      3: () => deps.clock.advance(3_999),
    });
    const messages = await report(both);
    expect(messages.slice(1).map(({ bucket, to, more }) => [bucket, to, more])).toEqual([
      [BUCKET, 500, undefined],
      [BUCKET, 1_000, true],
      [OTHER, 500, undefined],
      [OTHER, 1_000, undefined],
      [OTHER, 1_100, undefined],
    ]);
    expect(news()).toEqual([]);
  });

  test('sends nothing of the next bucket when its time is over', async () => {
    const { deps, report, beforePosts } = await openBehind(10);
    beforePosts({ 1: () => deps.clock.advance(8_000) });
    expect((await report(both)).map(({ bucket }) => bucket)).toEqual([undefined, BUCKET]);
  });

  test('begins no replay of a bucket while one runs', async () => {
    const { deps, bucket, key, report } = await openBehind(10);
    const now = deps.clock.now();
    const request = { limit: 9, holder: replayOf(bucket.id), now, until: now + 1 };
    await deps.slots.take(key.id, 'replay', request);
    expect((await report(both)).map(({ bucket: name }) => name)).toEqual([undefined, OTHER]);
  });

  test('ends when the key has as many replays as it may, and not for another error', async () => {
    const { deps, bucket, report } = await openBehind(10);
    const take = jest.spyOn(deps.slots, 'take').mockResolvedValue(false);
    const refused = await report(both);
    expect(refused.map(({ error }) => error?.code)).toEqual([undefined, 'rate_limited']);
    take.mockRestore();
    const { get } = deps.buckets;
    const reads = jest.spyOn(deps.buckets, 'get');
    reads.mockImplementation(async (name) => {
      const isReplay = reads.mock.calls.length > 2;
      return name === bucket.name && isReplay ? undefined : get.call(deps.buckets, name);
    });
    const messages = await report(both);
    expect(messages.map(({ type, bucket: name }) => [type, name])).toEqual([
      ['pong', undefined],
      ['error', BUCKET],
      ['changes', OTHER],
    ]);
  });
});
