import {
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  type SQS,
} from '@aws-sdk/client-sqs';
import type { SqsOptions } from '../../src/services/sqs/sqs';
import { DEAD, urlOf, useClient, useService, WORK } from './service';

/**
 * Starts a service and a client, and returns functions that call the first queue of the service.
 */
export async function useQueue(options: Partial<SqsOptions> = {}) {
  const service = await useService(options);
  const client = useClient(service.endpoint);
  const QueueUrl = urlOf(service, options.queues?.[0] ?? WORK);
  return { service, client, QueueUrl, ...calls(client, QueueUrl), dead: urlOf(service, DEAD) };
}

export function calls(client: SQS, QueueUrl: string) {
  return {
    send: (MessageBody: string, DelaySeconds?: number) =>
      client.sendMessage({ QueueUrl, MessageBody, DelaySeconds }),
    receive: async (input: Partial<ReceiveMessageCommandInput> = {}) => {
      const command = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, ...input });
      return (await client.send(command)).Messages ?? [];
    },
    remove: (ReceiptHandle: string | undefined) =>
      client.deleteMessage({ QueueUrl, ReceiptHandle }),
    hide: (ReceiptHandle: string | undefined, VisibilityTimeout: number) =>
      client.changeMessageVisibility({ QueueUrl, ReceiptHandle, VisibilityTimeout }),
    count: async () => {
      const AttributeNames = ['All' as const];
      const response = await client.getQueueAttributes({ QueueUrl, AttributeNames });
      const { Attributes = {} } = response;
      return [
        Attributes.ApproximateNumberOfMessages,
        Attributes.ApproximateNumberOfMessagesNotVisible,
        Attributes.ApproximateNumberOfMessagesDelayed,
      ].map(Number);
    },
  };
}
