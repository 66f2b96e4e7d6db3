import { linkedTo } from '../abort';

/** How many items are in progress at once, and the signal that ends them. */
export interface Concurrency {
  readonly concurrency: number;
  readonly signal: AbortSignal;
}

/**
 * Calls `work` for each item, some at a time. Throws the first error, or the reason of the signal,
 * after it has aborted the other calls and they have ended.
 */
export async function concurrently<T>(
  items: Iterable<T>,
  { concurrency, signal }: Concurrency,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = linkedTo(signal);
  const waiting = items[Symbol.iterator]();
  const worker = async () => {
    // Not `for … of`, which would end the iterator of all workers.
    for (let next = waiting.next(); !next.done; next = waiting.next()) {
      stop.signal.throwIfAborted();
      await work(next.value, stop.signal);
    }
  };
  const workers = Array.from({ length: concurrency }, () => worker());
  try {
    await Promise.all(workers);
  } catch (error) {
    stop.abort(error);
    await Promise.allSettled(workers);
    throw error;
  } finally {
    stop.detach();
  }
}
