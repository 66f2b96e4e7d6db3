/**
 * Retries with exponential backoff and full jitter: for loops that outlast failures, `sync()` and
 * `mirror()`; for the parts of a transfer; and for single requests (client/http.ts).
 */
import { onAbort } from './abort';
import { StowageError } from './errors';

/** Uniform in [0, 1). */
export type Random = () => number;

export interface RetryOptions {
  readonly signal: AbortSignal;
  readonly random: Random;
  /** Whether another attempt may succeed. @default temporary StowageErrors only */
  readonly isTemporary?: (error: unknown) => boolean;
  /** @default no limit */
  readonly maxAttempts?: number;
  /** @default a timer */
  readonly sleep?: typeof sleep;
}

/**
 * Repeats `work` until it succeeds. Throws its error when the error is not temporary or the
 * attempts are used up, and the reason of the signal when that is aborted.
 */
export async function retry<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const {
    signal,
    isTemporary = isTemporaryError,
    maxAttempts = Number.POSITIVE_INFINITY,
  } = options;
  for (let failures = 0; ; failures++) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (!isTemporary(error) || failures + 1 >= maxAttempts) throw error;
      await waitAfter(error, failures, options);
      signal.throwIfAborted();
    }
  }
}

/** Waits before the next attempt, at least for as long as the error asks. */
export async function waitAfter(
  error: unknown,
  failures: number,
  options: Pick<RetryOptions, 'signal' | 'random' | 'sleep'>,
): Promise<void> {
  const { signal, random, sleep: pause = sleep } = options;
  const retryAfter = error instanceof StowageError ? (error.retryAfter ?? 0) : 0;
  await pause(Math.max(fullJitter(failures, random), retryAfter * 1000), signal);
}

/**
 * Milliseconds to wait before attempt `attempt` (0 = the first repetition): random, so that clients
 * that were disconnected at the same time do not reconnect at the same time.
 */
export function fullJitter(attempt: number, random: Random): number {
  return random() * Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempt, 20));
}

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 30_000;

/** Resolves after that time, or as soon as the signal is aborted. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const finish = () => {
      clearTimeout(timer);
      detach();
      resolve();
    };
    const timer = setTimeout(finish, milliseconds);
    const detach = onAbort(signal, finish);
  });
}

function isTemporaryError(error: unknown): boolean {
  return error instanceof StowageError && error.isTemporary;
}
