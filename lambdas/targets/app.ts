/**
 * Delivers the log to the targets that the stack names. Three things wake it: a batch of the
 * Changes stream, in which a record says no more than which bucket to look at; the schedule, which
 * looks at all of them, because wake-ups are given up and targets fail; and its own errands, one
 * per target, so that no target waits for another one.
 */
import type { Context, DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import type { BucketRef } from '../../core/bucket-ref';
import { runTask } from '../../core/targets/notify';
import type { Target } from '../../core/targets/ports';
import { follows, type SweepDeps, sweep, TASK_BUCKETS } from '../../core/targets/sweep';
import { parseTask } from './target-tasks';

export interface AppDeps extends SweepDeps {
  readonly targets: readonly Target[];
}

/** Left for what comes after the last call of a target. */
const MARGIN_MS = 20_000;

/**
 * AWS calls of a batch: 1 Invoke per target that follows one of its buckets. Those of errands and
 * rounds: see core/targets.
 */
export function createTargets(deps: AppDeps) {
  const enrolled = new Set<string>();
  return async (
    event: unknown,
    context: Pick<Context, 'getRemainingTimeInMillis'>,
  ): Promise<DynamoDBBatchResponse | undefined> => {
    const records = recordsOf(event);
    if (records) return wake(deps, records);
    const errand = parseTask(event);
    if (!errand) {
      if (!isRound(event)) throw new Error('neither records, nor an errand, nor the task look');
      await sweep(deps, deps.targets, () => context.getRemainingTimeInMillis() < MARGIN_MS);
      return undefined;
    }
    const target = deps.targets.find(({ id }) => id === errand.target);
    // One of an earlier deployment.
    if (!target) return undefined;
    const stopAt = () => context.getRemainingTimeInMillis() < target.timeoutMs + MARGIN_MS;
    await runTask(deps, target, errand.buckets, { enrolled, stopAt });
    return undefined;
  };
}

function recordsOf(event: unknown): readonly DynamoDBRecord[] | undefined {
  if (typeof event !== 'object' || event === null || !('Records' in event)) return undefined;
  return Array.isArray(event.Records) ? event.Records : undefined;
}

function isRound(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'task' in event && event.task === 'look';
}

async function wake(
  { targets, targetTasks, log }: AppDeps,
  records: readonly DynamoDBRecord[],
): Promise<DynamoDBBatchResponse> {
  const buckets = new Map<string, BucketRef>();
  for (const { dynamodb } of records) {
    const name = dynamodb?.NewImage?.bucket?.S;
    const id = dynamodb?.NewImage?.bucket_id?.S;
    if (name !== undefined && id !== undefined) buckets.set(id, { name, id });
  }
  try {
    for (const target of targets) {
      const followed = [...buckets.values()].filter(({ name }) => follows(target, name));
      for (let from = 0; from < followed.length; from += TASK_BUCKETS) {
        const some = followed.slice(from, from + TASK_BUCKETS);
        await targetTasks.send({ target: target.id, buckets: some });
      }
    }
    return { batchItemFailures: [] };
  } catch (error) {
    log.error('wake_failed', { error });
    const itemIdentifier = records[0]?.dynamodb?.SequenceNumber ?? '';
    return { batchItemFailures: [{ itemIdentifier }] };
  }
}
