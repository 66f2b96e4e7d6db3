import { createHash } from 'node:crypto';
import type { StagedContent, Upload } from '../../../core/store/uploads';
import { fromItem, type Item, toItem } from './attributes';

/** The Uploads table holds signed uploads, and idempotency records (`replay`). */
export type UploadKind = 'upload' | 'replay';

/** A type, not an interface: an attribute needs an index signature. */
type StagedFields = {
  readonly size: number;
  readonly etag: string;
  readonly content_type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly checksum_sha256?: string;
  readonly is_patched?: 1;
};

interface UploadFields {
  readonly id: string;
  readonly kind: UploadKind;
  readonly bucket: string;
  readonly bucket_id: string;
  readonly key: string;
  readonly blob: string;
  readonly store?: string;
  readonly state: Upload['state'];
  /** The shard in the index of the open uploads, which holds the items that have one. */
  readonly open?: string;
  readonly awaits_commit?: 1;
  readonly staged?: StagedFields;
  readonly key_id?: string;
  readonly generation?: number;
  readonly object_expires_at?: string;
  readonly if_match?: string;
  readonly if_none_match?: '*';
  readonly copy_of?: { readonly blob: string; readonly size: number; readonly etag: string };
  readonly asked_headers?: readonly string[];
  readonly size?: number;
  readonly part_size?: number;
  readonly multipart_id?: string;
  readonly expires_at: string;
  readonly reason?: string;
  readonly version?: number;
  readonly cursor?: number;
  readonly ttl: number;
}

/** Shards of the index of the open uploads, which takes about 1,000 writes a second in each. */
export const OPEN_SHARDS = 8;

/** The upload may still be committed or refused. */
export function isOpen({ state }: Pick<Upload, 'state'>): boolean {
  return state === 'pending' || state === 'staged';
}

function shardOf(id: string): string {
  return String(createHash('sha256').update(id).digest().readUInt8(0) % OPEN_SHARDS);
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
    open: isOpen(upload) ? shardOf(id) : undefined,
    awaits_commit: upload.awaitsCommit && 1,
    staged: upload.staged && stagedFields(upload.staged),
    key_id: signer?.keyId,
    generation: signer?.generation,
    object_expires_at: upload.objectExpiresAt,
    if_match: upload.ifMatch,
    if_none_match: upload.ifNoneMatch,
    copy_of: upload.copyOf && { ...upload.copyOf },
    asked_headers: upload.askedHeaders,
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

export function stagedFields({
  contentType,
  checksumSha256,
  isPatched,
  ...content
}: StagedContent): StagedFields {
  return {
    ...content,
    content_type: contentType,
    checksum_sha256: checksumSha256,
    is_patched: isPatched ? 1 : undefined,
  };
}

function stagedContent({
  content_type: contentType,
  checksum_sha256: checksumSha256,
  is_patched: isPatched,
  ...content
}: StagedFields): StagedContent {
  return {
    ...content,
    contentType,
    ...(checksumSha256 !== undefined && { checksumSha256 }),
    ...(isPatched && { isPatched: true }),
  };
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
    ...(fields.awaits_commit && { awaitsCommit: true }),
    ...(fields.staged && { staged: stagedContent(fields.staged) }),
    ...(fields.key_id !== undefined && {
      signer: { keyId: fields.key_id, generation: fields.generation ?? 0 },
    }),
    ...(fields.object_expires_at !== undefined && { objectExpiresAt: fields.object_expires_at }),
    ...(fields.if_match !== undefined && { ifMatch: fields.if_match }),
    ...(fields.if_none_match !== undefined && { ifNoneMatch: fields.if_none_match }),
    ...(fields.copy_of && { copyOf: fields.copy_of }),
    ...(fields.asked_headers && { askedHeaders: fields.asked_headers }),
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
