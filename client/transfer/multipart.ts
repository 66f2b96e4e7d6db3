/** An upload in parts, from the first signed URL until S3 has put the parts together. */
import { linkedTo } from '../abort';
import { connectionLost, StowageError } from '../errors';
import type { Fetch, Http } from '../http';
import { type Random, retry } from '../retry';
import { concurrently } from './concurrently';
import { PartProgress } from './part-progress';
import { completionOf, rangeOfPart } from './parts';
import type { ResumeStore, SavedUpload } from './saved-upload';
import { type SendPart, storeError } from './send-part';
import { SignedParts, type SignedUpload, signUpload, type UploadTarget } from './signed-parts';
import type { OpenedSource } from './source';
import { type SentUpload, waitForCommit } from './upload-state';

export interface MultipartDeps {
  readonly http: Http;
  readonly send: SendPart;
  readonly fetch: Fetch;
  readonly random: Random;
}

/** Identifies an upload in parts, as a ResumeStore has saved it. */
export type AbortedUpload = Pick<SavedUpload, 'bucket' | 'key' | 'uploadId'>;

export interface MultipartUpload {
  readonly target: UploadTarget;
  readonly source: OpenedSource;
  /** Content headers, metadata and conditions, as the request for a signed URL names them. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly partSize?: number;
  readonly concurrency: number;
  readonly resume?: ResumeStore;
  /** The saved state of this upload. */
  readonly saved?: SavedUpload;
  /** Whether the URLs are signed again before the upload is completed. */
  readonly signsAgain?: boolean;
  readonly onProgress: (sent: number) => void;
  readonly signal: AbortSignal;
}

/** Attempts to send one part. With the backoff between them they last some minutes. */
const ATTEMPTS = 8;

/** For requests to S3 that carry no content; putting many parts together takes minutes. */
const COMPLETE_MS = 300_000;
const ABORT_MS = 10_000;

/**
 * Sends the parts that S3 does not have, and completes the upload. Throws StowageError or the
 * reason of the signal; a saved upload can then be continued, any other one is aborted, so that S3
 * does not store its parts.
 */
export async function uploadParts(
  deps: MultipartDeps,
  upload: MultipartUpload,
): Promise<SentUpload> {
  try {
    return await uploadOnce(deps, upload);
  } catch (error) {
    // The service or S3 has ended the saved upload.
    const isEnded = error instanceof StowageError && error.code === 'not_found';
    if (!upload.saved || !isEnded) throw error;
    const { uploadId } = upload.saved;
    if (await isCommitted(deps.http, uploadId, upload.signal)) {
      upload.onProgress(upload.source.blob.size);
      return { uploadId, isCompleted: true };
    }
    return uploadOnce(deps, { ...upload, saved: undefined });
  }
}

/** Waits for a moment: S3 may have completed the upload, and the service not yet committed it. */
async function isCommitted(http: Http, uploadId: string, signal: AbortSignal): Promise<boolean> {
  try {
    await waitForCommit(http, { uploadId, isCompleted: false }, signal);
    return true;
  } catch (error) {
    if (error instanceof StowageError && !error.isTemporary) return false;
    throw error;
  }
}

async function uploadOnce(deps: MultipartDeps, upload: MultipartUpload): Promise<SentUpload> {
  const { target, source, resume, saved, signal } = upload;
  const begun = (saved && (await signedAgain(deps, upload, saved))) ?? (await begin(deps, upload));
  const { signed } = begun;
  const { upload_id: uploadId } = signed;
  const progress = new PartProgress(
    {
      ...{ ...target, uploadId, size: source.blob.size, partSize: signed.part_size },
      ...{ modifiedAt: source.modifiedAt, fields: fieldsText(upload), etags: begun.etags },
    },
    resume,
    upload.onProgress,
  );
  const again = { multipart: { upload_id: uploadId } };
  const urls = new SignedParts(signed, () => signUpload(deps.http, target, again, signal));
  // A program that was killed may have completed the upload, once it had saved each part.
  const mayBeCompleted = signed.parts.every((_, index) => progress.has(index + 1));
  try {
    await progress.save();
    await sendParts(deps, { upload, signed, urls, progress });
    // If this fails, the current URLs may still be valid.
    if (upload.signsAgain) await urls.signAgain().catch(() => undefined);
    signal.throwIfAborted();
    const etags = progress.etags(signed.parts.length);
    return { uploadId, isCompleted: await complete(deps, urls, { etags, mayBeCompleted }, signal) };
  } catch (error) {
    const isEnded = error instanceof StowageError && !error.isTemporary;
    if (!resume || isEnded) {
      await resume?.clear();
      // When this fails, the service removes the parts a day after the URLs have expired.
      await abortUpload(deps, { ...target, uploadId }, AbortSignal.timeout(ABORT_MS)).catch(
        () => undefined,
      );
    }
    throw error;
  }
}

