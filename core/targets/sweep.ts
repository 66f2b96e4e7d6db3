/**
 * The scheduled sweep finds the buckets of whose changes a target was not notified: events of the
 * stream get lost, targets fail, instances crash. A sweep may be cut off anywhere.
 */
import { matchesPattern } from '../access/permissions';
import type { BucketRef } from '../bucket-ref';
import { FailureCollector } from '../failure-collector';
import type { StopSignal } from '../stop-signal';
import { allBuckets, type TargetBucket } from './bucket-log';
import type { NotifyDeps } from './notify';
import type { Registration, Target, TargetCursor, TargetTasks } from './ports';
import { type RegisterDeps, register } from './register';

export type SweepDeps = NotifyDeps & RegisterDeps & { readonly targetTasks: TargetTasks };

/** A change that waits longer than this is reported in the log, which an alarm watches. */
const LATE_MS = 5 * 60_000;

/** Buckets of one task. */
const BUCKETS_PER_TASK = 100;

export function followsBucket(target: Pick<Target, 'buckets'>, bucket: string): boolean {
  return target.buckets.some((pattern) => matchesPattern(pattern, bucket));
}

/** Sends the tasks that notify the target of these buckets. */
export async function sendTasks(
  targetTasks: TargetTasks,
  target: Pick<Target, 'id'>,
  buckets: readonly BucketRef[],
): Promise<void> {
  for (let from = 0; from < buckets.length; from += BUCKETS_PER_TASK) {
    const some = buckets.slice(from, from + BUCKETS_PER_TASK);
    await targetTasks.send({ target: target.id, buckets: some });
  }
}

/**
 * Sends a task for every bucket in which a target is behind, and registers new targets. What fails
 * for one target or bucket is logged and left for the next sweep; the sweep then throws at its end.
 * AWS calls when no target is behind: 1 UpdateItem and 1 Query per target, 2 Query and 2
 * BatchGetItem per 100 buckets; for each target that is registered, those of register, and all but
 * the first again.
 */
export async function sweep(
  deps: SweepDeps,
  targets: readonly Target[],
  signal: StopSignal,
): Promise<void> {
  const failures = new FailureCollector(deps.log, 'target_sweep_failed');
  const registrations = new Map<Target, Registration>();
  for (const target of targets) {
    await failures.run(target.id, { target: target.id }, async () => {
      const registration = await deps.targetCursors.register(target.id, deps.clock.now());
      registrations.set(target, registration);
    });
  }
  const run = { deps, failures, signal };
  await sweepTargets(
    run,
    targets.filter((target) => registrations.get(target)?.complete),
  );
  // Registering may take all the time that is left, so the registered targets come first.
  for (const [target, registration] of registrations) {
    if (registration.complete) continue;
    await failures.run(target.id, { target: target.id }, async () => {
      const isRegistered = await register(deps, target, registration, signal);
      if (isRegistered) await sweepTargets(run, [target]);
    });
  }
  failures.throwIfAny();
}

interface SweepRun {
  readonly deps: SweepDeps;
  readonly failures: FailureCollector;
  readonly signal: StopSignal;
}

/** Sweeps registered targets. */
async function sweepTargets(run: SweepRun, targets: readonly Target[]): Promise<void> {
  if (targets.length === 0) return;
  const { deps, failures } = run;
  // The cursors are read before the buckets, and those before the deleted buckets: a cursor whose
  // bucket is then in neither list belongs to no bucket any more.
  const cursorsOf = new Map<Target, readonly TargetCursor[]>();
  for (const target of targets) {
    await failures.run(target.id, { target: target.id }, async () => {
      cursorsOf.set(target, await deps.targetCursors.list(target.id));
    });
  }
  const buckets = await allBuckets(deps);
  for (const [target, cursors] of cursorsOf) {
    await failures.run(target.id, { target: target.id }, () =>
      sweepTarget(run, { target, cursors, buckets }),
    );
  }
}

interface SweptTarget {
  readonly target: Target;
  readonly cursors: readonly TargetCursor[];
  readonly buckets: readonly TargetBucket[];
}

/** Sends the tasks for one target, and removes its cursors in buckets that are purged. */
async function sweepTarget(
  { deps, failures, signal }: SweepRun,
  { target, cursors, buckets }: SweptTarget,
): Promise<void> {
  const cursorIn = new Map(cursors.map((one) => [one.bucket.id, one]));
  const behind: BucketRef[] = [];
  for (const bucket of buckets) {
    const { name, id } = bucket;
    const { cursor = 0, failures: failed = 0 } = cursorIn.get(id) ?? {};
    cursorIn.delete(id);
    if (signal.aborted || !followsBucket(target, name)) continue;
    await failures.run(target.id, { target: target.id, bucket: name }, async () => {
      if (isUpToDate(bucket, cursor)) return;
      behind.push({ name, id });
      await reportLag(deps, target, bucket, { cursor, failures: failed });
    });
  }
  await sendTasks(deps.targetTasks, target, behind);
  for (const id of cursorIn.keys()) await deps.targetCursors.remove(target.id, id);
}

/** AWS calls: 1 GetItem. */
async function reportLag(
  { changeLog, clock, log }: SweepDeps,
  target: Target,
  { name, id, head }: TargetBucket,
  { cursor, failures }: Pick<TargetCursor, 'cursor' | 'failures'>,
): Promise<void> {
  const next = await changeLog.get(id, cursor + 1);
  // The age of a trimmed entry is unknown; the task that reads the log reports the loss.
  const lateMs = next ? clock.now() - Date.parse(next.at) : 0;
  if (lateMs < LATE_MS) return;
  const fields = { target: target.id, bucket: name, from: cursor, behind: head - cursor };
  log.error('notification_late', { ...fields, seconds: Math.round(lateMs / 1000), failures });
}

/**
 * Throws if the bucket never had the cursor: then its tables were restored to an earlier moment.
 */
function isUpToDate({ name, head }: TargetBucket, cursor: number): boolean {
  if (cursor > head) throw new Error(`cursor ${cursor} is ahead of ${name}, which is at ${head}`);
  return cursor === head;
}
