/** Waits, with a time limit, for what takes time in AWS. */
import { setTimeout as pause } from 'node:timers/promises';

/** S3 reports uploads "typically within seconds"; a minute is the time limit here. */
const PATIENCE_MILLISECONDS = 60_000;

/** Calls `probe` until it returns a value; fails with `what` was expected. */
export async function until<T>(what: string, probe: () => Promise<T | undefined>): Promise<T> {
  const end = Date.now() + PATIENCE_MILLISECONDS;
  for (let wait = 50; ; wait = Math.min(wait * 1.5, 1_000)) {
    const found = await probe();
    if (found !== undefined) return found;
    if (Date.now() + wait > end) throw new Error(`timed out waiting for ${what}`);
    await pause(wait);
  }
}
