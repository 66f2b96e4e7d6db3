/**
 * Multipart uploads by signed URLs: parts, completion and abort are the client's own calls to S3.
 */
import { invalid, ServiceError } from '../../../core/errors';
import { LIMITS } from '../../../core/limits';
import type { Upload } from '../../../core/objects/ports';
import type { Multipart, SignPut } from '../../../core/objects/signed-urls';
import { type HttpResponse, jsonResponse } from '../http/response';
import type { OperationDeps } from './deps';
import type { Remember } from './idempotency';
import { keep, keepAnswer, lifeOf } from './signed-url';

/** An upload whose parts can be signed. */
type Begun = Omit<Upload, 'expiresAt' | 'ttl'> &
  Required<Pick<Upload, 'size' | 'partSize' | 'multipartId'>>;

export async function signMultipart(
  deps: OperationDeps,
  wish: SignPut,
  { size, partSize }: Multipart,
  upload: Omit<Upload, 'expiresAt' | 'ttl'>,
  remember: Remember | undefined,
): Promise<HttpResponse | undefined> {
  const { blob } = upload;
  const multipartId = await deps.blobs.createMultipart(blob, { contentType: wish.contentType });
  const begun = { ...upload, size, partSize, multipartId };
  const { answer, expiresAt } = await signParts(deps, begun, wish.expiresIn);
  try {
    requireFits(deps, answer, remember !== undefined, begun);
  } catch (refusal) {
    await deps.blobs.abortMultipart(blob, multipartId);
    throw refusal;
  }
  return keep(deps, { ...begun, ...lifeOf({ expiresAt }) }, answer, remember);
}

/**
 * Uploads may take longer than URLs live: new URLs for an upload that was begun and has not ended.
 */
export async function signPartsAgain(
  deps: OperationDeps,
  { bucket, key, expiresIn }: SignPut,
  id: string,
  remember: Remember | undefined,
): Promise<HttpResponse | undefined> {
  const [{ id: bucketId }, upload] = await Promise.all([
    deps.bucketIds.refresh(bucket),
    deps.uploads.get(id),
  ]);
  const isThatOne = upload?.bucketId === bucketId && upload.key === key;
  if (!isThatOne || !isBegun(upload)) throw uploadNotFound(bucket, key);
  const { answer, expiresAt } = await signParts(deps, upload, expiresIn);
  requireFits(deps, answer, remember !== undefined, upload);
  const isRenewed = await deps.uploads.renew({ ...upload, ...lifeOf({ expiresAt }) });
  if (!isRenewed) throw uploadNotFound(bucket, key);
  return keepAnswer(deps, answer, remember);
}

function isBegun(upload: Upload): upload is Upload & Begun {
  const { state, size, partSize, multipartId } = upload;
  const isInParts = size !== undefined && partSize !== undefined && multipartId !== undefined;
  return state === 'pending' && isInParts;
}

function uploadNotFound(bucket: string, key: string): ServiceError {
  return new ServiceError('not_found', {
    message: 'there is no such upload that could go on: begin another one',
    details: { bucket, key },
  });
}

async function signParts(
  deps: OperationDeps,
  { id, bucket, key, blob, size, partSize, multipartId }: Begun,
  expiresIn: number,
): Promise<{ readonly answer: HttpResponse; readonly expiresAt: string }> {
  const complete = await deps.blobs.presignComplete(blob, multipartId, expiresIn);
  const abort = await deps.blobs.presignAbort(blob, multipartId, expiresIn);
  const parts: { number: number; url: string }[] = [];
  for (let number = 1; number <= countOf({ size, partSize }); number++) {
    const { url } = await deps.blobs.presignPart(blob, multipartId, number, expiresIn);
    parts.push({ number, url });
  }
  const { expiresAt } = complete;
  const answer = jsonResponse(201, {
    upload_id: id,
    bucket,
    key,
    part_size: partSize,
    parts,
    complete: { url: complete.url, method: 'POST', headers: complete.headers },
    abort: { url: abort.url, method: 'DELETE', headers: abort.headers },
    expires_at: expiresAt,
  });
  return { answer, expiresAt };
}

function countOf({ size, partSize }: Multipart): number {
  return Math.ceil(size / partSize);
}

/**
 * A buffered answer holds 6 MB, a remembered one DynamoDB's 400 KB. Refusing beats failing later.
 */
function requireFits(
  deps: OperationDeps,
  answer: HttpResponse,
  remembered: boolean,
  upload: Multipart,
): void {
  const count = countOf(upload);
  const bytes = String(answer.body).length;
  if (remembered && bytes > LIMITS.replayBytes) {
    throw invalid(
      'Idempotency-Key',
      `cannot be used with ${count} parts; choose a larger part_size, or go without`,
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
