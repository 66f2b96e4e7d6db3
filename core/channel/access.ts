/**
 * Decides what a channel may follow. Every decision reads the API key again, so a change of the key
 * takes effect at once.
 */
import { isUsable, ofGeneration } from '../access/authentication';
import { mayOnObject } from '../access/permissions';
import type { ApiKeyRecord, ApiKeys } from '../access/ports';
import { restricted } from '../access/temporary-keys';
import type { Clock } from '../system';
import type { Connection } from './ports';

export interface AccessDeps {
  readonly apiKeys: ApiKeys;
  readonly clock: Pick<Clock, 'now'>;
}

type Scope = { readonly bucket: string; readonly prefix: string };

type KeySecret = Pick<Connection, 'keyId' | 'generation' | 'restriction'>;

/**
 * Returns the key that opened the connection, with the expiry of the secret used, and with the
 * restriction of the temporary key if one was used. Returns undefined when the key is revoked,
 * expired or deleted, or the secret was replaced. AWS calls: 1 GetItem.
 */
export async function usableKey(
  deps: AccessDeps,
  secret: KeySecret,
): Promise<ApiKeyRecord | undefined> {
  return usableAs(await deps.apiKeys.get(secret.keyId), secret, deps.clock.now());
}

export function usableAs(
  record: ApiKeyRecord | undefined,
  { generation = 0, restriction }: KeySecret,
  now: number,
): ApiKeyRecord | undefined {
  const own = record && ofGeneration(record, generation);
  const key = own && restricted(own, restriction);
  return key && isUsable(key, now) ? key : undefined;
}

/** Returns the expiry of the key in epoch milliseconds. */
export function keyExpiry({ expiresAt }: ApiKeyRecord): number | undefined {
  return expiresAt === undefined ? undefined : Date.parse(expiresAt);
}

/** Reports whether the API key may follow the changes of object keys that begin with `prefix`. */
export function mayFollow(key: ApiKeyRecord, { bucket, prefix }: Scope): boolean {
  const caller = { keyId: key.id, permissions: key.permissions };
  return mayOnObject(caller, 'sync', bucket, prefix);
}

/**
 * Reports whether the connection may follow the scope with that key. A connection that was opened
 * with a ticket is limited to the ticket's bucket and prefix.
 */
export function mayConnectionFollow(
  key: ApiKeyRecord,
  { scope }: Pick<Connection, 'scope'>,
  wanted: Scope,
): boolean {
  const inScope =
    scope === undefined ||
    (scope.bucket === wanted.bucket && wanted.prefix.startsWith(scope.prefix));
  return inScope && mayFollow(key, wanted);
}

/** Reports whether the key still permits every subscription of the connection. */
export function permitsAllSubscriptions(key: ApiKeyRecord, connection: Connection): boolean {
  return [...connection.subscriptions.values()].every((one) => mayFollow(key, one));
}
