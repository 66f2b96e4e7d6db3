/**
 * The details of audit records: the settings of a key under their names in the interface, never a
 * secret or its hash.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ApiKeyRecord, AuditDetails, AuditValue } from './ports';

export function auditDetails(key: ApiKeyRecord): AuditDetails {
  const { name, permissions, tier, expiresAt } = key;
  return {
    name,
    permissions: permissions.map(({ buckets, prefix, actions }) => ({ buckets, prefix, actions })),
    tier,
    expires_at: expiresAt,
  };
}

/**
 * Returns the changed settings, before and after, or undefined when none changed. A setting that a
 * record lacks is absent on its side.
 */
export function changesBetween(
  before: ApiKeyRecord,
  after: ApiKeyRecord,
): AuditDetails | undefined {
  const old = { ...auditDetails(before), ...states(before) };
  const now = { ...auditDetails(after), ...states(after) };
  const changed = Object.keys(old).filter((name) => !isDeepStrictEqual(old[name], now[name]));
  if (changed.length === 0) return undefined;
  const only = (side: AuditDetails): Record<string, AuditValue | undefined> =>
    Object.fromEntries(changed.map((name) => [name, side[name]]));
  return { name: after.name, before: only(old), after: only(now) };
}

function states(key: ApiKeyRecord): AuditDetails {
  return {
    revoked_at: key.revokedAt,
    generation: key.generation ?? 0,
    previous_until: key.previousUntil,
  };
}
