import type { Notification } from '../../../core/targets/notifications';
import type { Target } from '../../../core/targets/ports';
import { createTargets } from '../../../lambdas/targets/app';
import { openBucket, type World } from '../../support/bucket-world';

export const MINUTE = 60_000;
export const context = { getRemainingTimeInMillis: () => 300_000 };

/** A target that records what it accepts. */
export interface RecordingTarget extends Target {
  readonly accepted: Notification[];
  /** What the next calls throw. */
  readonly failures: Error[];
}

export function target(id: string, more: Partial<Target> = {}): RecordingTarget {
  const accepted: Notification[] = [];
  const failures: Error[] = [];
  return {
    id,
    buckets: ['*'],
    startFrom: 'now',
    maxBatchSize: 100,
    timeoutMs: 10_000,
    accepted,
    failures,
    send: async (notifications) => {
      const failure = failures.shift();
      if (failure) throw failure;
      accepted.push(...notifications);
      return notifications.length;
    },
    ...more,
  };
}

/** The function `targets` on the fakes, with one bucket. */
export async function openTargets(...targets: readonly RecordingTarget[]) {
  const { deps, bucket } = await openBucket();
  const invoke = createTargets({ ...deps, targets });
  const sweep = () => invoke({ task: 'sweep' }, context);
  /** Performs tasks until none is left. */
  const performTasks = async () => {
    const { targetTasks } = deps.state;
    for (let next = targetTasks.shift(); next; next = targetTasks.shift()) {
      await invoke({ task: 'notify', ...next }, context);
    }
  };
  const record = (name: string, id: string, sequence = '1') => ({
    dynamodb: { SequenceNumber: sequence, NewImage: { bucket: { S: name }, bucket_id: { S: id } } },
  });
  /** Sends a batch of the stream, and performs the tasks that it leads to. */
  const processBatch = async (...records: readonly object[]) => {
    const response = await invoke({ Records: records }, context);
    await performTasks();
    return response;
  };
  const sweepAndNotify = async () => {
    await sweep();
    await performTasks();
  };
  return { deps, bucket, invoke, processBatch, record, sweepAndNotify, sweep, performTasks };
}

/** The fields of the log lines of that event. */
export const eventsOf = ({ log }: World, name: string) =>
  log.lines.filter(({ event }) => event === name).map(({ fields }) => fields);

/** The cursors of the changes that the target accepted. */
export const cursorsOf = ({ accepted }: RecordingTarget) =>
  accepted.flatMap((one) => (one.type === 'changes' ? one.changes.map((each) => each.cursor) : []));
