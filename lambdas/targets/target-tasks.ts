import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { TargetTask, TargetTasks } from '../../core/targets/ports';

/**
 * The TargetTasks port by asynchronous invocations of a function, which is this function itself.
 */
export class LambdaTargetTasks implements TargetTasks {
  constructor(
    private readonly client: LambdaClient,
    private readonly functionName: string,
  ) {}

  /** 1 Invoke. */
  async send({ target, buckets }: TargetTask): Promise<void> {
    await this.client.send(
      new InvokeCommand({
        FunctionName: this.functionName,
        InvocationType: 'Event',
        Payload: JSON.stringify({ task: 'notify', target, buckets }),
      }),
    );
  }
}

/**
 * The task that `LambdaTargetTasks` sent; undefined if the event is something else. Throws if the
 * task is incomplete.
 */
export function parseTask(event: unknown): TargetTask | undefined {
  if (typeof event !== 'object' || event === null || !('task' in event)) return undefined;
  const { task, target, buckets } = fieldsOf(event);
  if (task !== 'notify') return undefined;
  if (typeof target !== 'string') throw new Error('the task names no target');
  if (!Array.isArray(buckets)) throw new Error('the task has no list of buckets');
  return {
    target,
    buckets: buckets.map((bucket: unknown) => {
      const { name, id } = fieldsOf(bucket);
      if (typeof name === 'string' && typeof id === 'string') return { name, id };
      throw new Error('a bucket of the task has no name or no id');
    }),
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw new Error('not an object');
  return { ...value };
}
