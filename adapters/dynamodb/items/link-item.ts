import type { Link, LinkId } from '../../../core/links/ports';
import { fromItem, type Item, toItem } from './attributes';

interface LinkFields {
  readonly bucket_id: string;
  readonly hash: string;
  readonly bucket: string;
  readonly key: string;
  readonly version?: number;
  readonly cursor?: number;
  readonly created_at: string;
  /** Epoch milliseconds, so that conditions can compare it. */
  readonly expires: number;
  readonly max_uses?: number;
  readonly uses: number;
  readonly password?: string;
  readonly disposition?: string;
  readonly note?: string;
  readonly key_id?: string;
  readonly generation?: number;
  readonly created_by: string;
}

export const linkKey = ({ bucketId, hash }: LinkId) => ({ bucket_id: bucketId, hash });

export function linkItem(link: Link): Item {
  const { bucket, key, version, cursor, uses, password, disposition, note, signer } = link;
  const expires = Date.parse(link.expiresAt);
  return toItem({
    ...linkKey(link),
    ...{ bucket, key, version, cursor, uses, password, disposition, note, expires },
    created_at: link.createdAt,
    max_uses: link.maxUses,
    key_id: signer?.keyId,
    generation: signer?.generation,
    created_by: link.createdBy,
    ttl: Math.ceil(expires / 1000),
  });
}

export function linkRecord(item: Item): Link {
  const fields = fromItem<LinkFields>(item);
  const { bucket, key, version, cursor, uses, password, disposition, note } = fields;
  return {
    ...{ bucketId: fields.bucket_id, hash: fields.hash, bucket, key, uses },
    ...(version !== undefined && { version }),
    ...(cursor !== undefined && { cursor }),
    createdAt: fields.created_at,
    expiresAt: new Date(fields.expires).toISOString(),
    ...(fields.max_uses !== undefined && { maxUses: fields.max_uses }),
    ...(password !== undefined && { password }),
    ...(disposition !== undefined && { disposition }),
    ...(note !== undefined && { note }),
    ...(fields.key_id !== undefined && {
      signer: { keyId: fields.key_id, generation: fields.generation ?? 0 },
    }),
    createdBy: fields.created_by,
  };
}
