import { SendMessageBatchCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Clock } from '../../core/system';
import type { Notification } from '../../core/targets/notifications';
import { sendInGroups } from './send-in-batches';

/** After this no further request is begun; milliseconds. */
const SENDING_MS = 15_000;

/** Characters that SQS does not take, and JSON need not escape. */
const UNSENDABLE = /[\uFFFE\uFFFF]/g;

/** An SQS queue that is told of changes; each message covers one number. */
export class QueueTarget {
  constructor(
    private readonly client: SQSClient,
    private readonly queueUrl: string,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** Standard queue: 1 SendMessageBatch per 10 messages. FIFO queue: 1 SendMessage each. */
  async send(messages: readonly Notification[]): Promise<number> {
    const end = this.clock.now() + SENDING_MS;
    const isOver = () => this.clock.now() > end;
    if (this.queueUrl.endsWith('.fifo')) return this.sendInTurn(messages, isOver);
    return sendInGroups(messages.map(written), isOver, (group) => this.sendGroup(group));
  }

  private async sendGroup(texts: readonly string[]): Promise<number> {
    const Entries = texts.map((MessageBody, index) => ({ Id: String(index), MessageBody }));
    const { Failed = [] } = await this.client.send(
      new SendMessageBatchCommand({ QueueUrl: this.queueUrl, Entries }),
    );
    return Math.min(texts.length, ...Failed.map(({ Id }) => Number(Id)));
  }

  /**
   * One by one: in a batch of which one fails, those behind it would be in the queue ahead of it,
   * for ever.
   */
  private async sendInTurn(
    messages: readonly Notification[],
    isOver: () => boolean,
  ): Promise<number> {
    for (const [sent, message] of messages.entries()) {
      if (sent > 0 && isOver()) return sent;
      const { type, bucket_id, to } = message;
      try {
        await this.client.send(
          new SendMessageCommand({
            QueueUrl: this.queueUrl,
            MessageBody: written(message),
            MessageGroupId: bucket_id,
            MessageDeduplicationId: `${bucket_id}-${type}-${to}`,
          }),
        );
      } catch (error) {
        if (sent === 0) throw error;
        return sent;
      }
    }
    return messages.length;
  }
}

function written(message: Notification): string {
  return JSON.stringify(message).replace(
    UNSENDABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16)}`,
  );
}
