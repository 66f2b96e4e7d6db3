/** Channels of temporary keys, on the fakes. */

import type { Permission } from '../../../core/access/ports';
import { newTemporaryKey, TemporaryKeySecret } from '../../../core/access/temporary-keys';
import { reviewChannels } from '../../../core/channel/revocation';
import { mintTicket } from '../../../core/channel/tickets';
import { BUCKET } from '../../support/bucket-world';
import { openChannelWorld } from '../../support/channel-world';

const MINE: Permission[] = [{ buckets: [BUCKET], prefix: 'a/', actions: ['sync'] }];

async function setUp() {
  const world = await openChannelWorld();
  const { deps, addKey } = world;
  const maker = addKey();
  const secret = await new TemporaryKeySecret(deps.serviceState, deps.clock).toMake();
  const expiresAt = new Date(deps.clock.now() + 60_000).toISOString();
  const restriction = { permissions: MINE, expiresAt };
  const text = newTemporaryKey(secret, maker.record, { generation: 0 }, restriction);
  return { ...world, maker, text, restriction };
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
