/**
 * Connections and what they follow, for the Subscriptions contract. Every name is new, so that
 * tests share a table without meeting.
 */
import type { Connection, Subscription, Subscriptions } from '../../core/channel/ports';
import { NOW, newName } from '../support/samples';

/** Epoch milliseconds. */
export const CONNECTED_AT = NOW * 1000;
export const ANY = { limit: 50 };

export function newConnection(overrides: Partial<Connection> = {}): Connection {
  return {
    // As API Gateway makes them.
    id: `${newName('c')}=`,
    keyId: newName('key'),
    connectedAt: CONNECTED_AT,
    subscriptions: new Map(),
    ...overrides,
  };
}

export function newFollowed(overrides: Partial<Subscription> = {}): Subscription {
  return { bucket: newName('photos'), bucketId: newName('id'), prefix: '', ...overrides };
}

export async function opened(
  port: Subscriptions,
  overrides: Partial<Connection> = {},
): Promise<Connection> {
  const connection = newConnection(overrides);
  await port.open(connection);
  return connection;
}

/** The connection as the port knows it now. */
export async function known(port: Subscriptions, { id }: Connection): Promise<Connection> {
  const connection = await port.get(id);
  if (connection === undefined) throw new Error(`${id} is not known`);
  return connection;
}

/** Of the followers, sorted. */
export async function idsOf(port: Subscriptions, { bucketId }: Subscription): Promise<string[]> {
  return (await port.subscribers(bucketId)).map(({ connectionId }) => connectionId).sort();
}
