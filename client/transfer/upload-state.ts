/** The outcome of an upload in parts, or of a large copy. */
import { type ErrorCode, StowageError } from '../errors';
import { type Http, REQUEST_MS } from '../http';
import { segment } from '../paths';
import { isRecord, type UploadState } from '../resources';
import { retry, sleep } from '../retry';

/** Time that the service may take to commit an upload that S3 has completed. */
const COMMITTED_WITHIN_MS = 120_000;

/** The same, when S3 does not know the upload any more: it was completed before, or removed. */
const KNOWN_WITHIN_MS = 15_000;

export interface SentUpload {
  readonly uploadId: string;
  /**
   * Whether S3 has confirmed it. Otherwise S3 does not know the upload any more: it was completed
   * before, or removed.
   */
  readonly isCompleted: boolean;
}

/** Requests the state of an upload. */
export async function uploadState(
  http: Http,
  uploadId: string,
  signal?: AbortSignal,
): Promise<UploadState> {
  const path = `uploads/${segment(uploadId, 'an upload')}`;
  const response = await http.json({ path, signal, timeoutMs: REQUEST_MS });
  if (isRecord(response) && typeof response.state === 'string') {
    return response as unknown as UploadState;
  }
  throw new StowageError('invalid_answer', 'the response of the service is not an upload');
}

/** The code of each reason for which the service discards an upload; others are `conflict`. */
const DISCARDED: Readonly<Record<string, ErrorCode>> = {
  precondition_failed: 'precondition_failed',
  forbidden: 'forbidden',
  bucket_deleted: 'not_found',
  source_deleted: 'not_found',
};

export type Committed = NonNullable<UploadState['object']>;

export interface AwaitedUpload extends SentUpload {
  /**
   * Time that the service may take to make a large copy; absent for an upload. The wait for a copy
   * asks less often, and outlasts failures.
   */
  readonly withinMs?: number;
}

/** Longest time between two requests for the state. */
const LONGEST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_OF_COPY_MS = 15_000;

/**
 * Waits until the upload is committed, and returns its object. Throws StowageError when the service
 * has discarded it.
 */
export async function waitForCommit(
  http: Http,
  { uploadId, isCompleted, withinMs }: AwaitedUpload,
  signal: AbortSignal,
): Promise<Committed> {
  const limit = isCompleted ? COMMITTED_WITHIN_MS : KNOWN_WITHIN_MS;
  const deadline = Date.now() + (withinMs ?? limit);
  const isCopy = withinMs !== undefined;
  const maxAttempts = isCopy ? undefined : 1;
  const pause = isCopy ? LONGEST_PAUSE_OF_COPY_MS : LONGEST_PAUSE_MS;
  for (let wait = 50; ; wait = Math.min(wait * 2, pause)) {
    const ask = () => uploadState(http, uploadId, signal);
    const state = await retry(ask, { signal, random: Math.random, maxAttempts });
    if (state.state === 'committed' && state.object) return state.object;
    if (state.state === 'discarded') {
      const { reason = 'unknown' } = state;
      throw new StowageError(
        Object.hasOwn(DISCARDED, reason) ? (DISCARDED[reason] ?? 'conflict') : 'conflict',
        `the service discarded the upload: ${reason}`,
        { details: { upload_id: uploadId, reason } },
      );
    }
    if (Date.now() > deadline && !isCompleted) {
      throw new StowageError(
        'not_found',
        'S3 does not know this upload any more: upload the content again',
      );
    }
    if (Date.now() > deadline) {
      throw new StowageError(
        'unavailable',
        `S3 has the bytes, and the service has not committed them yet: uploadState('${uploadId}') says what became of them`,
        { details: { upload_id: uploadId } },
      );
    }
    await sleep(wait, signal);
    signal.throwIfAborted();
  }
}

/** Returns the object of an earlier upload if it is committed. */
export async function committedUpload(
  http: Http,
  uploadId: string,
  signal: AbortSignal,
): Promise<Committed | undefined> {
  try {
    const { state, object } = await uploadState(http, uploadId, signal);
    return state === 'committed' ? object : undefined;
  } catch (error) {
    if (error instanceof StowageError && error.code === 'not_found') return undefined;
    throw error;
  }
}
