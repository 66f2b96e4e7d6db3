/** All parts of an upload that are not there yet: a few at once, each again until it works. */
import { fullJitter, type Random } from '../../../client/channel/backoff';
import { type FinishedParts, finishedBytes, rangeOf, urlOf } from './plan';
import { PartError, type SendPart } from './send-part';
import type { SignedUrls } from './signed-urls';

export interface SendPartsDeps {
  readonly send: SendPart;
  /** Called with each part as soon as it is there, before the next one is begun. */
  readonly remember: (number: number, etag: string) => Promise<void>;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  readonly random: Random;
}

/** More would share the same line, and hold more of the file in memory. */
const AT_ONCE = 4;

/** Of one part, in a row: with the pauses between them some minutes. */
const ATTEMPTS = 8;

/**
 * Throws PartError, or the reason of the aborted signal; what was sent until then stays remembered.
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
  const underWay = new Map<number, number>();
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const tell = () => {
    const sent = [...underWay.values()].reduce((sum, bytes) => sum + bytes, 0);
    options.progress(finishedBytes(upload, finished) + sent);
  };
  const sendOne = async (number: number) => {
    const { from, to } = rangeOf(upload, number);
    const bytes = file.slice(from, to);
    const progress = (sent: number) => {
      underWay.set(number, Math.min(sent, to - from));
      tell();
    };
    try {
      const etag = await patiently(
        () => urls.use((now) => deps.send(urlOf(now, number), bytes, progress, signal)),
        deps,
        signal,
      );
      await deps.remember(number, etag);
      finished.set(number, etag);
    } finally {
      underWay.delete(number);
      tell();
    }
  };
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await sendOne(next);
  };
  tell();
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  } finally {
    stop.abort(new DOMException('another part failed', 'AbortError'));
  }
  return finished;
}

async function patiently<T>(
  work: () => Promise<T>,
  { sleep, random }: SendPartsDeps,
  signal: AbortSignal,
): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      const isTemporary = error instanceof PartError && error.failure === 'temporary';
      if (!isTemporary || failures + 1 >= ATTEMPTS) throw error;
      await sleep(fullJitter(failures, random), signal);
      signal.throwIfAborted();
    }
  }
}
