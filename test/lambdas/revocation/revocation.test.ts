/**
 * What happens to open channels when their key gets another secret or another expiry. Their clients
 * send nothing meanwhile.
 */
import { newApiKey } from '../../../core/access/api-key';
import type { ApiKeyRecord } from '../../../core/access/ports';
import { mintTicket } from '../../../core/channel/tickets';
import { createFanout } from '../../../lambdas/fanout/app';
import { createRevocation } from '../../../lambdas/revocation/app';
import { BUCKET, put } from '../../support/bucket-world';
import { openChannelWorld } from '../../support/channel-world';

const HOUR = 3_600_000;

async function setUp(extra: object = {}) {
  const world = await openChannelWorld();
  const { deps } = world;
  const fanout = createFanout(deps);
  const revocation = createRevocation(deps);
  const key = world.addKey(undefined, extra);
  const channel = await world.open('c1', key);
  await channel.say({ action: 'subscribe', bucket: BUCKET });
  const at = (milliseconds: number) => new Date(deps.clock.now() + milliseconds).toISOString();
  /** The stream reports the change a moment later. */
  const change = async (settings: Partial<ApiKeyRecord>) => {
    const record = deps.state.apiKeys.get(key.id);
    if (!record) throw new Error('no key');
    deps.state.apiKeys.set(key.id, { ...record, ...settings });
    const dynamodb = { Keys: { id: { S: key.id } }, SequenceNumber: '1' };
    return revocation({ Records: [{ eventName: 'MODIFY', dynamodb }] });
  };
  const revoke = () => change({ revokedAt: deps.clock.iso() });
  const rotate = (overlap: number) => {
    const { text, secretHash } = newApiKey(key.id);
    const previous = {
      previousSecretHash: key.record.secretHash,
      previousUntil: at(overlap),
    };
    const settings = { secretHash, generation: 1, ...(overlap > 0 && previous) };
    return change(settings).then(() => ({ ...key, text }));
  };
  /** Changes the bucket; returns what the channel receives. */
  const hears = async () => {
    await put(deps, 'a', 'x');
    const dynamodb = { SequenceNumber: '1', NewImage: { bucket: { S: BUCKET } } };
    await fanout({ Records: [{ eventName: 'INSERT', dynamodb }] });
    return channel.news().map(({ type }) => type);
  };
  return { ...world, key, channel, at, change, revoke, rotate, hears };
}

test('channels of the replaced secret are closed when there is no overlap', async () => {
  const { channel, rotate } = await setUp();
  await rotate(0);
  expect(channel.isClosed).toBe(true);
});

test('channels of the replaced secret are closed when the overlap ends, and those of the new one stay open', async () => {
  const { deps, channel, open, rotate, hears } = await setUp();
  const key = await rotate(HOUR);
  const other = await open('c2', key);
  await other.say({ action: 'subscribe', bucket: BUCKET });
  expect(await hears()).toEqual(['changes']);
  deps.clock.advance(HOUR);
  expect(await hears()).toEqual(['goodbye']);
  expect([channel.isClosed, other.isClosed]).toEqual([true, false]);
  expect(other.news().map(({ type }) => type)).toEqual(['changes', 'changes']);
});

test('a channel of the replaced secret cannot subscribe after the overlap', async () => {
  const { deps, channel, rotate } = await setUp();
  await rotate(HOUR);
  deps.clock.advance(HOUR);
  await channel.say({ action: 'subscribe', bucket: BUCKET });
  expect(channel.isClosed).toBe(true);
});

test('a ticket works as long as the secret that it was created with', async () => {
  const { deps, key, connect, rotate } = await setUp();
  const wanted = { keyId: key.id, bucket: BUCKET, prefix: '' };
  const [old, current] = [
    await mintTicket(deps, { ...wanted, generation: 0 }),
    await mintTicket(deps, { ...wanted, generation: 1 }),
  ];
  await rotate(0);
  const status = async (ticket: string) => (await connect('c3', { query: { ticket } })).statusCode;
  expect([await status(old.text), await status(current.text)]).toEqual([401, 200]);
});

