/** The row of a signed upload in the Uploads table. */
import { LIMITS } from '../../core/limits';
import type { PresignedRequest } from '../../core/store/blobs';
import type { Upload } from '../../core/store/uploads';
import type { HttpResponse } from '../http/response';
import type { OperationDeps } from './deps';
import { type RecordOf, untilExpiry } from './idempotency';

/** The fields of an upload that its signed URL does not determine. */
export type UnsignedUpload = Omit<Upload, 'expiresAt' | 'ttl'>;

/** The upload with the expiry of its URL and of its row. */
export function withExpiry(
  upload: UnsignedUpload,
  { expiresAt }: Pick<PresignedRequest, 'expiresAt'>,
): Upload {
  const ttl = Math.ceil(Date.parse(expiresAt) / 1000) + LIMITS.uploadRowSeconds;
  return { ...upload, expiresAt, ttl };
}

/**
 * Saves the row, and the response under the request's Idempotency-Key. Returns undefined when
 * another call has used the key. AWS calls: 1 PutItem, or with the key 1 TransactWriteItems.
 */
export async function saveUpload(
  deps: Pick<OperationDeps, 'uploads'>,
  upload: Upload,
  response: HttpResponse,
  recordOf: RecordOf | undefined,
): Promise<HttpResponse | undefined> {
  const record = untilExpiry(recordOf, upload.expiresAt)?.(response);
  const outcome = await deps.uploads.create(upload, record);
  return outcome === 'created' ? response : undefined;
}
