/** Multipart uploads by signed URLs: parts, completion and abort are the client's own calls to S3. */
import { invalid } from '../../core/errors';
import { LIMITS } from '../../core/limits';
import type { Upload } from '../../core/ports';
import type { Multipart, SignPut } from '../../core/signing';
import { type Answer, jsonAnswer } from '../http/answer';
import type { ApiDeps } from './deps';
import type { Remember } from './idempotency';
import { keep, lifeOf } from './signed-url';

export async function signMultipart(
  deps: ApiDeps,
  wish: SignPut,
  { size, partSize }: Multipart,
  upload: Omit<Upload, 'expiresAt' | 'ttl'>,
  remember: Remember | undefined,
): Promise<Answer | undefined> {
  const { blob } = upload;
  const { expiresIn } = wish;
  const count = Math.ceil(size / partSize);
  const multipartId = await deps.blobs.createMultipart(blob, { contentType: wish.contentType });
  const complete = await deps.blobs.presignComplete(blob, multipartId, expiresIn);
  const abort = await deps.blobs.presignAbort(blob, multipartId, expiresIn);
  const parts: { number: number; url: string }[] = [];
  for (let number = 1; number <= count; number++) {
    const { url } = await deps.blobs.presignPart(blob, multipartId, number, expiresIn);
    parts.push({ number, url });
  }
  const answer = jsonAnswer(201, {
    upload_id: upload.id,
    bucket: upload.bucket,
    key: upload.key,
    part_size: partSize,
    parts,
    complete: { url: complete.url, method: 'POST', headers: complete.headers },
    abort: { url: abort.url, method: 'DELETE', headers: abort.headers },
    expires_at: complete.expiresAt,
  });
  try {
    requireFits(deps, answer, remember !== undefined, size, count);
  } catch (refusal) {
    await deps.blobs.abortMultipart(blob, multipartId);
    throw refusal;
  }
  return keep(deps, { ...upload, size, multipartId, ...lifeOf(complete) }, answer, remember);
}

/** A buffered answer holds 6 MB, a remembered one DynamoDB's 400 KB. Refusing beats failing later. */
function requireFits(
  deps: ApiDeps,
  answer: Answer,
  remembered: boolean,
  size: number,
  count: number,
): void {
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
      `must be at least ${Math.ceil(size / parts)} in this deployment`,
    );
  }
}