test('a channel is closed at the new expiry when it is earlier', async () => {
  const { deps, channel, at, change, hears } = await setUp({
    expiresAt: '2030-01-01T00:00:00.000Z',
  });
  await change({ expiresAt: at(HOUR) });
  expect(await hears()).toEqual(['changes']);
  deps.clock.advance(HOUR);
  expect(await hears()).toEqual(['goodbye']);
  expect(channel.isClosed).toBe(true);
});

test.each(['extended', 'removed'])('a channel stays open when the expiry is %s', async (what) => {
  const { deps, key, channel, at, change, hears } = await setUp({
    expiresAt: '2026-01-01T01:00:00.000Z',
  });
  if (what === 'extended') {
    await change({ expiresAt: at(3 * HOUR) });
  } else {
    // Fanout runs before the stream of keys does.
    const { expiresAt, ...unlimited } = key.record;
    deps.state.apiKeys.set(key.id, unlimited);
  }
  deps.clock.advance(HOUR + 1);
  expect(await hears()).toEqual(['changes']);
  expect(channel.isClosed).toBe(false);
  const reads = jest.spyOn(deps.apiKeys, 'get');
  expect(await hears()).toEqual(['changes']);
  expect(reads).not.toHaveBeenCalled();
});

test('a subscription has the new expiry when it changes while it is stored', async () => {
  const { deps, bucket, key, channel, at } = await setUp();
  const { subscribe } = deps.subscriptions;
  const expiresAt = at(HOUR);
  jest.spyOn(deps.subscriptions, 'subscribe').mockImplementationOnce(async (...parameters) => {
    deps.state.apiKeys.set(key.id, { ...key.record, expiresAt });
    return subscribe.apply(deps.subscriptions, parameters);
  });
  await channel.say({ action: 'subscribe', bucket: BUCKET });
  expect(await deps.subscriptions.subscribers(bucket.id)).toMatchObject([
    { expiresAt: Date.parse(expiresAt) },
  ]);
});

test('the other channels of a narrowed key are closed when the review of one fails', async () => {
  const { deps, key, open, change } = await setUp();
  const others = [await open('c2', key), await open('c3', key)];
  for (const other of others) await other.say({ action: 'subscribe', bucket: BUCKET });
  const { close } = deps.subscriptions;
  jest.spyOn(deps.subscriptions, 'close').mockImplementation(async (id) => {
    if (id === 'c1') throw new Error('no response');
    await new Promise(setImmediate);
    return close.call(deps.subscriptions, id);
  });
  await change({ permissions: [] });
  expect(others.map(({ isClosed }) => isClosed)).toEqual([true, true]);
});

test('the channels of a revoked key are closed when their rows cannot be removed, and then reviewed again', async () => {
  const { deps, key, open, change, revoke } = await setUp();
  const other = await open('c2', key);
  jest.spyOn(deps.subscriptions, 'closeMany').mockRejectedValueOnce(new Error('no response'));
  expect(await revoke()).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
  expect(other.isClosed).toBe(true);
  expect(await deps.subscriptions.connectionsOf(key.id)).toHaveLength(2);
  expect(await change({})).toEqual({ batchItemFailures: [] });
  expect(await deps.subscriptions.connectionsOf(key.id)).toEqual([]);
});

test('a subscription that is stored while its key is revoked is not left behind', async () => {
  const { deps, bucket, channel, revoke } = await setUp();
  jest.spyOn(deps.subscriptions, 'subscribe').mockImplementationOnce(async (...parameters) => {
    const [connection, subscription] = parameters;
    await revoke();
    // The row of the connection was read before this one was stored.
    const { id: connectionId, connectedAt } = connection;
    const row = { connectionId, prefix: '', connectedAt };
    deps.state.followersOf(subscription.bucketId).set(connectionId, row);
    return true;
  });
  await channel.say({ action: 'subscribe', bucket: BUCKET });
  expect(await deps.subscriptions.subscribers(bucket.id)).toEqual([]);
});

