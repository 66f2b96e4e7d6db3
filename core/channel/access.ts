/**
 * What a channel may follow. The API key is read again for every decision: nothing about it is
 * remembered.
 */
import { isUsable, ofGeneration } from '../access/authentication';
import { mayOnObject } from '../access/permissions';
import type { ApiKeyRecord, ApiKeys } from '../access/ports';
import type { Clock } from '../system';
import type { Connection } from './ports';

export interface AccessDeps {
  readonly apiKeys: ApiKeys;
  readonly clock: Pick<Clock, 'now'>;
}

type Wanted = { readonly bucket: string; readonly prefix: string };

type Opened = Pick<Connection, 'keyId' | 'generation'>;

/**
 * The key that opened the connection, as whoever holds its secret may use it. undefined: it is
 * revoked, expired or gone, or the secret was replaced. 1 GetItem.
 */
export async function usableKey(
  deps: AccessDeps,
  opened: Opened,
): Promise<ApiKeyRecord | undefined> {
  return usableAs(await deps.apiKeys.get(opened.keyId), opened, deps.clock.now());
}

export function usableAs(
  record: ApiKeyRecord | undefined,
  { generation = 0 }: Opened,
  now: number,
): ApiKeyRecord | undefined {
  const key = record && ofGeneration(record, generation);
  return key && isUsable(key, now) ? key : undefined;
}

/** Epoch milliseconds. */
export function keyExpiry({ expiresAt }: ApiKeyRecord): number | undefined {
  return expiresAt === undefined ? undefined : Date.parse(expiresAt);
}

/** May changes of the bucket's keys that begin with `prefix` be told to whoever holds the key? */
export function mayFollow(key: ApiKeyRecord, wanted: Wanted): boolean {
  const caller = { keyId: key.id, permissions: key.permissions };
  return mayOnObject(caller, 'sync', wanted.bucket, wanted.prefix);
}

/**
 * May the connection follow it with that key? One opened with a ticket is held to what the ticket
 * was for.
 */
export function mayConnectionFollow(
  key: ApiKeyRecord,
  { scope }: Pick<Connection, 'scope'>,
  wanted: Wanted,
): boolean {
  const inScope =
    scope === undefined ||
    (scope.bucket === wanted.bucket && wanted.prefix.startsWith(scope.prefix));
  return inScope && mayFollow(key, wanted);
}

/** Has the key kept every permission that the connection uses? */
export function permitsAllSubscriptions(key: ApiKeyRecord, connection: Connection): boolean {
  return [...connection.subscriptions.values()].every((followed) => mayFollow(key, followed));
}
