import { setTimeout as delay } from 'node:timers/promises';

/** Waits the given milliseconds, or until the signal is aborted. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted || milliseconds <= 0) return;
  await delay(milliseconds, undefined, { signal }).catch(() => undefined);
}
