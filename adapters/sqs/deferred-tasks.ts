import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { DeferredTask, DeferredTasks } from '../../core/channel/ports';
import { isWholeNumber } from '../../core/http/json';

/** The DeferredTasks port on an SQS queue. A message is the task as JSON. */
export class SqsDeferredTasks implements DeferredTasks {
  constructor(
    private readonly client: SQSClient,
    private readonly queueUrl: string,
  ) {}

  /** AWS calls: 1 SendMessage. SQS counts whole seconds. */
  async add(task: DeferredTask, delaySeconds: number): Promise<void> {
    const MessageBody = JSON.stringify(task);
    const DelaySeconds = Math.ceil(delaySeconds);
    await this.client.send(
      new SendMessageCommand({ QueueUrl: this.queueUrl, MessageBody, DelaySeconds }),
    );
  }
}

/**
 * The task that `SqsDeferredTasks` sent. Throws for any other message, which then ends in the
 * dead-letter queue, where an alarm reports it.
 */
export function parseDeferredTask(body: string): DeferredTask {
  const { advance, begin } = fields(JSON.parse(body), ['advance', 'begin']);
  if ((advance === undefined) === (begin === undefined))
    throw new Error('the message is not exactly one task');
  if (advance !== undefined) {
    const { bucket, id, upTo, looks } = fields(advance, ['bucket', 'id', 'upTo', 'looks']);
    return {
      advance: {
        bucket: text(bucket),
        id: text(id),
        upTo: countOf(upTo),
        ...(looks !== undefined && { looks: countOf(looks) }),
      },
    };
  }
  const { connectionId, bucket, bucketId, cursor, prefix, consumer } = fields(begin, [
    'connectionId',
    'bucket',
    'bucketId',
    'cursor',
    'prefix',
    'consumer',
  ]);
  return {
    begin: {
      connectionId: text(connectionId),
      bucket: text(bucket),
      ...(bucketId !== undefined && { bucketId: text(bucketId) }),
      ...(cursor !== undefined && { cursor: countOf(cursor) }),
      ...(prefix !== undefined && { prefix: text(prefix) }),
      ...(consumer !== undefined && { consumer: text(consumer) }),
    },
  };
}

/** The fields of an object. Throws if it has a field that is not allowed. */
function fields<Name extends string>(
  value: unknown,
  allowed: readonly Name[],
): { readonly [name in Name]?: unknown } {
  if (typeof value !== 'object' || value === null) throw new Error('not an object');
  const known: readonly string[] = allowed;
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`unknown field ${JSON.stringify(unknown)}`);
  return value;
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new Error('not a string');
  return value;
}

function countOf(value: unknown): number {
  if (!isWholeNumber(value, 0)) {
    throw new Error('not a whole number from 0 on');
  }
  return value;
}
