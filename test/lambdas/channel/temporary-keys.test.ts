/** Channels of temporary keys, on the fakes. */

import type { Permission } from '../../../core/access/ports';
import { slotLimits } from '../../../core/access/slot-shares';
import { newTemporaryKey, TemporaryKeySecret } from '../../../core/access/temporary-keys';
import { endConnection } from '../../../core/channel/connection-slots';
import { reviewChannels } from '../../../core/channel/revocation';
import { mintTicket } from '../../../core/channel/tickets';
import { LIMITS } from '../../../core/limits';
import { BUCKET } from '../../support/bucket-world';
import { openChannelWorld } from '../../support/channel-world';

const MINE: Permission[] = [{ buckets: [BUCKET], prefix: 'a/', actions: ['sync'] }];

async function setUp(options: Parameters<typeof openChannelWorld>[0] = {}) {
  const world = await openChannelWorld(options);
  const { deps, addKey } = world;
  const maker = addKey();
  const secret = await new TemporaryKeySecret(deps.serviceState, deps.clock).toMake();
  const expiresAt = new Date(deps.clock.now() + 60_000).toISOString();
  const restriction = { permissions: MINE, expiresAt };
  const text = newTemporaryKey(secret, maker.record, { generation: 0 }, restriction);
  const textFor = (permissions: Permission[]) =>
    newTemporaryKey(secret, maker.record, { generation: 0 }, { permissions, expiresAt });
  return { ...world, maker, text, textFor, restriction };
}

const follow = (prefix: string) => ({ action: 'subscribe', bucket: BUCKET, prefix });

test('a channel of a temporary key follows what the key may, and nothing else', async () => {
  const { open, maker, text } = await setUp();
  const channel = await open('c1', { ...maker, text });
  expect(await channel.say(follow(''))).toMatchObject([
    { type: 'error', error: { code: 'forbidden' } },
  ]);
  expect(await channel.say(follow('a/1/'))).toMatchObject([{ type: 'subscribed' }]);
});

test('a channel of a temporary key ends with the next message after its time', async () => {
  const { deps, open, maker, text } = await setUp();
  const channel = await open('c1', { ...maker, text });
  deps.clock.advance(60_000);
  expect(await channel.say({ action: 'ping' })).toMatchObject([{ type: 'goodbye', code: 4401 }]);
});

test('a channel of a temporary key ends with its maker', async () => {
  const { deps, open, maker, text } = await setUp();
  const channel = await open('c1', { ...maker, text });
  await channel.say(follow('a/'));
  deps.state.apiKeys.set(maker.id, { ...maker.record, revokedAt: deps.clock.iso() });
  await reviewChannels(deps, [maker.id]);
  expect(channel.news()).toMatchObject([{ type: 'goodbye', code: 4401 }]);
});

test('a ticket of a temporary key opens a channel with its restriction', async () => {
  const { deps, connect, restriction, maker } = await setUp();
  const scope = { bucket: BUCKET, prefix: '' };
  const ticket = await mintTicket(deps, { keyId: maker.id, generation: 0, restriction, ...scope });
  const refused = await connect('c1', { query: { ticket: ticket.text, bucket: BUCKET } });
  expect(refused.statusCode).toBe(403);
  const query = { ticket: ticket.text, bucket: BUCKET, prefix: 'a/' };
  expect((await connect('c2', { query })).statusCode).toBe(200);
  expect((await deps.subscriptions.get('c2'))?.restriction).toEqual(restriction);
});

test('temporary keys with the same permissions have half of the channels of their maker', async () => {
  const rates = { connect: { rate: 20, burst: 2000, concurrent: 4 } };
  const { connect, deps, maker, text, textFor } = await setUp({ rates });
  const others = textFor([{ buckets: [BUCKET], prefix: 'b/', actions: ['sync'] }]);
  const ask = (id: string, key: string) =>
    connect(id, { headers: { Authorization: `Bearer ${key}` } });
  expect((await ask('a1', text)).statusCode).toBe(200);
  expect((await ask('a2', text)).statusCode).toBe(200);
  const refused = await ask('a3', text);
  expect(refused).toMatchObject({ statusCode: 429, headers: { 'Retry-After': '10' } });
  expect(JSON.parse(refused.body).error).toMatchObject({
    code: 'rate_limited',
    message: expect.stringContaining('their share of the API key'),
    details: { class: 'connect', concurrent: 2 },
  });
  expect((await ask('b1', others)).statusCode).toBe(200);
  expect((await ask('m1', maker.text)).statusCode).toBe(200);

  await endConnection(deps, 'a1');
  expect((await ask('m2', maker.text)).statusCode).toBe(200);
  // Every slot of the maker is taken: the refusal leaves the share as it was.
  expect((await ask('a3', text)).statusCode).toBe(429);
  await endConnection(deps, 'm2');
  expect((await ask('a3', text)).statusCode).toBe(200);
});

test('tickets of temporary keys open channels within a share, too', async () => {
  const { connect, deps, maker, restriction } = await setUp();
  const scope = { bucket: BUCKET, prefix: 'a/' };
  const ticket = await mintTicket(deps, { keyId: maker.id, generation: 0, restriction, ...scope });
  const [share] = slotLimits({ keyId: maker.id, restriction }, LIMITS.ticketSlotsPerItem);
  const { of = '', limit = 0 } = share ?? {};
  const now = deps.clock.now();
  for (let item = 0; item < LIMITS.ticketSlotItems; item++) {
    for (let n = 0; n < limit; n++) {
      const request = {
        limit,
        holder: `other${n}`,
        now,
        until: now + LIMITS.connectionSeconds * 1000,
      };
      await deps.slots.take(of, `tickets-${item}`, request);
    }
  }
  const query = { ticket: ticket.text, ...scope };
  const refused = await connect('c1', { query });
  expect(refused.statusCode).toBe(429);
  expect(JSON.parse(refused.body).error.details).toMatchObject({ concurrent: 4000 });
  for (let item = 0; item < LIMITS.ticketSlotItems; item++)
    await deps.slots.release(of, `tickets-${item}`, 'other0');
  expect((await connect('c1', { query })).statusCode).toBe(200);
});
