import type { ApiKeyRecord, Permission } from '../../core/ports';
import { fromItem, type Item, toItem } from './attributes';

interface ApiKeyFields {
  readonly id: string;
  readonly name: string;
  readonly secret_hash: string;
  readonly permissions: readonly Permission[];
  readonly created_at: string;
  readonly expires_at?: string;
  readonly revoked_at?: string;
}

/** For whoever makes keys; the functions of this version only read them. */
export function apiKeyItem(record: ApiKeyRecord): Item {
  const { id, name, secretHash, permissions, createdAt, expiresAt, revokedAt } = record;
  return toItem({
    id,
    name,
    secret_hash: secretHash,
    permissions: permissions.map(({ buckets, prefix, actions }) => ({ buckets, prefix, actions })),
    created_at: createdAt,
    expires_at: expiresAt,
    revoked_at: revokedAt,
  });
}

export function apiKeyRecord(item: Item): ApiKeyRecord {
  const { id, name, secret_hash, permissions, created_at, expires_at, revoked_at } =
    fromItem<ApiKeyFields>(item);
  return {
    id,
    name,
    secretHash: secret_hash,
    permissions,
    createdAt: created_at,
    ...(expires_at !== undefined && { expiresAt: expires_at }),
    ...(revoked_at !== undefined && { revokedAt: revoked_at }),
  };
}
