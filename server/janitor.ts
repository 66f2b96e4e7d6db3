/** The tasks that AWS's schedules run there, by timer. */
import { MAINTENANCE, type MaintenanceTask } from '../core/maintenance/tasks';
import { NEVER_STOP } from '../core/stop-signal';
import type { Log } from '../core/system';
import type { LocalStores } from './stores';

const MINUTE_MS = 60_000;

/** How often each task runs, milliseconds. */
const EVERY: Readonly<Record<MaintenanceTask, number>> = {
  logs: MINUTE_MS,
  copies: MINUTE_MS,
  uploads: 60 * MINUTE_MS,
  expiry: 15 * MINUTE_MS,
  reconcile: 60 * MINUTE_MS,
};

/** Starts the timers. Returns what ends them. A task never runs twice at once. */
export function startJanitor(
  deps: Parameters<(typeof MAINTENANCE)[MaintenanceTask]>[0] & { readonly log: Log },
  stores: Pick<LocalStores, 'removeExpired'>,
): () => void {
  const every = (milliseconds: number, task: string, run: () => Promise<unknown>) => {
    let isRunning = false;
    return setInterval(async () => {
      if (isRunning) return;
      isRunning = true;
      await run().catch((error: unknown) => deps.log.error('task_failed', { task, error }));
      isRunning = false;
    }, milliseconds).unref();
  };
  const named = Object.entries(MAINTENANCE).map(([task, run]) =>
    every(EVERY[task as MaintenanceTask], task, () => run(deps, NEVER_STOP)),
  );
  const timers = [...named, every(60 * MINUTE_MS, 'removeExpired', () => stores.removeExpired())];
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}
