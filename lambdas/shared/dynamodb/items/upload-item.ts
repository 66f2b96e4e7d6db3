import type { Upload } from '../../../../core/objects/ports';
import { fromItem, type Item, toItem } from './attributes';

/** The Uploads table holds signed uploads, and idempotency records (`replay`). */
export type UploadKind = 'upload' | 'replay';

interface UploadFields {
  readonly id: string;
  readonly kind: UploadKind;
  readonly bucket: string;
  readonly bucket_id: string;
  readonly key: string;
  readonly blob: string;
  readonly store?: string;
  readonly state: Upload['state'];
  readonly key_id?: string;
  readonly generation?: number;
  readonly if_match?: string;
  readonly if_none_match?: '*';
  readonly size?: number;
  readonly part_size?: number;
  readonly multipart_id?: string;
  readonly expires_at: string;
  readonly reason?: string;
  readonly version?: number;
  readonly cursor?: number;
  readonly ttl: number;
}

export function uploadItem(upload: Upload): Item {
  const { id, bucket, key, blob, state, signer, size, reason, ttl } = upload;
  return toItem({
    id,
    kind: 'upload',
    bucket,
    bucket_id: upload.bucketId,
    key,
    blob,
    store: upload.store,
    state,
    key_id: signer?.keyId,
    generation: signer?.generation,
    if_match: upload.ifMatch,
    if_none_match: upload.ifNoneMatch,
    size,
    part_size: upload.partSize,
    multipart_id: upload.multipartId,
    expires_at: upload.expiresAt,
    reason,
    version: upload.committed?.version,
    cursor: upload.committed?.cursor,
    ttl,
  });
}

/** The upload in a row, or undefined when the row is an idempotency record. */
export function uploadRecord(item: Item): Upload | undefined {
  const fields = fromItem<UploadFields>(item);
  if (fields.kind !== 'upload') return undefined;
  return {
    id: fields.id,
    bucket: fields.bucket,
    bucketId: fields.bucket_id,
    key: fields.key,
    blob: fields.blob,
    ...(fields.store !== undefined && { store: fields.store }),
    state: fields.state,
    ...(fields.key_id !== undefined && {
      signer: { keyId: fields.key_id, generation: fields.generation ?? 0 },
    }),
    ...(fields.if_match !== undefined && { ifMatch: fields.if_match }),
    ...(fields.if_none_match !== undefined && { ifNoneMatch: fields.if_none_match }),
    ...(fields.size !== undefined && { size: fields.size }),
    ...(fields.part_size !== undefined && { partSize: fields.part_size }),
    ...(fields.multipart_id !== undefined && { multipartId: fields.multipart_id }),
    expiresAt: fields.expires_at,
    ...(fields.reason !== undefined && { reason: fields.reason }),
    ...(fields.version !== undefined &&
      fields.cursor !== undefined && {
        committed: { version: fields.version, cursor: fields.cursor },
      }),
    ttl: fields.ttl,
  };
}
