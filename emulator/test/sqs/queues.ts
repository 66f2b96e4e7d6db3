import type { QueueDefinition } from '../../src/services/sqs/queue-definition';

export const DEAD: QueueDefinition = define('dead');
/** A queue whose messages are received at most twice. */
export const WORK: QueueDefinition = define('work', {
  redrive: { deadLetterArn: DEAD.arn, maxReceiveCount: 2 },
});

export function define(name: string, options: Partial<QueueDefinition> = {}): QueueDefinition {
  return {
    name,
    arn: `arn:aws:sqs:us-east-1:000000000000:${name}`,
    delay: 0,
    visibilityTimeout: 30_000,
    retention: 345_600_000,
    receiveWait: 0,
    maxMessageBytes: 1_048_576,
    ...options,
  };
}
