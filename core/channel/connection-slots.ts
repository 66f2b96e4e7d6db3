/**
 * How many channels an API key has open at once, over all function instances: a slot for each
 * connection. API Gateway reports the end of a connection at best, so a key without a free slot is
 * helped to those of connections that are gone.
 */
import { createHash } from 'node:crypto';
import type { Slots } from '../access/ports';
import { forEachConcurrently } from '../concurrency';
import { ServiceError } from '../errors';
import { LIMITS } from '../limits';
import type { Clock } from '../system';
import type { Channels, Subscriptions } from './ports';

export interface ConnectionSlotsDeps {
  readonly slots: Slots;
  readonly subscriptions: Pick<Subscriptions, 'close'>;
  readonly channels: Pick<Channels, 'isOpen'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Connections that are looked for when there is no slot; a handshake must not cost hundreds. */
const CHECKED = 10;

/** A younger connection may not be open yet: a handshake lasts up to 29 seconds. */
const HANDSHAKE_MS = 60_000;

const RETRY_SECONDS = 10;

interface SlotWanted {
  readonly keyId: string;
  readonly connectionId: string;
  /** Channels that the key may have open at once. */
  readonly limit: number;
}

/**
 * Takes a slot for a new connection. Throws rate_limited when the key has none left. AWS calls:
 * those of Slots.take; when every slot is taken also 1 GetItem, up to 10 GetConnection, and those
 * of endConnection for each connection that is gone.
 */
export async function takeConnectionSlot(
  deps: ConnectionSlotsDeps,
  wanted: SlotWanted,
): Promise<void> {
  const { keyId, connectionId: holder, limit } = wanted;
  const now = deps.clock.now();
  const request = { limit, holder, now, until: now + LIMITS.connectionSeconds * 1000 };
  if (await deps.slots.take(keyId, 'channel', request)) return;
  await endLostConnections(deps, wanted);
  if (await deps.slots.take(keyId, 'channel', request)) return;
  throw new ServiceError('rate_limited', {
    message: `this API key has ${limit} channels open, as many as its tier allows: close one, or follow more buckets on one (up to ${LIMITS.subscriptionsPerConnection})`,
    details: { class: 'connect', retry_after: RETRY_SECONDS, concurrent: limit },
    headers: { 'Retry-After': String(RETRY_SECONDS) },
  });
}

/**
 * Removes a connection with its subscriptions, and frees its slot. Safe to repeat. AWS calls: those
 * of Subscriptions.close, and 1 UpdateItem if the connection was stored.
 */
export async function endConnection(
  deps: Pick<ConnectionSlotsDeps, 'slots' | 'subscriptions'>,
  connectionId: string,
): Promise<void> {
  const keyId = await deps.subscriptions.close(connectionId);
  if (keyId !== undefined) await deps.slots.release(keyId, 'channel', connectionId);
}

async function endLostConnections(
  deps: ConnectionSlotsDeps,
  { keyId, connectionId }: SlotWanted,
): Promise<void> {
  const { slots, channels, clock } = deps;
  const youngest = clock.now() + LIMITS.connectionSeconds * 1000 - HANDSHAKE_MS;
  const holders = [...(await slots.holders(keyId, 'channel'))];
  const old = holders.filter(([, until]) => until < youngest).map(([id]) => id);
  await forEachConcurrently(sample(old, connectionId), CHECKED, async (id) => {
    if (await channels.isOpen(id)) return;
    await endConnection(deps, id);
    // Its row may be gone although its slot is not.
    await slots.release(keyId, 'channel', id);
  });
}

/** Others in each handshake, so that the connections that are gone are found after a few. */
function sample(ids: readonly string[], seed: string): readonly string[] {
  const rank = (id: string) => createHash('sha256').update(`${seed} ${id}`).digest('hex');
  const ranked = ids.map((id) => [rank(id), id] as const).sort(([a], [b]) => (a < b ? -1 : 1));
  return ranked.slice(0, CHECKED).map(([, id]) => id);
}
