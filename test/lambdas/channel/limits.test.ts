/** What one API key may have of channels, messages and replays, on the fakes. */
import { endConnection } from '../../../core/channel/connection-slots';
import { mintTicket } from '../../../core/channel/tickets';
import { BUCKET, put } from '../../support/bucket-world';
import { type ChannelWorld, type Message, openChannelWorld } from '../../support/channel-world';

const FOLLOW = { action: 'subscribe', bucket: BUCKET, cursor: 0 };
const PING = { action: 'ping', cursors: { [BUCKET]: 0 } };

const few = (concurrent: number) => ({ connect: { rate: 20, burst: 2000, concurrent } });

/** Runs `work` once, when the first range of changes is posted; the post waits for it. */
function duringReplay({ deps }: ChannelWorld, work: () => Promise<unknown>): void {
  const { post } = deps.channels;
  let isOver = false;
  jest.spyOn(deps.channels, 'post').mockImplementation(async (...message) => {
    if (!isOver && JSON.parse(message[1]).type === 'changes') {
      isOver = true;
      await work();
    }
    return post.apply(deps.channels, message);
  });
}

const typesOf = (messages: readonly Message[]) => messages.map(({ type }) => type);
const lastOf = (messages: readonly Message[], prefix?: string) =>
  Math.max(
    ...messages
      .filter((one) => one.type === 'changes' && one.prefix === prefix)
      .map(({ to }) => to),
  );

describe('the channels of a key', () => {
  test('are limited by its tier, and the refusal of a further one says what to do', async () => {
    const { addKey, connect, open, deps } = await openChannelWorld({ rates: few(2) });
    const key = addKey();
    const headers = { Authorization: `Bearer ${key.text}` };
    const first = await open('c1', key);
    await open('c2', key);

    const refused = await connect('c3', { headers });
    expect(refused).toMatchObject({ statusCode: 429, headers: { 'Retry-After': '10' } });
    expect(JSON.parse(refused.body).error).toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('close one, or follow more buckets on one'),
      details: { class: 'connect', retry_after: 10, concurrent: 2 },
    });
    expect([...deps.state.connections.keys()]).toEqual(['c1', 'c2']);
    await open('d1', addKey());

    // The end of a channel is reported twice, the second time late.
    await first.end();
    expect(await connect('c3', { headers })).toMatchObject({ statusCode: 200 });
    await first.end();
    expect(await connect('c4', { headers })).toMatchObject({ statusCode: 429 });
  });

  test('do not exceed the limit of its tier when handshakes are concurrent', async () => {
    const { addKey, connect } = await openChannelWorld({ rates: few(3) });
    const headers = { Authorization: `Bearer ${addKey().text}` };
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, n) => connect(`c${n}`, { headers })),
    );
    expect(all.filter(({ statusCode }) => statusCode === 200)).toHaveLength(3);
  });

  test('make room for another when the end of one was not reported', async () => {
    const { bucket, addKey, connect, open, deps } = await openChannelWorld({ rates: few(3) });
    const key = addKey();
    const headers = { Authorization: `Bearer ${key.text}` };
    for (const id of ['c1', 'c2', 'c3']) await (await open(id, key)).say(FOLLOW);
    deps.gateway.close('c2');

    // A connection that is not open yet looks the same.
    deps.clock.advance(59_000);
    expect(await connect('c4', { headers })).toMatchObject({ statusCode: 429 });
    deps.clock.advance(2_000);
    expect(await connect('c4', { headers })).toMatchObject({ statusCode: 200 });
    expect(await connect('c5', { headers })).toMatchObject({ statusCode: 429 });
    const followers = await deps.subscriptions.subscribers(bucket.id);
    expect(followers.map(({ connectionId }) => connectionId)).toEqual(['c1', 'c3']);
  });

  test('do not include one whose key was revoked during the handshake, or that was closed', async () => {
    const { addKey, connect, deps } = await openChannelWorld({ rates: few(3) });
    const { id, text, record } = addKey();
    const { open } = deps.subscriptions;
    jest.spyOn(deps.subscriptions, 'open').mockImplementationOnce(async (connection) => {
      deps.state.apiKeys.set(id, { ...record, revokedAt: deps.clock.iso() });
      await open.call(deps.subscriptions, connection);
    });
    const headers = { Authorization: `Bearer ${text}` };
    expect(await connect('c1', { headers })).toMatchObject({ statusCode: 401 });
    expect((await deps.slots.holders(id, 'channel')).size).toBe(0);
  });
});

