import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { TargetTask, TargetTasks } from '../../core/targets/ports';

/** The Errands port by asynchronous invocations of a function, which is this very one. */
export class LambdaTasks implements TargetTasks {
  constructor(
    private readonly client: LambdaClient,
    private readonly functionName: string,
  ) {}

  /** 1 Invoke. */
  async send(errand: TargetTask): Promise<void> {
    await this.client.send(
      new InvokeCommand({
        FunctionName: this.functionName,
        InvocationType: 'Event',
        Payload: JSON.stringify({ errand }),
      }),
    );
  }
}

/** What `LambdaErrands` sent. undefined: it is something else. Throws when it is half an errand. */
export function parseTask(event: unknown): TargetTask | undefined {
  if (typeof event !== 'object' || event === null || !('errand' in event)) return undefined;
  const { target, buckets } = fieldsOf(event.errand);
  if (typeof target !== 'string' || !Array.isArray(buckets)) throw new Error('no errand');
  return {
    target,
    buckets: buckets.map((bucket: unknown) => {
      const { name, id } = fieldsOf(bucket);
      if (typeof name !== 'string' || typeof id !== 'string') throw new Error('no bucket');
      return { name, id };
    }),
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw new Error('not an object');
  return { ...value };
}
