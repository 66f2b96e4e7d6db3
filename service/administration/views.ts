/** The JSON of the administration's responses: docs/admin.md. */
import { isUsable } from '../../core/access/authentication';
import { summarize } from '../../core/access/permission-summary';
import type {
  ApiKeyRecord,
  AuditRecord,
  HourUsage,
  KeyUse,
  UsageCounts,
} from '../../core/access/ports';
import { DEFAULT_TIER, RATE_CLASSES } from '../../core/limits';

/** A key without its secret and the hash of it. `now`: epoch milliseconds. */
export function keyView(key: ApiKeyRecord, now: number, use?: KeyUse) {
  const { id, name, permissions, previousUntil } = key;
  const isRotating = previousUntil !== undefined && Date.parse(previousUntil) > now;
  return {
    id,
    name,
    permissions,
    tier: key.tier ?? DEFAULT_TIER,
    state: stateOf(key, now),
    created_at: key.createdAt,
    created_by: key.createdBy,
    expires_at: key.expiresAt,
    revoked_at: key.revokedAt,
    revoked_by: key.revokedBy,
    rotating_until: isRotating ? previousUntil : undefined,
    last_used_at: use?.lastUsedAt,
    rate: use && countsView(use.counts),
    summary: summarize(permissions),
  };
}

function stateOf(key: ApiKeyRecord, now: number): 'active' | 'expired' | 'revoked' {
  if (key.revokedAt !== undefined) return 'revoked';
  return isUsable(key, now) ? 'active' : 'expired';
}

export function hourView({ hour, counts }: HourUsage) {
  return { hour, ...countsView(counts) };
}

/** Has every class, also those without requests. */
function countsView(counts: UsageCounts): Record<string, number> {
  return Object.fromEntries([...RATE_CLASSES, 'limited' as const].map((n) => [n, counts[n] ?? 0]));
}

export function auditView(record: AuditRecord) {
  const { id, at, actor, actorId, action, keyId, details } = record;
  return { id, at, actor, actor_id: actorId, action, key_id: keyId, details };
}
