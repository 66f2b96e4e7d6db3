/** The AWS calls of function `channel`, as scripts/cost/calls.ts and its comments state them. */
import { randomBytes } from 'node:crypto';
import { mintTicket } from '../../../core/channel/tickets';
import { callsOf } from '../../../scripts/cost/calls';
import { cost, LOG, setUp, useCountedService } from './counted-service';

useCountedService();

test('a handshake costs the documented calls with a key, with a bucket, and with a ticket', async () => {
  const { deps, clock, name, key, connect } = await setUp();
  await connect('first');
  clock.advance(60_000);
  const accepted = callsOf('handshake');
  expect(await cost(() => connect('a'))).toEqual(accepted);
  // The token lease of the previous handshake has expired.
  clock.advance(60_000);
  const queued = { ...accepted, SendMessage: 1 };
  expect(await cost(() => connect('b', { bucket: name }))).toEqual(queued);
  const wanted = { keyId: key.id, bucket: name, prefix: '', generation: 0 };
  clock.advance(60_000);
  let ticket = '';
  const mint = async () => {
    ({ text: ticket } = await mintTicket(deps, wanted));
  };
  expect(await cost(mint)).toEqual({ PutItem: 1 });
  // The slot is the first in its item.
  const redeemed = { ...accepted, UpdateItem: 3, GetItem: 3, DeleteItem: 1 };
  expect(await cost(() => connect('c', { ticket }, {}))).toEqual(redeemed);
});

test('a refused handshake costs no call, and one GetItem when its ticket is used or expired', async () => {
  const { deps, clock, name, key, connect } = await setUp();
  expect(await cost(() => connect('a', {}, {}))).toEqual({});
  for (const ticket of ['', 'none', 'x'.repeat(49), randomBytes(37).toString('base64url')]) {
    expect(await cost(() => connect('a', { ticket }, {}))).toEqual({});
  }
  const wanted = { keyId: key.id, bucket: name, prefix: '', generation: 0 };
  const [used, expired] = [await mintTicket(deps, wanted), await mintTicket(deps, wanted)];
  await connect('b', { ticket: used.text }, {});
  expect(await cost(() => connect('c', { ticket: used.text }, {}))).toEqual({ GetItem: 1 });
  clock.advance(60_000);
  expect(await cost(() => connect('d', { ticket: expired.text }, {}))).toEqual({ GetItem: 1 });
});

test('a subscribe message costs a slot, four reads and 8 Query more when there are entries to send', async () => {
  const { name, open, say, write } = await setUp();
  await write(LOG);
  const subscribe = { action: 'subscribe', bucket: name };
  const [first, second] = [await open(), await open()];
  // GetItem: the key twice, and the bucket's two items twice.
  const atHead = callsOf('subscribe');
  expect(await cost(() => say(first, { ...subscribe, cursor: LOG }))).toEqual(atHead);
  // UpdateItem: a slot, which is the first of its key, is taken and released.
  const caughtUp = { ...atHead, UpdateItem: 5, GetItem: 10, Query: 8, PostToConnection: 2 };
  expect(await cost(() => say(second, { ...subscribe, cursor: 0 }))).toEqual(caughtUp);
});

test('the end of a connection costs the documented calls', async () => {
  const { follow, end } = await setUp();
  const id = await follow();
  expect(await cost(() => end(id))).toEqual(callsOf('disconnect'));
});

test('a ping costs 8 Query more when the client missed entries', async () => {
  const { clock, name, follow, say, write } = await setUp();
  const id = await follow();
  const ping = { action: 'ping', cursors: { [name]: 0 } };
  const nothing = callsOf('ping');
  expect(await cost(() => say(id, ping))).toEqual(nothing);
  expect(await cost(() => say(id, { action: 'ping' }))).toEqual({ ...nothing, GetItem: 1 });
  await write(LOG);
  expect(await cost(() => say(id, ping))).toEqual({ ...nothing, GetItem: 3, Query: 1 });
  clock.advance(30_000);
  const caughtUp = { ...nothing, UpdateItem: 5, GetItem: 8, Query: 9, PostToConnection: 2 };
  expect(await cost(() => say(id, ping))).toEqual(caughtUp);
});

test('a ping that stores the cursor of a consumer costs an UpdateItem more', async () => {
  const { deps, clock, name, open, say, write } = await setUp();
  await write(LOG);
  const { id: bucketId = '' } = (await deps.buckets.get(name)) ?? {};
  const one = { bucketId, name: 'indexer', prefix: '', cursor: LOG - 1 };
  await deps.consumers.put({ ...one, updatedAt: new Date(0).toISOString() }, undefined);
  const connection = await open();
  const subscribe = { action: 'subscribe', bucket: name, consumer: 'indexer', cursor: LOG };
  expect(await cost(() => say(connection, subscribe))).toEqual({
    ...callsOf('subscribe'),
    GetItem: 7,
  });
  clock.advance(60_000);
  const ping = { action: 'ping', cursors: { [name]: LOG }, consumed: { [name]: LOG } };
  await say(connection, { action: 'ping' });
  expect(await cost(() => say(connection, ping))).toEqual(callsOf('pingOfConsumer'));
  expect((await deps.consumers.get(one))?.cursor).toBe(LOG);
});
