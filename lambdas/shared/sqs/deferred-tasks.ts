import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { DeferredTask, DeferredTasks } from '../../../core/channel/ports';

/** The FollowUps port on an SQS queue. A message is the follow-up as JSON. */
export class SqsDeferredTasks implements DeferredTasks {
  constructor(
    private readonly client: SQSClient,
    private readonly queueUrl: string,
  ) {}

  /** 1 SendMessage. SQS counts whole seconds. */
  async add(followUp: DeferredTask, delaySeconds: number): Promise<void> {
    const MessageBody = JSON.stringify(followUp);
    const DelaySeconds = Math.ceil(delaySeconds);
    await this.client.send(
      new SendMessageCommand({ QueueUrl: this.queueUrl, MessageBody, DelaySeconds }),
    );
  }
}

/**
 * What `SqsFollowUps` sent. Throws for anything else, so that it ends among the dead letters, where
 * somebody sees it.
 */
export function parseDeferredTask(body: string): DeferredTask {
  const { advance, begin } = fields(JSON.parse(body), ['advance', 'begin']);
  if ((advance === undefined) === (begin === undefined)) throw new Error('not one follow-up');
  if (advance !== undefined) {
    const { bucket, id, upTo } = fields(advance, ['bucket', 'id', 'upTo']);
    return { advance: { bucket: text(bucket), id: text(id), upTo: cursorNumber(upTo) } };
  }
  const { connectionId, bucket, bucketId, cursor, prefix } = fields(begin, [
    'connectionId',
    'bucket',
    'bucketId',
    'cursor',
    'prefix',
  ]);
  return {
    begin: {
      connectionId: text(connectionId),
      bucket: text(bucket),
      ...(bucketId !== undefined && { bucketId: text(bucketId) }),
      ...(cursor !== undefined && { cursor: cursorNumber(cursor) }),
      ...(prefix !== undefined && { prefix: text(prefix) }),
    },
  };
}

/** The fields of an object that has no others than these. */
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

function cursorNumber(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw new Error('not a cursor');
  }
  return value;
}
