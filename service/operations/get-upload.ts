import { mayOnObject } from '../../core/access/permissions';
import { ServiceError } from '../../core/errors';
import { isUlid } from '../../core/names';
import type { Upload } from '../../core/store/uploads';
import { jsonResponse } from '../http/response';
import type { OperationDeps, StorageOperation } from './deps';

/**
 * Returns what became of a signed upload. Throws not_found when the caller may not write the
 * object, too, so that ids tell nothing. AWS calls: 1 GetItem.
 */
export const handleGetUpload =
  ({ uploads, clock }: Pick<OperationDeps, 'uploads' | 'clock'>): StorageOperation<'upload'> =>
  async ({ caller }, { uploadId }) => {
    const upload = isUlid(uploadId) ? await uploads.get(uploadId) : undefined;
    // DynamoDB removes a row some time after its end.
    const isKept = upload !== undefined && upload.ttl * 1000 > clock.now();
    if (!isKept || !mayOnObject(caller, 'write', upload.bucket, upload.key)) {
      throw new ServiceError('not_found', {
        message: 'there is no upload with this id, or it ended more than 7 days ago',
      });
    }
    return jsonResponse(200, uploadView(upload));
  };

function uploadView({ id, bucket, key, state, expiresAt, reason, committed }: Upload) {
  return {
    upload_id: id,
    bucket,
    key,
    state: state === 'refused' ? 'discarded' : state,
    ...(state === 'staged' && { expires_at: expiresAt }),
    ...(committed && { object: { bucket, key, ...committed } }),
    reason,
  };
}
