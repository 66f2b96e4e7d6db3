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
  readonly state: Upload['state'];
  readonly if_match?: string;
  readonly if_none_match?: '*';
  readonly size?: number;
  readonly part_size?: number;
  readonly multipart_id?: string;
  readonly expires_at: string;
  readonly reason?: string;
  readonly ttl: number;
}

export function uploadItem(upload: Upload): Item {
  const { bucketId, ifMatch, ifNoneMatch, partSize, multipartId, expiresAt, ...same } = upload;
  return toItem({
    ...same,
    kind: 'upload',
    bucket_id: bucketId,
    if_match: ifMatch,
    if_none_match: ifNoneMatch,
    part_size: partSize,
    multipart_id: multipartId,
    expires_at: expiresAt,
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
    state: fields.state,
    ...(fields.if_match !== undefined && { ifMatch: fields.if_match }),
    ...(fields.if_none_match !== undefined && { ifNoneMatch: fields.if_none_match }),
    ...(fields.size !== undefined && { size: fields.size }),
    ...(fields.part_size !== undefined && { partSize: fields.part_size }),
    ...(fields.multipart_id !== undefined && { multipartId: fields.multipart_id }),
    expiresAt: fields.expires_at,
    ...(fields.reason !== undefined && { reason: fields.reason }),
    ttl: fields.ttl,
  };
}
