/** Performs a task: notifies one target of the changes of some buckets. */
import type { BucketRef } from '../bucket-ref';
import { forEachConcurrently } from '../concurrency';
import type { StopSignal } from '../stop-signal';
import { type NotifyDeps, notifyTarget } from './notify';
import type { Target } from './ports';
import { type RegisterDeps, register } from './register';

export type TaskDeps = NotifyDeps & RegisterDeps;

/** Buckets whose changes one target is notified of concurrently. */
const CONCURRENT_BUCKETS = 8;

/**
 * Notifies the target of each bucket. Rejects with the first unexpected error when all buckets are
 * done. `registered`: the ids of the targets that this instance knows to be registered. AWS calls:
 * those of notifyTarget; 1 UpdateItem more for the first task of a target.
 */
export async function runTask(
  deps: TaskDeps,
  target: Target,
  buckets: readonly BucketRef[],
  options: { readonly registered: Set<string>; readonly signal: StopSignal },
): Promise<void> {
  const { registered, signal } = options;
  if (!registered.has(target.id)) {
    // Without a cursor in each bucket that existed before it, the target would be notified of
    // everything that ever happened in those buckets.
    const registration = await deps.targetCursors.register(target.id, deps.clock.now());
    if (!registration.complete && !(await register(deps, target, registration, signal))) return;
    registered.add(target.id);
  }
  const errors: unknown[] = [];
  await forEachConcurrently(buckets, CONCURRENT_BUCKETS, async (bucket) => {
    try {
      await notifyTarget(deps, target, bucket, signal);
    } catch (error) {
      deps.log.error('target_task_failed', { target: target.id, bucket: bucket.name, error });
      errors.push(error);
    }
  });
  if (errors.length > 0) throw errors[0];
}
