import type { ApiKeyRecord, Permission } from '../../../core/access/ports';
import { LIMITS } from '../../../core/limits';
import { fromItem, type Item, toItem } from './attributes';

interface ApiKeyFields {
  readonly id: string;
  readonly name: string;
  readonly secret_hash: string;
  readonly permissions: readonly Permission[];
  readonly created_at: string;
  readonly expires_at?: string;
  readonly revoked_at?: string;
  readonly created_by?: string;
  readonly revoked_by?: string;
  readonly tier?: string;
  readonly generation?: number;
  readonly previous_secret_hash?: string;
  readonly previous_until?: string;
  readonly kind?: 'session';
  readonly actor_id?: string;
  readonly revision?: number;
}

export function apiKeyItem(record: ApiKeyRecord): Item {
  const { id, name, permissions, tier, generation, kind, revision } = record;
  return toItem({
    id,
    name,
    secret_hash: record.secretHash,
    permissions: permissions.map(({ buckets, prefix, actions }) => ({ buckets, prefix, actions })),
    created_at: record.createdAt,
    expires_at: record.expiresAt,
    revoked_at: record.revokedAt,
    created_by: record.createdBy,
    revoked_by: record.revokedBy,
    tier,
    generation,
    previous_secret_hash: record.previousSecretHash,
    previous_until: record.previousUntil,
    kind,
    actor_id: record.actorId,
    revision,
    ttl: removableFrom(record),
  });
}

/** A key outlives the uploads that it signed: a missing key counts as revoked. */
const KEPT_SECONDS = LIMITS.signedUrlMaxSeconds + LIMITS.uploadRowSeconds;

/**
 * When DynamoDB may delete the item, epoch seconds. Only the keys of sessions are deleted; audit
 * records refer to the names of the others.
 */
function removableFrom({ kind, expiresAt }: ApiKeyRecord): number | undefined {
  if (kind !== 'session' || expiresAt === undefined) return undefined;
  return Math.ceil(Date.parse(expiresAt) / 1000) + KEPT_SECONDS;
}

export function apiKeyRecord(item: Item): ApiKeyRecord {
  const fields = fromItem<ApiKeyFields>(item);
  const { id, name, permissions, tier, generation, kind, revision } = fields;
  return {
    id,
    name,
    secretHash: fields.secret_hash,
    permissions,
    createdAt: fields.created_at,
    ...(fields.expires_at !== undefined && { expiresAt: fields.expires_at }),
    ...(fields.revoked_at !== undefined && { revokedAt: fields.revoked_at }),
    ...(fields.created_by !== undefined && { createdBy: fields.created_by }),
    ...(fields.revoked_by !== undefined && { revokedBy: fields.revoked_by }),
    ...(tier !== undefined && { tier }),
    ...(generation !== undefined && { generation }),
    ...(fields.previous_secret_hash !== undefined && {
      previousSecretHash: fields.previous_secret_hash,
    }),
    ...(fields.previous_until !== undefined && { previousUntil: fields.previous_until }),
    ...(kind !== undefined && { kind }),
    ...(fields.actor_id !== undefined && { actorId: fields.actor_id }),
    ...(revision !== undefined && { revision }),
  };
}