describe('a handshake', () => {
  const query = (ticket: string) => ({ query: { ticket } });

  async function setUp(rates = few(1)) {
    const world = await openChannelWorld({ rates });
    const key = world.addKey();
    const headers = { Authorization: `Bearer ${key.text}` };
    const wanted = { keyId: key.id, bucket: BUCKET, prefix: '' };
    const mint = async () => query((await mintTicket(world.deps, wanted)).text);
    const taken = () =>
      [...world.deps.state.slots.values()].reduce((sum, { size }) => sum + size, 0);
    return { ...world, key, headers, mint, taken };
  }

  test('with a ticket is counted apart from those of the key, and its slot is freed', async () => {
    const { connect, key, mint, open, deps, taken } = await setUp();
    const own = await open('own', key);
    for (let n = 0; n < 200; n++) {
      expect(await connect(`t${n}`, await mint())).toMatchObject({ statusCode: 200 });
    }
    expect(taken()).toBe(201);
    const items = [...deps.state.slots.values()].filter(({ size }) => size > 1);
    expect(items).toHaveLength(8);
    await own.end();
    for (let n = 0; n < 200; n++) await endConnection(deps, `t${n}`);
    expect(taken()).toBe(0);
  });

  test('that finds no slot leaves its ticket valid, and one of several concurrent ones succeeds', async () => {
    const { connect, mint, deps, taken } = await setUp();
    const ticket = await mint();
    const refuse = jest.spyOn(deps.slots, 'take').mockResolvedValue(false);
    const refused = await connect('t0', ticket);
    expect(refused).toMatchObject({ statusCode: 429, headers: { 'Retry-After': '10' } });
    expect(JSON.parse(refused.body).error.details).toMatchObject({ concurrent: 8_000 });
    refuse.mockRestore();
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, n) => connect(`t${n + 1}`, ticket)),
    );
    expect(all.map(({ statusCode }) => statusCode).sort()).toEqual([200, ...Array(7).fill(401)]);
    expect(taken()).toBe(1);
  });

  test.each(['store', 'queue'] as const)(
    'that the %s fails leaves no row and no slot',
    async (at) => {
      const { connect, headers, deps, taken } = await setUp();
      const add = jest.spyOn(deps.deferredTasks, 'add').mockRejectedValue(new Error('no queue'));
      if (at === 'store') {
        const { open } = deps.subscriptions;
        jest.spyOn(deps.subscriptions, 'open').mockImplementationOnce(async (connection) => {
          await open.call(deps.subscriptions, connection);
          throw new Error('no response');
        });
      }
      const request = { headers, query: { bucket: BUCKET } };
      expect(await connect('c1', request)).toMatchObject({ statusCode: 500 });
      expect([deps.state.connections.size, taken()]).toEqual([0, 0]);
      add.mockRestore();
      expect(await connect('c1', request)).toMatchObject({ statusCode: 200 });
    },
  );

  test('is refused, not failed, when the other connections cannot be looked at', async () => {
    const { connect, headers, deps, open, key } = await setUp();
    await open('c1', key);
    deps.clock.advance(61_000);
    jest.spyOn(deps.channels, 'isOpen').mockRejectedValue(new Error('throttled'));
    expect(await connect('c2', { headers })).toMatchObject({ statusCode: 429 });
    expect(deps.state.connections.has('c1')).toBe(true);
  });
});

