/** Sends the missing parts of an upload concurrently and retries temporary failures. */
import { type Random, retry } from '../../../client/retry';
import { type FinishedParts, finishedBytes, rangeOf, urlOf } from './plan';
import { PartError, type SendPart } from './send-part';
import type { SignedUrls } from './signed-urls';

export interface SendPartsDeps {
  readonly send: SendPart;
  /** Saves a part that was sent, before the next one begins. */
  readonly save: (number: number, etag: string) => Promise<void>;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly random: Random;
}

/** A larger number shares the same bandwidth and holds more of the file in memory. */
const CONCURRENCY = 4;

/** Attempts to send one part. With the backoff between them they last some minutes. */
const ATTEMPTS = 8;

export interface PartsToSend {
  readonly urls: SignedUrls;
  readonly file: Blob;
  /** The parts that were sent before an interruption. */
  readonly done: FinishedParts;
}

/**
 * Returns all parts, including those that were sent before. Throws PartError or the reason of the
 * aborted signal; the parts that were sent until then stay saved.
 */
export async function sendParts(
  { urls, file, done }: PartsToSend,
  deps: SendPartsDeps,
  options: { readonly progress: (bytes: number) => void; readonly signal: AbortSignal },
): Promise<FinishedParts> {
  const { upload } = urls;
  const finished = new Map(done);
  const waiting = upload.parts
    .map(({ number }) => number)
    .filter((number) => !finished.has(number));
  const inProgress = new Map<number, number>();
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const reportProgress = () => {
    const sent = [...inProgress.values()].reduce((sum, bytes) => sum + bytes, 0);
    options.progress(finishedBytes(upload, finished) + sent);
  };
  const sendOne = async (number: number) => {
    const { from, to } = rangeOf(upload, number);
    const bytes = file.slice(from, to);
    const progress = (sent: number) => {
      inProgress.set(number, Math.min(sent, to - from));
      reportProgress();
    };
    try {
      const { sleep, random } = deps;
      const etag = await retry(
        () => urls.use((now) => deps.send(urlOf(now, number), bytes, progress, signal)),
        { signal, random, sleep, isTemporary, maxAttempts: ATTEMPTS },
      );
      await deps.save(number, etag);
      finished.set(number, etag);
    } finally {
      inProgress.delete(number);
      reportProgress();
    }
  };
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await sendOne(next);
  };
  reportProgress();
  try {
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  } finally {
    stop.abort(new DOMException('another part failed', 'AbortError'));
  }
  return finished;
}

function isTemporary(error: unknown): boolean {
  return error instanceof PartError && error.failure === 'temporary';
}
