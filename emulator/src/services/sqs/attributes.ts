import { SqsError } from './errors';
import type { QueueDefinition } from './queue-definition';
import type { QueueCounts } from './queue-state';

/**
 * The attributes of a queue that GetQueueAttributes returns. Throws InvalidAttributeName.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_GetQueueAttributes.html
 */
export function queueAttributes(
  queue: QueueDefinition,
  counts: QueueCounts,
  names: readonly string[],
): Readonly<Record<string, string>> {
  const { redrive, policy, fifo } = queue;
  const all: Record<string, string> = {
    ApproximateNumberOfMessages: String(counts.visible),
    ApproximateNumberOfMessagesDelayed: String(counts.delayed),
    ApproximateNumberOfMessagesNotVisible: String(counts.inFlight),
    DelaySeconds: String(queue.delay / 1000),
    MaximumMessageSize: String(queue.maxMessageBytes),
    MessageRetentionPeriod: String(queue.retention / 1000),
    QueueArn: queue.arn,
    ReceiveMessageWaitTimeSeconds: String(queue.receiveWait / 1000),
    VisibilityTimeout: String(queue.visibilityTimeout / 1000),
  };
  if (fifo) {
    all.FifoQueue = 'true';
    all.ContentBasedDeduplication = String(fifo.contentBased);
    all.DeduplicationScope = fifo.scope;
  }
  if (policy) all.Policy = JSON.stringify(policy);
  if (redrive) {
    const { deadLetterArn: deadLetterTargetArn, maxReceiveCount } = redrive;
    all.RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount });
  }
  if (names.includes('All')) return all;
  const unknown = names.find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) {
    throw new SqsError('InvalidAttributeName', `Unknown Attribute ${unknown}.`);
  }
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
}

const KNOWN = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesDelayed',
  'ApproximateNumberOfMessagesNotVisible',
  'ContentBasedDeduplication',
  'DeduplicationScope',
  'DelaySeconds',
  'FifoQueue',
  'MaximumMessageSize',
  'MessageRetentionPeriod',
  'Policy',
  'QueueArn',
  'ReceiveMessageWaitTimeSeconds',
  'RedrivePolicy',
  'VisibilityTimeout',
];
