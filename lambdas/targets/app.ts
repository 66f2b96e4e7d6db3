/**
 * Notifies the targets that the stack names of changes. Three events invoke it: a batch of the
 * Changes stream, whose records only name the buckets that changed; the schedule, which sweeps all
 * buckets, because stream records expire and targets fail; and its own tasks, one per target, so
 * that no target waits for another one.
 */
import type { Context, DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import type { BucketRef } from '../../core/bucket-ref';
import { stopWhen } from '../../core/stop-signal';
import type { Target } from '../../core/targets/ports';
import { followsBucket, type SweepDeps, sendTasks, sweep } from '../../core/targets/sweep';
import { runTask } from '../../core/targets/task';
import { parseTask } from './target-tasks';

export interface TargetsDeps extends SweepDeps {
  readonly targets: readonly Target[];
}

/** Time that is left for the work after the last call of a target. */
const MARGIN_MS = 20_000;

/**
 * AWS calls of a batch: 1 Invoke per target that follows one of its buckets. Those of tasks and
 * sweeps: see core/targets.
 */
export function createTargets(deps: TargetsDeps) {
  const registered = new Set<string>();
  return async (
    event: unknown,
    context: Pick<Context, 'getRemainingTimeInMillis'>,
  ): Promise<DynamoDBBatchResponse | undefined> => {
    const stopBefore = (ms: number) => stopWhen(() => context.getRemainingTimeInMillis() < ms);
    const records = recordsOf(event);
    if (records) return sendTasksFor(deps, records);
    if (isSweep(event)) {
      await sweep(deps, deps.targets, stopBefore(MARGIN_MS));
      return undefined;
    }
    const task = parseTask(event);
    if (!task) throw new Error('the event is neither a batch of records, nor a task, nor a sweep');
    const target = deps.targets.find(({ id }) => id === task.target);
    // The task was sent by an earlier deployment that still had the target.
    if (!target) return undefined;
    const signal = stopBefore(target.timeoutMs + MARGIN_MS);
    await runTask(deps, target, task.buckets, { registered, signal });
    return undefined;
  };
}

function recordsOf(event: unknown): readonly DynamoDBRecord[] | undefined {
  if (typeof event !== 'object' || event === null || !('Records' in event)) return undefined;
  return Array.isArray(event.Records) ? event.Records : undefined;
}

/** The event of the schedule in lib/targets. */
function isSweep(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'task' in event && event.task === 'sweep';
}

async function sendTasksFor(
  { targets, targetTasks, log }: TargetsDeps,
  records: readonly DynamoDBRecord[],
): Promise<DynamoDBBatchResponse> {
  const changed = new Map<string, BucketRef>();
  for (const { dynamodb } of records) {
    const name = dynamodb?.NewImage?.bucket?.S;
    const id = dynamodb?.NewImage?.bucket_id?.S;
    if (name !== undefined && id !== undefined) changed.set(id, { name, id });
  }
  try {
    for (const target of targets) {
      const followed = [...changed.values()].filter(({ name }) => followsBucket(target, name));
      await sendTasks(targetTasks, target, followed);
    }
    return { batchItemFailures: [] };
  } catch (error) {
    log.error('target_tasks_not_sent', { error });
    const itemIdentifier = records[0]?.dynamodb?.SequenceNumber ?? '';
    return { batchItemFailures: [{ itemIdentifier }] };
  }
}