describe('a replay', () => {
  async function setUp(rates: Parameters<typeof openChannelWorld>[0] = {}, entries = 1_200) {
    const world = await openChannelWorld(rates);
    for (let n = 0; n < entries; n++) await put(world.deps, `k${n}`, 'x');
    return world;
  }
  const waits = (concurrent: number) => ({ wait: { rate: 20, burst: 50, concurrent } });

  test('ends when the connection subscribes to the bucket again', async () => {
    const world = await setUp();
    const channel = await world.open();
    duringReplay(world, () => channel.say({ ...FOLLOW, prefix: 'k' }));
    await channel.say(FOLLOW);
    const all = world.deps.gateway.messages('c1').map((text) => JSON.parse(text));
    expect([lastOf(all), lastOf(all, 'k')]).toEqual([500, 1_200]);
  });

  test('is not begun by a ping while another one of the bucket runs, and is afterwards', async () => {
    const world = await setUp();
    const channel = await world.open();
    await world.push();
    let meanwhile: Message[] = [];
    duringReplay(world, async () => {
      channel.news();
      meanwhile = await channel.say(PING);
    });
    await channel.say(FOLLOW);
    expect(typesOf(meanwhile)).toEqual(['pong']);
    expect(lastOf(await channel.say(PING))).toBe(1_200);
  });

  test('of a key is refused at the limit of its tier, and continues later', async () => {
    const world = await setUp({ rates: waits(1) });
    const key = world.addKey();
    const [first, second] = [await world.open('c1', key), await world.open('c2', key)];
    const other = await world.open('d1', world.addKey());
    let refused: Message[] = [];
    duringReplay(world, async () => {
      refused = await second.say(FOLLOW);
      expect(lastOf(await other.say(FOLLOW))).toBe(1_200);
    });
    await first.say(FOLLOW);
    expect(refused).toMatchObject([
      { type: 'subscribed', cursor: 0 },
      {
        type: 'error',
        bucket: BUCKET,
        error: {
          code: 'rate_limited',
          message: expect.stringContaining('subscribe from your cursor'),
          details: { class: 'wait', retry_after: 2, concurrent: 1 },
        },
      },
    ]);
    expect(lastOf(await second.say(FOLLOW))).toBe(1_200);
  });

  test('leaves its slot to the next when it fails', async () => {
    const world = await setUp({ rates: waits(1) }, 1);
    const channel = await world.open();
    jest.spyOn(world.deps.changeLog, 'read').mockRejectedValueOnce(new Error('no response'));
    expect(typesOf(await channel.say(FOLLOW))).toEqual(['subscribed', 'error']);
    expect(typesOf(await channel.say(FOLLOW))).toEqual(['subscribed', 'changes']);
  });

  test('takes a token of class `read` for each further 500 entries', async () => {
    const world = await setUp({ rates: { read: { rate: 0.1, burst: 2 } } });
    const messages = await (await world.open()).say(FOLLOW);
    expect(lastOf(messages)).toBe(1_000);
    expect(messages.at(-1)).toMatchObject({
      type: 'error',
      bucket: BUCKET,
      error: { code: 'rate_limited', details: { class: 'read' } },
    });
  });
});

test('the messages of all connections of a key take tokens of its class `read`', async () => {
  const { addKey, open } = await openChannelWorld({ rates: { read: { rate: 0.1, burst: 3 } } });
  const key = addKey();
  const channels = [await open('c1', key), await open('c2', key), await open('c3', key)];
  for (const channel of channels) expect(typesOf(await channel.say(PING))).toEqual(['pong']);
  for (const channel of channels) {
    expect(await channel.say('junk')).toMatchObject([
      { type: 'error', error: { code: 'rate_limited', details: { class: 'read' } } },
    ]);
  }
  const other = await open('d1', addKey());
  expect(typesOf(await other.say(PING))).toEqual(['pong']);
});
