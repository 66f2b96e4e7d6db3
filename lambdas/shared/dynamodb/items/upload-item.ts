import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { IdempotencyRecord, Upload } from '../../../../core/objects/ports';
import { fromItem, type Item, names, toItem } from './attributes';

/**
 * The Uploads table holds presigned uploads and the answers kept under idempotency keys; `kind`
 * tells them apart.
 */
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

interface ReplayFields {
  readonly id: string;
  readonly kind: UploadKind;
  readonly fingerprint: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
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

/** undefined: the row is no upload. */
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

/** undefined: the row is no replay. */
export function replayRecord(item: Item): IdempotencyRecord | undefined {
  const { id, kind, fingerprint, status, headers, body, ttl } = fromItem<ReplayFields>(item);
  if (kind !== 'replay') return undefined;
  return { id, fingerprint, status, headers, body, expiresAt: ttl };
}

/**
 * The write that keeps an answer under its idempotency key; its condition fails while an earlier
 * answer is kept. A row that expired by `now` (epoch seconds) counts as gone: DynamoDB removes it
 * only within days.
 */
export function replayPut(
  table: string,
  replay: IdempotencyRecord,
  now: number,
): Required<Pick<TransactWriteItem, 'Put'>> {
  const { id, fingerprint, status, headers, body, expiresAt } = replay;
  const kind: UploadKind = 'replay';
  return {
    Put: {
      TableName: table,
      Item: toItem({ id, kind, fingerprint, status, headers, body, ttl: expiresAt }),
      ConditionExpression: 'attribute_not_exists(#id) OR #ttl <= :now',
      ExpressionAttributeNames: names('id', 'ttl'),
      ExpressionAttributeValues: toItem({ ':now': now }),
    },
  };
}

/** Epoch seconds of an ISO date. */
export function epochSeconds(iso: string): number {
  return Math.floor(Date.parse(iso) / 1000);
}
