/** Waits for what becomes true in its own time, with a bound. */
import { setTimeout as pause } from 'node:timers/promises';

/** S3 reports uploads "typically within seconds"; a minute is the bound of patience. */
const PATIENCE_MILLISECONDS = 60_000;

/** Calls `probe` until it returns a value; fails with `what` was expected. */
export async function until<T>(what: string, probe: () => Promise<T | undefined>): Promise<T> {
  const end = Date.now() + PATIENCE_MILLISECONDS;
  for (let wait = 50; ; wait = Math.min(wait * 1.5, 1_000)) {
    const found = await probe();
    if (found !== undefined) return found;
    if (Date.now() + wait > end) throw new Error(`waited in vain for ${what}`);
    await pause(wait);
  }
}
