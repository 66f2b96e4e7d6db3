import { SendMessageBatchCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { type StopSignal, stopAt } from '../../core/stop-signal';
import type { Clock } from '../../core/system';
import type { Notification } from '../../core/targets/notifications';
import { sendInBatches } from './send-in-batches';

/** No further request starts after this time, milliseconds. */
const SENDING_MS = 15_000;

/** Characters that SQS rejects and JSON does not escape. */
const UNSENDABLE = /[\uFFFE\uFFFF]/g;

/** An SQS queue that is notified of changes; each message covers one log entry. */
export class QueueTarget {
  constructor(
    private readonly client: SQSClient,
    private readonly queueUrl: string,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** Standard queue: 1 SendMessageBatch per 10 messages. FIFO queue: 1 SendMessage each. */
  async send(messages: readonly Notification[]): Promise<number> {
    const signal = stopAt(this.clock, this.clock.now() + SENDING_MS);
    if (this.queueUrl.endsWith('.fifo')) return this.sendOneByOne(messages, signal);
    return sendInBatches(messages.map(bodyOf), signal, (batch) => this.sendBatch(batch));
  }

  private async sendBatch(texts: readonly string[]): Promise<number> {
    const Entries = texts.map((MessageBody, index) => ({ Id: String(index), MessageBody }));
    const { Failed = [] } = await this.client.send(
      new SendMessageBatchCommand({ QueueUrl: this.queueUrl, Entries }),
    );
    return Math.min(texts.length, ...Failed.map(({ Id }) => Number(Id)));
  }

  /**
   * For FIFO queues. If one message of a batch failed, those after it would be in the queue before
   * it, and stay there.
   */
  private async sendOneByOne(
    messages: readonly Notification[],
    signal: StopSignal,
  ): Promise<number> {
    for (const [sent, message] of messages.entries()) {
      if (sent > 0 && signal.aborted) return sent;
      const { type, bucket_id, to } = message;
      try {
        await this.client.send(
          new SendMessageCommand({
            QueueUrl: this.queueUrl,
            MessageBody: bodyOf(message),
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

function bodyOf(message: Notification): string {
  return JSON.stringify(message).replace(
    UNSENDABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16)}`,
  );
}
