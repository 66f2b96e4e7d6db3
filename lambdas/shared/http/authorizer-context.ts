/**
 * What the authorizer tells the functions of a key. API Gateway hands every value on as a string,
 * and keeps it for minutes.
 */

import type { KeyClaim } from '../../../core/access/rate-limiter';
import { DEFAULT_TIER } from '../../../core/limits';

export function contextOf(claim: KeyClaim): Record<string, string> {
  const { keyId, permissions, tier, generation, readAt, expiresAt } = claim;
  return {
    keyId,
    permissions: JSON.stringify(permissions),
    tier,
    generation: String(generation),
    readAt: String(readAt),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

/**
 * An older version's context has neither tier, generation nor time: what is not told is as old as
 * can be.
 */
export function claimIn(context: Readonly<Record<string, unknown>>): KeyClaim {
  const { keyId, permissions, tier, generation, readAt, expiresAt } = context;
  if (typeof keyId !== 'string' || typeof permissions !== 'string') {
    throw new Error('the authorizer gave no context');
  }
  return {
    keyId,
    permissions: JSON.parse(permissions),
    tier: typeof tier === 'string' ? tier : DEFAULT_TIER,
    generation: Number(generation ?? 0),
    readAt: Number(readAt ?? 0),
    ...(typeof expiresAt === 'string' && { expiresAt }),
  };
}
