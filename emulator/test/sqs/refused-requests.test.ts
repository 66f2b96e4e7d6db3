import type { SQS } from '@aws-sdk/client-sqs';
import { failure } from '../support/failure';
import { calls, useQueue } from './queue-client';

describe('SQS', () => {
  const cases: readonly [
    string,
    (queue: Awaited<ReturnType<typeof useQueue>>) => unknown,
    string,
  ][] = [
    ['an empty body', ({ send }) => send(''), 'MissingParameter'],
    [
      'a body of more than 1 MiB',
      ({ send }) => send('x'.repeat(1_048_577)),
      'InvalidParameterValue',
    ],
    ['half a character', ({ send }) => send('\ud800'), 'InvalidMessageContents'],
    ['a delay of more than 15 minutes', ({ send }) => send('x', 901), 'InvalidParameterValue'],
    [
      'a receive of eleven messages',
      ({ receive }) => receive({ MaxNumberOfMessages: 11 }),
      'InvalidParameterValue',
    ],
    [
      'a wait of more than 20 seconds',
      ({ receive }) => receive({ WaitTimeSeconds: 21 }),
      'InvalidParameterValue',
    ],
    ['a handle of another queue', otherHandle, 'ReceiptHandleIsInvalid'],
    [
      'an unknown queue',
      ({ client, QueueUrl }) => calls(client, `${QueueUrl}x`).send('x'),
      'QueueDoesNotExist',
    ],
    [
      'a queue of another account',
      ({ client, QueueUrl }) => calls(client, QueueUrl.replace('/0000', '/1000')).send('x'),
      'QueueDoesNotExist',
    ],
    [
      'an unknown attribute',
      ({ client, QueueUrl }) =>
        client.getQueueAttributes({ QueueUrl, AttributeNames: ['Policies' as 'Policy'] }),
      'InvalidAttributeName',
    ],
    [
      'an empty batch',
      ({ client, QueueUrl }) => sendAll(client, QueueUrl, []),
      'EmptyBatchRequest',
    ],
    [
      'a batch of eleven',
      ({ client, QueueUrl }) => sendAll(client, QueueUrl, [...'abcdefghijk']),
      'TooManyEntriesInBatchRequest',
    ],
    [
      'a batch with a duplicate id',
      ({ client, QueueUrl }) => sendAll(client, QueueUrl, ['a', 'a']),
      'BatchEntryIdsNotDistinct',
    ],
    [
      'a batch of more than 1 MiB',
      ({ client, QueueUrl }) => sendAll(client, QueueUrl, ['a', 'b'], 'x'.repeat(600_000)),
      'BatchRequestTooLong',
    ],
    [
      'a member that is not emulated',
      ({ client, QueueUrl }) =>
        client.sendMessage({ QueueUrl, MessageBody: 'x', MessageGroupId: 'group' }),
      'UnsupportedOperation',
    ],
  ];

  test.each(cases)('refuses %s', async (_, attempt, name) => {
    const error = await failure(Promise.resolve(attempt(await useQueue())));
    expect(error).toMatchObject({ name, $metadata: { httpStatusCode: 400 } });
  });

  function sendAll(client: SQS, QueueUrl: string, ids: readonly string[], MessageBody = 'x') {
    const Entries = ids.map((Id) => ({ Id, MessageBody }));
    return client.sendMessageBatch({ QueueUrl, Entries });
  }

  async function otherHandle({
    client,
    dead,
    send,
    receive,
  }: Awaited<ReturnType<typeof useQueue>>) {
    await send('x');
    const [message] = await receive();
    return calls(client, dead).remove(message?.ReceiptHandle);
  }
});

test('the error of an unknown queue also has its code of the Query protocol', async () => {
  const { client, QueueUrl } = await useQueue();
  expect(await failure(calls(client, `${QueueUrl}x`).send('x'))).toMatchObject({
    Code: 'AWS.SimpleQueueService.NonExistentQueue',
  });
});
