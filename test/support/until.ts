import { setTimeout as wait } from 'node:timers/promises';

export interface UntilOptions {
  readonly timeoutMs?: number;
  /** Time between two probes. */
  readonly pauseMs?: number;
}

/**
 * Calls `probe` until it returns something other than false or undefined, and returns that. Throws
 * after the timeout, with `what` was expected. The timeout only ends tests that would never end: it
 * is far above what a busy machine needs.
 */
export async function until<T>(
  what: string,
  probe: () => T | Promise<T>,
  { timeoutMs = 110_000, pauseMs = 20 }: UntilOptions = {},
): Promise<Exclude<T, false | undefined>> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const result = await probe();
    if (result !== false && result !== undefined) return result as Exclude<T, false | undefined>;
    if (Date.now() > end) throw new Error(`timed out after ${timeoutMs} ms: ${what}`);
    await wait(pauseMs);
  }
}
