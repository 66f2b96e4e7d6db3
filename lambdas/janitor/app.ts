/** Runs one maintenance task per invocation; the schedule's event names it. */
import type { Context } from 'aws-lambda';
import { applyLifecycle } from '../../core/maintenance/apply-lifecycle';
import { type CopyObjectsDeps, copyObjects } from '../../core/maintenance/copy-objects';
import { expireObjects } from '../../core/maintenance/expire-objects';
import type { JanitorDeps } from '../../core/maintenance/janitor-deps';
import { maintainLogs } from '../../core/maintenance/maintain-logs';
import { reconcile } from '../../core/maintenance/reconcile';
import { settleUploads } from '../../core/maintenance/settle-uploads';
import { type StopSignal, stopWhen } from '../../core/stop-signal';

const TASKS = {
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

/** A task begins no step when less time than this is left. */
const MARGIN_MS = 30_000;

export function createJanitor(deps: CopyObjectsDeps) {
  return async (event: { task?: unknown }, context: Context): Promise<void> => {
    const task = Object.entries(TASKS).find(([name]) => name === event.task);
    if (!task) throw new Error(`task must be one of ${Object.keys(TASKS).join(', ')}`);
    const signal = stopWhen(() => context.getRemainingTimeInMillis() < MARGIN_MS);
    await task[1](deps, signal);
    deps.log.info('task_ended', { task: task[0] });
  };
}
