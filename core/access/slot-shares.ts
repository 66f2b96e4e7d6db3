/**
 * Shares of the slots of an API key. Temporary keys take the slots of their maker; those with the
 * same permissions, which are those of one user, take a part of them at most. So one user leaves
 * slots to the others and to the maker.
 */
import { createHash } from 'node:crypto';
import { TEMPORARY_KEY_LIMITS } from '../limits';
import type { Restriction } from './ports';

export interface SlotOwner {
  readonly keyId: string;
  /** Present for a temporary key. */
  readonly restriction?: Restriction;
}

/**
 * Returns where a slot is taken, in this order: for a temporary key in the share of its permissions
 * first.
 */
export function slotLimits(
  owner: SlotOwner,
  limit: number,
): readonly { readonly of: string; readonly limit: number; readonly isShare: boolean }[] {
  const ofKey = { of: owner.keyId, limit, isShare: false };
  if (owner.restriction === undefined) return [ofKey];
  // Without the expiry: the next temporary key of the user has the same share.
  const permissions = owner.restriction.permissions.map(({ buckets, prefix = '', actions }) => [
    buckets,
    prefix,
    actions,
  ]);
  const hash = createHash('sha256').update(JSON.stringify(permissions)).digest('base64url');
  const of = `${owner.keyId}/${hash.slice(0, 22)}`;
  return [{ of, limit: Math.ceil(limit * TEMPORARY_KEY_LIMITS.slotShare), isShare: true }, ofKey];
}