/**
 * Returns the saved upload if it has the same content, key and fields. Content whose time is not
 * known may have changed, so its upload starts over.
 */
export async function savedUpload(
  upload: Pick<MultipartUpload, 'target' | 'source' | 'fields' | 'partSize'>,
  resume: ResumeStore,
): Promise<SavedUpload | undefined> {
  const { target, source } = upload;
  const saved = await resume.load();
  const isSame =
    saved?.bucket === target.bucket &&
    saved.key === target.key &&
    saved.size === source.blob.size &&
    source.modifiedAt !== undefined &&
    saved.modifiedAt === source.modifiedAt &&
    saved.fields === fieldsText(upload);
  return isSame ? saved : undefined;
}

function fieldsText({ fields, partSize }: Pick<MultipartUpload, 'fields' | 'partSize'>): string {
  return JSON.stringify([fields, partSize]);
}

interface Begun {
  readonly signed: SignedUpload;
  readonly etags: SavedUpload['etags'];
}

/** Returns undefined when the saved parts have another size than the service signs. */
async function signedAgain(
  { http }: MultipartDeps,
  { target, signal }: MultipartUpload,
  { uploadId, etags, partSize }: SavedUpload,
): Promise<Begun | undefined> {
  const fields = { multipart: { upload_id: uploadId } };
  const signed = await signUpload(http, target, fields, signal);
  return signed.part_size === partSize ? { signed, etags } : undefined;
}

async function begin(
  { http }: MultipartDeps,
  { target, source, fields, partSize, signal }: MultipartUpload,
): Promise<Begun> {
  const multipart = { size: source.blob.size, part_size: partSize };
  const signed = await signUpload(http, target, { ...fields, multipart }, signal);
  return { signed, etags: {} };
}

interface Sending {
  readonly upload: MultipartUpload;
  readonly signed: SignedUpload;
  readonly urls: SignedParts;
  readonly progress: PartProgress;
}

async function sendParts(
  { send, random }: MultipartDeps,
  { upload, signed, urls, progress }: Sending,
): Promise<void> {
  const { blob } = upload.source;
  const partSize = signed.part_size;
  const missing = signed.parts.map((_, index) => index + 1).filter((each) => !progress.has(each));
  await concurrently(missing, upload, async (number, signal) => {
    const part = rangeOfPart({ partSize, size: blob.size }, number);
    const onProgress = (bytes: number) => progress.sending(number, bytes);
    const attempt = () =>
      urls.use(({ parts }) => send(parts[number - 1]?.url ?? '', part, { onProgress, signal }));
    try {
      const etag = await retry(attempt, { signal, random, maxAttempts: ATTEMPTS });
      await progress.sent(number, etag);
    } catch (error) {
      progress.failed(number);
      throw error;
    }
  });
}

/**
 * Completes the upload in S3. An earlier attempt whose response was lost counts, too. Returns false
 * when S3 does not know the upload and no attempt can have completed it.
 */
async function complete(
  { fetch, random }: MultipartDeps,
  urls: SignedParts,
  completion: { readonly etags: readonly string[]; readonly mayBeCompleted: boolean },
  signal: AbortSignal,
): Promise<boolean> {
  const body = completionOf(completion.etags);
  let { mayBeCompleted } = completion;
  const attempt = async ({ complete: { url, method, headers } }: SignedUpload) => {
    const request = linkedTo(signal);
    const timer = setTimeout(() => request.abort(), COMPLETE_MS);
    try {
      const response = await fetch(url, { method, headers, body, signal: request.signal });
      const text = await response.text();
      // S3 may send an error in the body of a response with status 200.
      const code = /<Code>([^<]+)<\/Code>/.exec(text)?.[1];
      if (response.ok && code === undefined) return true;
      // 412: the object exists, and only this upload can have made it.
      if (response.status === 412) return true;
      if (code === 'NoSuchUpload') return mayBeCompleted;
      throw storeError(response.ok ? 500 : response.status, text);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof StowageError && !error.isTemporary) throw error;
      mayBeCompleted = true;
      throw error instanceof StowageError ? error : connectionLost(error);
    } finally {
      clearTimeout(timer);
      request.detach();
    }
  };
  return retry(() => urls.use(attempt), { signal, random, maxAttempts: ATTEMPTS });
}

/**
 * Ends an upload, so that S3 removes its parts. Throws StowageError `not_found` when it has ended
 * already.
 */
export async function abortUpload(
  { fetch, http }: Pick<MultipartDeps, 'fetch' | 'http'>,
  { bucket, key, uploadId }: AbortedUpload,
  signal: AbortSignal,
): Promise<void> {
  const again = { multipart: { upload_id: uploadId } };
  const { abort } = await signUpload(http, { bucket, key }, again, signal);
  const { url, method, headers } = abort;
  const response = await fetch(url, { method, headers, signal }).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw connectionLost(cause);
  });
  if (!response.ok) throw storeError(response.status, await response.text());
}
