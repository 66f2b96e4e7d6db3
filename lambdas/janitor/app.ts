/** Runs one task per invocation; the schedules say which. */
import type { Context } from 'aws-lambda';
import {
  type JanitorDeps,
  maintainLogs,
  reconcile,
  settleUploads,
} from '../../core/maintenance/housekeeping';

const TASKS = { feeds: maintainLogs, uploads: settleUploads, reconcile };

/** Left for the step under way when the function's time runs out. */
const MARGIN_MS = 30_000;

export function createJanitor(deps: JanitorDeps) {
  return async (event: { task?: unknown }, context: Context): Promise<void> => {
    const task = Object.entries(TASKS).find(([name]) => name === event.task);
    if (!task) throw new Error(`task must be one of ${Object.keys(TASKS).join(', ')}`);
    await task[1](deps, () => context.getRemainingTimeInMillis() < MARGIN_MS);
    deps.log.info('task_ended', { task: task[0] });
  };
}
