/**
 * Limits the open channels of an API key across all function instances, by a slot for each
 * connection. API Gateway does not always report the end of a connection, so a handshake that finds
 * no free slot checks some connections and frees the slots of closed ones.
 */
import { createHash } from 'node:crypto';
import type { SlotKind, Slots } from '../access/ports';
import { slotLimits } from '../access/slot-shares';
import { forEachConcurrently } from '../concurrency';
import { ServiceError } from '../errors';
import { LIMITS } from '../limits';
import type { Clock, Log } from '../system';
import type { Channels, Connection, Subscriptions } from './ports';

export interface ConnectionSlotsDeps {
  readonly slots: Slots;
  readonly subscriptions: Pick<Subscriptions, 'close'>;
  readonly channels: Pick<Channels, 'isOpen'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Log, 'error'>;
}

/**
 * Connections that are checked when there is no free slot; a handshake must not cost hundreds of
 * calls.
 */
const CHECKED = 10;

/** A connection younger than this may not be open yet: a handshake lasts up to 29 seconds. */
const HANDSHAKE_MS = 60_000;

const RETRY_SECONDS = 10;

type SlotOwner = Pick<Connection, 'id' | 'keyId' | 'restriction' | 'scope'>;

/**
 * Returns the kind of the slot. Channels opened with tickets have their own slots, spread over
 * items.
 */
function slotKind({ id, scope }: SlotOwner): SlotKind {
  if (scope === undefined) return 'channel';
  const hash = createHash('sha256').update(id).digest();
  return `tickets-${hash.readUInt32BE(0) % LIMITS.ticketSlotItems}`;
}

/**
 * Takes a slot for a new connection. `concurrent` limits the channels that the key has open at
 * once, not counting those opened with tickets. Throws rate_limited when the key has none left, or
 * the share of a temporary key. AWS calls: those of Slots.take, twice for a temporary key; when
 * every slot is taken also 1 GetItem, up to 10 GetConnection, and those of endConnection for each
 * closed connection.
 */
export async function takeConnectionSlot(
  deps: ConnectionSlotsDeps,
  owner: SlotOwner,
  concurrent: number,
): Promise<void> {
  const kind = slotKind(owner);
  const now = deps.clock.now();
  const until = now + LIMITS.connectionSeconds * 1000;
  const ofKind = kind === 'channel' ? concurrent : LIMITS.ticketSlotsPerItem;
  for (const { of, limit, isShare } of slotLimits(owner, ofKind)) {
    const request = { limit, holder: owner.id, now, until };
    if (await deps.slots.take(of, kind, request)) continue;
    await endLostConnections(deps, { connectionId: owner.id, of }, kind);
    if (await deps.slots.take(of, kind, request)) continue;
    if (!isShare) await releaseSlot(deps, owner);
    if (isShare) throw tooManyOfShare(kind === 'channel' ? limit : limit * LIMITS.ticketSlotItems);
    throw kind === 'channel' ? tooMany(limit) : tooManyOfTickets();
  }
}

function tooMany(concurrent: number): ServiceError {
  return refused(
    `this API key has ${concurrent} channels open, as many as its tier allows: close one, or follow more buckets on one (up to ${LIMITS.subscriptionsPerConnection})`,
    concurrent,
  );
}

function tooManyOfShare(concurrent: number): ServiceError {
  return refused(
    `temporary keys with these permissions have about ${concurrent} channels open, their share of the API key's: close some`,
    concurrent,
  );
}

function tooManyOfTickets(): ServiceError {
  const concurrent = LIMITS.ticketSlotItems * LIMITS.ticketSlotsPerItem;
  return refused(
    `this API key has about ${concurrent} channels open that tickets opened: close some, or make tickets with another key; the ticket is still valid`,
    concurrent,
  );
}

function refused(message: string, concurrent: number): ServiceError {
  return new ServiceError('rate_limited', {
    message,
    details: { class: 'connect', retry_after: RETRY_SECONDS, concurrent },
    headers: { 'Retry-After': String(RETRY_SECONDS) },
  });
}

/**
 * Removes a connection with its subscriptions, and frees its slot. Safe to repeat. AWS calls: those
 * of Subscriptions.close, and 1 UpdateItem if the connection was stored, 2 of a temporary key.
 */
export async function endConnection(
  deps: Pick<ConnectionSlotsDeps, 'slots' | 'subscriptions'>,
  connectionId: string,
): Promise<void> {
  await deps.subscriptions.close(connectionId, (connection) => releaseSlot(deps, connection));
}

async function releaseSlot(
  { slots }: Pick<ConnectionSlotsDeps, 'slots'>,
  owner: SlotOwner,
): Promise<void> {
  const kind = slotKind(owner);
  await Promise.all(slotLimits(owner, 0).map(({ of }) => slots.release(of, kind, owner.id)));
}

/**
 * Undoes a handshake that took a slot and failed, whether or not its connection was stored. Never
 * throws; leftovers expire with the slot. AWS calls: those of endConnection.
 */
export async function undoConnection(deps: ConnectionSlotsDeps, owner: SlotOwner): Promise<void> {
  const undone = await Promise.allSettled([
    deps.subscriptions.close(owner.id),
    releaseSlot(deps, owner),
  ]);
  for (const result of undone) {
    if (result.status === 'fulfilled') continue;
    deps.log.error('handshake_not_undone', { connectionId: owner.id, error: result.reason });
  }
}

/**
 * Ends the connections that the gateway no longer knows. Never throws: a connection that cannot be
 * checked counts as open.
 */
async function endLostConnections(
  deps: ConnectionSlotsDeps,
  { connectionId, of }: { readonly connectionId: string; readonly of: string },
  kind: SlotKind,
): Promise<void> {
  const { slots, channels, clock, log } = deps;
  const endsBefore = clock.now() + LIMITS.connectionSeconds * 1000 - HANDSHAKE_MS;
  try {
    const holders = [...(await slots.holders(of, kind))];
    const old = holders.filter(([, until]) => until < endsBefore).map(([id]) => id);
    await forEachConcurrently(sample(old, connectionId), CHECKED, async (id) => {
      try {
        if (await channels.isOpen(id)) return;
        await endConnection(deps, id);
        // The row may be gone although the slot is still taken.
        await slots.release(of, kind, id);
      } catch (error) {
        log.error('connection_not_checked', { connectionId: id, error });
      }
    });
  } catch (error) {
    log.error('slots_not_read', { owner: of, error });
  }
}

/**
 * Returns a different sample in each handshake, so that a few handshakes find every closed
 * connection.
 */
function sample(ids: readonly string[], seed: string): readonly string[] {
  const rank = (id: string) => createHash('sha256').update(`${seed} ${id}`).digest('hex');
  const ranked = ids.map((id) => [rank(id), id] as const).sort(([a], [b]) => (a < b ? -1 : 1));
  return ranked.slice(0, CHECKED).map(([, id]) => id);
}
