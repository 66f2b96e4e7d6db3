/** The maintenance tasks by name. Each runs until it is done or `signal` aborts. */
import { type StopSignal, stopWhen } from '../stop-signal';
import { applyLifecycle } from './apply-lifecycle';
import { type CopyObjectsDeps, copyObjects } from './copy-objects';
import { expireObjects } from './expire-objects';
import type { JanitorDeps } from './janitor-deps';
import { maintainLogs } from './maintain-logs';
import { reconcile } from './reconcile';
import { settleUploads } from './settle-uploads';

export type MaintenanceTask = 'logs' | 'copies' | 'uploads' | 'expiry' | 'reconcile';

export const MAINTENANCE: Readonly<
  Record<MaintenanceTask, (deps: CopyObjectsDeps, signal: StopSignal) => Promise<unknown>>
> = {
  logs: maintainLogs,
  copies: copyObjects,
  uploads: settleUploads,
  expiry: expire,
  reconcile,
};

/** Time budget for expiry out of the function's 15 minutes; the lifecycle rules get the rest. */
const EXPIRY_MS = 9 * 60_000;

/** What is due within the hour comes first; the rules are applied even if that fails. */
async function expire(deps: JanitorDeps, signal: StopSignal): Promise<void> {
  const until = deps.clock.now() + EXPIRY_MS;
  try {
    await expireObjects(
      deps,
      stopWhen(() => signal.aborted || deps.clock.now() >= until),
    );
  } finally {
    await applyLifecycle(deps, signal);
  }
}
