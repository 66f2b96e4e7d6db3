/** Claims of a request about its API key: the authorizer reads them, the gateway passes them on. */
import { DEFAULT_TIER } from '../limits';
import type { ApiKeyRecord, Permission, Restriction } from './ports';

/**
 * State of a key as the authorizer read it. It may be minutes old, because API Gateway caches the
 * result of the authorizer.
 */
export interface KeyClaim {
  readonly keyId: string;
  readonly permissions: readonly Permission[];
  readonly tier: string;
  /** The generation of the secret in the request, see `ofGeneration`. */
  readonly generation: number;
  /** When the key was read; epoch milliseconds. */
  readonly readAt: number;
  /** ISO 8601 UTC. */
  readonly expiresAt?: string;
  /**
   * Present for a temporary key. The fields above are those of its maker, whose limits it shares.
   */
  readonly restriction?: Restriction;
}

/** Returns the claim for a key that was read at `readAt`. */
export function claimOf(key: ApiKeyRecord, generation: number, readAt: number): KeyClaim {
  const { id, permissions, tier = DEFAULT_TIER, expiresAt } = key;
  const claim = { keyId: id, permissions, tier, generation, readAt };
  return expiresAt === undefined ? claim : { ...claim, expiresAt };
}