describe('a revoked key with many channels', () => {
  async function openMany(count: number) {
    const world = await setUp();
    const more = Array.from({ length: count - 1 }, (_, n) => world.open(`m${n}`, world.key));
    const channels = [world.channel, ...(await Promise.all(more))];
    return { ...world, channels };
  }

  test('has at most 64 closed at a time, and all of them within the time of one farewell', async () => {
    const { deps, channels, revoke } = await openMany(300);
    let [now, most] = [0, 0];
    for (const call of ['post', 'disconnect'] as const) {
      const original = deps.channels[call].bind(deps.channels) as () => Promise<never>;
      jest.spyOn(deps.channels, call).mockImplementation(async (...parameters: unknown[]) => {
        now += 1;
        most = Math.max(most, now);
        await new Promise(setImmediate);
        now -= 1;
        return original(...(parameters as []));
      });
    }
    const began = deps.clock.now();
    expect(await revoke()).toEqual({ batchItemFailures: [] });

    expect(most).toBe(64);
    expect(deps.clock.now() - began).toBe(1_000);
    expect(channels.every(({ isClosed }) => isClosed)).toBe(true);
    expect(
      channels.flatMap((each) =>
        each
          .news()
          .map(({ code }) => code)
          .slice(-1),
      ),
    ).toEqual(Array(300).fill(4401));
    expect(deps.state.connections.size).toBe(0);
  });

  test('has them closed in time when its clients do not read, and gets no push from the first goodbye on', async () => {
    const { deps, bucket, channels, revoke } = await openMany(1_000);
    const slots = jest.spyOn(deps.slots, 'release');
    const began = deps.clock.now();
    const followers: number[] = [];
    jest.spyOn(deps.channels, 'post').mockImplementation(async () => {
      followers.push((await deps.subscriptions.subscribers(bucket.id)).length);
      const until = deps.clock.now() + 1_500;
      await new Promise(setImmediate);
      if (deps.clock.now() < until) deps.clock.advance(until - deps.clock.now());
      return 'busy';
    });

    expect(await revoke()).toEqual({ batchItemFailures: [] });
    expect(Math.max(...followers)).toBe(0);
    expect(deps.clock.now() - began).toBeLessThan(5_000);
    expect(channels.every(({ isClosed }) => isClosed)).toBe(true);
    // Nobody needs the slots, and the end of a connection finds nothing to do.
    for (const channel of channels) await channel.end();
    expect(slots).not.toHaveBeenCalled();
  });

  test('has the rest closed by the next invocation when the time of one ends', async () => {
    const { deps, channels, change, revoke } = await openMany(1_200);
    const { disconnect } = deps.channels;
    jest.spyOn(deps.channels, 'disconnect').mockImplementation(async (id) => {
      deps.clock.advance(45);
      return disconnect.call(deps.channels, id);
    });
    const open = () => channels.filter(({ isClosed }) => !isClosed).length;

    expect(await revoke()).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
    expect(open()).toBe(200);
    expect(await change({})).toEqual({ batchItemFailures: [] });
    expect(open()).toBe(0);
  });
});

test('a review that takes longer than one invocation is continued by the next one', async () => {
  const { deps, key, open, change } = await setUp();
  await Promise.all(Array.from({ length: 30 }, (_, n) => open(`m${n}`, key)));
  let reviewed = 0;
  jest.spyOn(deps.subscriptions, 'get').mockImplementation(async () => {
    reviewed += 1;
    deps.clock.advance(3_000);
    return undefined;
  });
  expect(await change({ name: 'renamed' })).toEqual({
    batchItemFailures: [{ itemIdentifier: '1' }],
  });
  expect(reviewed).toBeLessThan(30);
});
