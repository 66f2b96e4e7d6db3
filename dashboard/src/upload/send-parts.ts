/** Sends the missing parts of an upload: a few at a time, each again while it fails temporarily. */
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

/** More would share the same bandwidth, and hold more of the file in memory. */
const CONCURRENCY = 4;

/** Of one part: with the waits between them, some minutes. */
const ATTEMPTS = 8;

/**
 * Returns all parts, with those that were sent before. Throws PartError, or the reason of the
 * aborted signal; the parts that were sent until then stay saved.
 */
export async function sendParts(
  urls: SignedUrls,
  file: Blob,
  done: FinishedParts,
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
