import { once } from 'node:events';
import { WebSocket } from 'ws';
import { closeUnauthorized, reviewChannel } from '../../core/channel/closing';
import { takeConnectionSlot } from '../../core/channel/connection-slots';
import { Replay } from '../../core/channel/replays';
import { ServiceError } from '../../core/errors';
import { readAfter, readBucketState } from '../../core/log/cursor-reads';
import { publishChanges } from '../../core/log/publish';
import { until } from '../support/until';
import type { Administration, MadeKey } from './administration';
import type { Stores } from './roles';
import type { World } from './world';

type As = (functionName: string) => Stores;

const BUCKET = 'grants-channels';

/** The janitor of the running service may fill one gap first, but hardly three. */
const GAPS = 3;

/**
 * Channels of keys that are changed, revoked and expire, and gaps of crashed writers in a bucket
 * that has a subscription.
 */
export async function channelsEnd(
  world: World,
  as: As,
  administration: Administration,
): Promise<void> {
  const bucketId = await world.bucket(BUCKET);
  const [sync, changes, fanout] = [as('Channel'), as('Changes'), as('Fanout')];
  const { subscriptions } = world.operator;

  // Long enough that the function looks at the key again.
  await world.storage('GET', `/sync?bucket=${BUCKET}&wait=3`);

  const revoked = await administration.makeKey();
  const first = await follow(world, revoked);
  const expires = new Date(Date.now() + 7_200_000).toISOString();
  await administration.change(revoked.id, { expires_at: expires });
  await until('the subscription to know the new expiry', async () =>
    (await subscriptions.subscribers(bucketId)).some(
      ({ expiresAt }) => expiresAt === Date.parse(expires),
    ),
  );
  await administration.revoke(revoked.id);
  await ended(first);

  const narrowed = await administration.makeKey();
  const other = await follow(world, narrowed);
  const permissions = [{ buckets: ['another'], actions: ['sync'] }];
  await administration.change(narrowed.id, { permissions });
  await ended(other);

  // The clock of the functions here is two days ahead, so that the keys have expired.
  const pinging = await administration.makeKey();
  const second = await follow(world, pinging);
  const connection = await sync.subscriptions.get(await connectionOf(world, pinging));
  if (connection === undefined) throw new Error('the connection is not registered');
  await closeUnauthorized(sync, connection.id);
  await ended(second);

  const pushed = await administration.makeKey();
  const third = await follow(world, pushed);
  await replaying(fanout, pushed.id);
  const last = await connectionOf(world, pushed);
  // The key has no slot left: the connection that holds one is looked for, two minutes after its
  // handshake.
  const wanted = { keyId: pushed.id, id: 'one more' };
  const soon = { ...sync, clock: { ...sync.clock, now: () => Date.now() + 120_000 } };
  const refusal: unknown = await takeConnectionSlot(soon, wanted, 0).catch(
    (error: unknown) => error,
  );
  if (!(refusal instanceof ServiceError && refusal.code === 'rate_limited')) throw refusal;
  await reviewChannel(fanout, last);
  await ended(third);

  for (const reader of [sync, changes]) {
    for (let n = 0; n < GAPS; n++) {
      const { cursor, id } = await world.record(BUCKET);
      await world.operator.commits.allocate({ name: BUCKET, id });
      await world.storage('PUT', `/objects/${BUCKET}/x`, { body: 'behind a gap' });
      await readAfter(reader, await readBucketState(reader, BUCKET), cursor, 100);
    }
  }
  for (let n = 0; n < GAPS; n++) {
    const upTo = await world.operator.commits.allocate({ name: BUCKET, id: bucketId });
    await publishChanges(fanout, BUCKET, { id: bucketId, fillAllGaps: true, upTo });
  }
  sync.close();
  changes.close();
  fanout.close();
}

/** Opens a channel that subscribes to the bucket and ignores `goodbye`. */
async function follow(world: World, { bearer }: MadeKey): Promise<WebSocket> {
  const headers = { authorization: `Bearer ${bearer}` };
  const socket = new WebSocket(world.syncUrl, { headers });
  await once(socket, 'open');
  const response = once(socket, 'message');
  socket.send(JSON.stringify({ action: 'subscribe', bucket: BUCKET }));
  const [message] = await response;
  if (JSON.parse(String(message)).type !== 'subscribed') throw new Error(String(message));
  return socket;
}

async function connectionOf(world: World, { id }: MadeKey): Promise<string> {
  const [connectionId] = await world.operator.subscriptions.connectionsOf(id);
  if (connectionId === undefined) throw new Error(`no connection of key ${id}`);
  return connectionId;
}

async function ended(socket: WebSocket): Promise<void> {
  if (socket.readyState !== WebSocket.CLOSED) await once(socket, 'close');
}

/** A replay of more than one page. */
async function replaying(stores: Stores, keyId: string): Promise<void> {
  const owner = { keyId, connectionId: 'a connection', bucketId: 'a bucket', limit: 1 };
  const replay = await Replay.begin(stores, owner);
  await replay.isCurrent();
  await replay.end();
}
