/** Authenticates API keys, for the gateway's authorizer and for the handshake of a channel. */
import { earlier } from '../times';
import { hasApiKeyForm, hashMatches, hashSecret, parseApiKey } from './api-key';
import type { ApiKeyRecord, ApiKeys, Restriction } from './ports';
import { isOver, parseTemporaryKey, type TemporaryKeySecret, wasMadeBy } from './temporary-keys';

/**
 * Hash to compare when there is no such key, so that the time of the response does not depend on
 * whether the id exists.
 */
const NO_HASH = '0'.repeat(64);

/**
 * Returns the token of an `Authorization: Bearer` header (RFC 6750); the scheme is
 * case-insensitive.
 */
export function bearerToken(authorization: string): string | undefined {
  return /^Bearer (\S+)$/i.exec(authorization)?.[1];
}

/**
 * Message for a wrong checksum. It depends on the text alone, so it shows nothing about existing
 * keys.
 */
export const MISTYPED_KEY =
  'the checksum of the API key is wrong; compare the key with what you copied';

export type Authentication =
  /**
   * `key.expiresAt` is when this secret stops working: for a replaced secret, the end of the
   * overlap.
   */
  | {
      readonly key: ApiKeyRecord;
      readonly generation: number;
      /** Present for a temporary key made by `key`; `restricted` applies it. */
      readonly restriction?: Restriction;
    }
  /**
   * `id` is the id of the refused key, for the log; undefined when the token is not an API key.
   * `isMistyped` means that the token looks like a key, but its checksum is wrong.
   */
  | { readonly key?: undefined; readonly id?: string; readonly isMistyped?: true };

/**
 * Looks up the key of the token. AWS calls: 1 GetItem, for a temporary key 2 when the instance has
 * not read the secret for a while; none when the token is not an API key. Both hashes are always
 * compared, so that the time shows neither whether the id exists nor whether the key is being
 * rotated. Without a `secret` temporary keys are refused.
 */
export async function authenticate(
  apiKeys: ApiKeys,
  token: string | undefined,
  now: number,
  secret?: Pick<TemporaryKeySecret, 'toCheck'>,
): Promise<Authentication> {
  if (token === undefined) return {};
  if (secret !== undefined && token.startsWith('ost_')) {
    return authenticateTemporary(apiKeys, token, now, secret);
  }
  if (!hasApiKeyForm(token)) return {};
  const parsed = parseApiKey(token);
  if (!parsed) return { isMistyped: true };
  const key = await apiKeys.get(parsed.id);
  const hash = hashSecret(parsed.secret);
  const isCurrent = hashMatches(hash, key?.secretHash ?? NO_HASH);
  const isPrevious = hashMatches(hash, key?.previousSecretHash ?? NO_HASH);
  if (!key || (!isCurrent && !isPrevious)) return { id: parsed.id };
  const generation = (key.generation ?? 0) - (isCurrent ? 0 : 1);
  const usable = ofGeneration(key, generation);
  return usable && isUsable(usable, now) ? { key: usable, generation } : { id: parsed.id };
}

async function authenticateTemporary(
  apiKeys: ApiKeys,
  token: string,
  now: number,
  secrets: Pick<TemporaryKeySecret, 'toCheck'>,
): Promise<Authentication> {
  const temporary = parseTemporaryKey(token);
  const secret = temporary && (await secrets.toCheck());
  if (!temporary || secret === undefined) return {};
  const { maker, restriction } = temporary;
  const record = await apiKeys.get(maker.keyId);
  const key = record && ofGeneration(record, maker.generation);
  if (!record || !key || !wasMadeBy(secret, record, temporary)) return { id: maker.keyId };
  if (!isUsable(key, now) || isOver(restriction, now)) return { id: maker.keyId };
  return { key, generation: maker.generation, restriction };
}

/**
 * Returns the key with the expiry of its secret of that generation: a replaced secret expires at
 * the end of the overlap. Returns undefined when that secret was replaced without an overlap.
 */
export function ofGeneration(key: ApiKeyRecord, generation: number): ApiKeyRecord | undefined {
  const current = key.generation ?? 0;
  if (generation === current) return key;
  const { previousUntil } = key;
  if (generation !== current - 1 || previousUntil === undefined) return undefined;
  return { ...key, expiresAt: earlier(key.expiresAt ?? previousUntil, previousUntil) };
}

/** Reports whether the key is neither revoked nor expired at `now` (epoch milliseconds). */
export function isUsable(key: ApiKeyRecord, now: number): boolean {
  const expired = key.expiresAt !== undefined && Date.parse(key.expiresAt) <= now;
  return key.revokedAt === undefined && !expired;
}
