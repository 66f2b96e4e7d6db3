/** Runs one maintenance task per invocation; the schedule's event names it. */
import type { Context } from 'aws-lambda';
import type { CopyObjectsDeps } from '../../core/maintenance/copy-objects';
import { MAINTENANCE } from '../../core/maintenance/tasks';
import { stopWhen } from '../../core/stop-signal';

/** A task begins no step when less time than this is left. */
const MARGIN_MS = 30_000;

export function createJanitor(deps: CopyObjectsDeps) {
  return async (event: { task?: unknown }, context: Context): Promise<void> => {
    const task = Object.entries(MAINTENANCE).find(([name]) => name === event.task);
    if (!task) throw new Error(`task must be one of ${Object.keys(MAINTENANCE).join(', ')}`);
    const signal = stopWhen(() => context.getRemainingTimeInMillis() < MARGIN_MS);
    await task[1](deps, signal);
    deps.log.info('task_ended', { task: task[0] });
  };
}
