/**
 * Signed URLs of multipart uploads. The client itself sends the parts to S3, completes the upload
 * or aborts it.
 */
import { invalid, ServiceError } from '../../core/errors';
import { LIMITS } from '../../core/limits';
import type { Upload } from '../../core/store/uploads';
import { isMultipart, type MultipartUpload } from '../../core/uploads/parts';
import type { Multipart, SignPut } from '../../core/uploads/signed-urls';
import type { ApiRequest } from '../http/request';
import { type HttpResponse, jsonResponse } from '../http/response';
import type { OperationDeps } from './deps';
import { type RecordOf, saveResponse, untilExpiry } from './idempotency';
import { saveUpload, type UnsignedUpload, withExpiry } from './upload-row';

/** An upload whose parts can be signed. */
type StartedUpload = UnsignedUpload & Pick<MultipartUpload, 'size' | 'partSize' | 'multipartId'>;

interface SigningDeps extends OperationDeps, Pick<ApiRequest<unknown>, 'takeTokens'> {}

/**
 * Starts a multipart upload and signs its parts. Throws rate_limited before it starts one, when
 * there are too few tokens for the parts.
 */
export async function signMultipart(
  deps: SigningDeps,
  request: SignPut & { readonly multipart: Multipart },
  upload: UnsignedUpload,
  recordOf: RecordOf | undefined,
): Promise<HttpResponse | undefined> {
  const { contentType, headers, metadata, expiresIn } = request;
  const { size, partSize } = request.multipart;
  const { blob } = upload;
  await deps.takeTokens(furtherTokens(request.multipart));
  const multipartId = await deps.blobs.createMultipart(blob, { contentType, headers, metadata });
  const started = { ...upload, size, partSize, multipartId };
  const { response, expiresAt } = await signParts(deps, started, expiresIn);
  try {
    requireFits(deps, response, recordOf !== undefined, started);
  } catch (error) {
    await deps.blobs.abortMultipart(blob, multipartId);
    throw error;
  }
  return saveUpload(deps, withExpiry(started, { expiresAt }), response, recordOf);
}

/**
 * Signs the parts of a pending upload again: uploads may take longer than URLs are valid. Throws
 * not_found when the upload has ended, and rate_limited. From now on the caller's key is the one
 * that must be valid when the upload is committed.
 */
export async function signPartsAgain(
  deps: SigningDeps,
  { bucket, key, expiresIn }: SignPut,
  { id, signer }: Pick<Upload, 'id' | 'signer'>,
  recordOf: RecordOf | undefined,
): Promise<HttpResponse | undefined> {
  const [{ id: bucketId }, upload] = await Promise.all([
    deps.bucketIds.refresh(bucket),
    deps.uploads.get(id),
  ]);
  const isOfObject = upload?.bucketId === bucketId && upload.key === key;
  if (!isOfObject || !isPending(upload)) throw uploadNotFound(bucket, key);
  await deps.takeTokens(furtherTokens(upload));
  const { response, expiresAt } = await signParts(deps, upload, expiresIn);
  requireFits(deps, response, recordOf !== undefined, upload);
  const isRenewed = await deps.uploads.renew(withExpiry({ ...upload, signer }, { expiresAt }));
  if (!isRenewed) throw uploadNotFound(bucket, key);
  return saveResponse(deps, response, untilExpiry(recordOf, expiresAt));
}

function isPending(upload: Upload): upload is MultipartUpload {
  return upload.state === 'pending' && isMultipart(upload) && upload.copyOf === undefined;
}

function uploadNotFound(bucket: string, key: string): ServiceError {
  return new ServiceError('not_found', {
    message: 'there is no pending upload with this id: start a new one',
    details: { bucket, key },
  });
}

async function signParts(
  deps: OperationDeps,
  { id, bucket, key, blob, size, partSize, multipartId }: StartedUpload,
  expiresIn: number,
): Promise<{ readonly response: HttpResponse; readonly expiresAt: string }> {
  const complete = await deps.blobs.presignComplete(blob, multipartId, expiresIn);
  const abort = await deps.blobs.presignAbort(blob, multipartId, expiresIn);
  const parts: { number: number; url: string }[] = [];
  for (let number = 1; number <= partCount({ size, partSize }); number++) {
    const length = Math.min(partSize, size - (number - 1) * partSize);
    const part = { multipartId, number, length, expiresIn };
    const { url } = await deps.blobs.presignPart(blob, part);
    parts.push({ number, url });
  }
  const { expiresAt } = complete;
  const response = jsonResponse(201, {
    upload_id: id,
    bucket,
    key,
    part_size: partSize,
    parts,
    complete: { url: complete.url, method: 'POST', headers: complete.headers },
    abort: { url: abort.url, method: 'DELETE', headers: abort.headers },
    expires_at: expiresAt,
  });
  return { response, expiresAt };
}

/** The tokens for signing the parts, beside that of the request. */
function furtherTokens(upload: Multipart): number {
  return Math.ceil(partCount(upload) / LIMITS.partsPerToken) - 1;
}

function partCount({ size, partSize }: Multipart): number {
  return Math.ceil(size / partSize);
}

/**
 * Throws invalid_request when the response has too many bytes: for the 6 MB of a buffered response,
 * or, with Idempotency-Key, for the 400 KB of a DynamoDB item.
 */
function requireFits(
  deps: OperationDeps,
  response: HttpResponse,
  isSaved: boolean,
  upload: Multipart,
): void {
  const count = partCount(upload);
  const bytes = String(response.body).length;
  if (isSaved && bytes > LIMITS.replayBytes) {
    throw invalid(
      'Idempotency-Key',
      `cannot be used with ${count} parts; choose a larger part_size, or omit the header`,
    );
  }
  if (deps.responseMode === 'buffered' && bytes > LIMITS.bufferedJsonBytes) {
    const parts = Math.floor(count * (LIMITS.bufferedJsonBytes / bytes));
    throw invalid(
      'multipart.part_size',
      `must be at least ${Math.ceil(upload.size / parts)} in this deployment`,
    );
  }
}
