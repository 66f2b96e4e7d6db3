import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { Queues } from '../../src/services/sqs/queues';
import type { SqsOptions } from '../../src/services/sqs/sqs';
import {
  cleanUp,
  DEAD,
  define,
  failure,
  urlOf,
  useClient,
  useFolder,
  useService,
  WORK,
} from './service';

async function useQueue(options: Partial<SqsOptions> = {}) {
  const service = await useService(options);
  const client = useClient(service.endpoint);
  const QueueUrl = urlOf(service, options.queues?.[0] ?? WORK);
  return { service, client, QueueUrl, ...calls(client, QueueUrl), dead: urlOf(service, DEAD) };
}

function calls(client: SQSClient, QueueUrl: string) {
  return {
    send: (MessageBody: string, DelaySeconds?: number) =>
      client.send(new SendMessageCommand({ QueueUrl, MessageBody, DelaySeconds })),
    receive: async (input: Partial<ReceiveMessageCommandInput> = {}) => {
      const command = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, ...input });
      return (await client.send(command)).Messages ?? [];
    },
    remove: (ReceiptHandle: string | undefined) =>
      client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle })),
    hide: (ReceiptHandle: string | undefined, VisibilityTimeout: number) =>
      client.send(
        new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }),
      ),
    count: async () => {
      const AttributeNames = ['All' as const];
      const answer = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
      const { Attributes = {} } = answer;
      return [
        Attributes.ApproximateNumberOfMessages,
        Attributes.ApproximateNumberOfMessagesNotVisible,
        Attributes.ApproximateNumberOfMessagesDelayed,
      ].map(Number);
    },
  };
}

test('a message is received until it is deleted', async () => {
  const { send, receive, remove, hide, count } = await useQueue();
  const { MessageId } = await send('hello ä\n{"a":1}');
  expect(await count()).toEqual([1, 0, 0]);

  const [first] = await receive({ MessageSystemAttributeNames: ['All'] });
  expect(first).toMatchObject({
    MessageId,
    Body: 'hello ä\n{"a":1}',
    Attributes: {
      ApproximateReceiveCount: '1',
      SenderId: 'arn:aws:iam::000000000000:root',
      SentTimestamp: expect.stringMatching(/^\d{13}$/),
      ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
    },
  });
  expect(await count()).toEqual([0, 1, 0]);
  expect(await receive()).toEqual([]);

  await hide(first?.ReceiptHandle, 0);
  const [second] = await receive();
  expect(second?.MessageId).toBe(MessageId);
  expect(second?.Attributes).toBeUndefined();
  await remove(second?.ReceiptHandle);
  expect(await count()).toEqual([0, 0, 0]);
  await remove(second?.ReceiptHandle);
});

test('a handle is valid until the message is received again', async () => {
  const { send, receive, remove, hide, count } = await useQueue();
  await send('x');
  const [first] = await receive();
  await hide(first?.ReceiptHandle, 0);
  const [second] = await receive();

  await remove(first?.ReceiptHandle);
  expect(await count()).toEqual([0, 1, 0]);
  expect(await failure(hide(first?.ReceiptHandle, 10))).toMatchObject({
    name: 'MessageNotInflight',
  });
  await remove(second?.ReceiptHandle);
  expect(await failure(hide(second?.ReceiptHandle, 10))).toMatchObject({
    message: expect.stringContaining('Message does not exist'),
  });
});

test('a receive waits for a message that is sent, delayed, or becomes visible again', async () => {
  const { send, receive } = await useQueue();
  const waiting = receive({ WaitTimeSeconds: 20, VisibilityTimeout: 1 });
  await send('now');
  expect(await waiting).toMatchObject([{ Body: 'now' }]);
  expect(await receive({ WaitTimeSeconds: 20 })).toMatchObject([{ Body: 'now' }]);

  const sent = Date.now();
  await send('later', 1);
  expect(await receive()).toEqual([]);
  expect(await receive({ WaitTimeSeconds: 20 })).toMatchObject([{ Body: 'later' }]);
  expect(Date.now() - sent).toBeGreaterThanOrEqual(999);
});

test('a message may override the delay of its queue', async () => {
  const queue = define('slow', { delay: 900_000 });
  const { send, receive, count } = await useQueue({ queues: [queue] });
  await send('slow');
  await send('quick', 0);
  expect(await receive()).toMatchObject([{ Body: 'quick' }]);
  expect(await count()).toEqual([0, 1, 1]);
});

test('a message that is received too often moves to the dead-letter queue with its id', async () => {
  const { client, dead, send, receive, hide } = await useQueue();
  const { MessageId } = await send('poison');
  for (const _ of [1, 2]) {
    const [message] = await receive();
    await hide(message?.ReceiptHandle, 0);
  }
  expect(await receive()).toEqual([]);
  const [letter] = await calls(client, dead).receive({ MessageSystemAttributeNames: ['All'] });
  expect(letter).toMatchObject({
    MessageId,
    Body: 'poison',
    Attributes: { ApproximateReceiveCount: '1', DeadLetterQueueSourceArn: WORK.arn },
  });
});

test('a batch has a message once, however often its visibility was changed', async () => {
  const queues = new Queues([WORK, DEAD], useFolder());
  cleanUp(() => queues.close());
  queues.send(WORK, { body: 'x' }, 'sender');
  const [message] = await queues.receive(WORK, { limit: 1, wait: 0 });
  // Many of these changes have the same millisecond.
  for (let n = 0; n < 20; n++) queues.changeVisibility(WORK, message?.handle ?? '', 50);
  expect(await queues.receive(WORK, { limit: 10, wait: 5000 })).toHaveLength(1);
});

test('a queue removes messages after their retention period', async () => {
  const { send, receive, count } = await useQueue({ queues: [define('brief', { retention: 1 })] });
  await send('gone');
  const sent = Date.now();
  while (Date.now() - sent < 2) await count();
  expect(await receive()).toEqual([]);
  expect(await count()).toEqual([0, 0, 0]);
});

test('entries of a batch succeed and fail independently', async () => {
  const { client, QueueUrl, receive } = await useQueue();
  const sent = await client.send(
    new SendMessageBatchCommand({
      QueueUrl,
      Entries: [
        { Id: 'a', MessageBody: 'A' },
        { Id: 'b', MessageBody: '\u0000' },
        { Id: 'c', MessageBody: 'C' },
      ],
    }),
  );
  expect(sent.Successful?.map(({ Id }) => Id)).toEqual(['a', 'c']);
  expect(sent.Failed).toMatchObject([
    { Id: 'b', Code: 'InvalidMessageContents', SenderFault: true },
  ]);
  const messages = await receive();
  const deleted = await client.send(
    new DeleteMessageBatchCommand({
      QueueUrl,
      Entries: [
        ...messages.map(({ Body = '', ReceiptHandle }) => ({ Id: Body, ReceiptHandle })),
        { Id: 'wrong', ReceiptHandle: 'nonsense' },
      ],
    }),
  );
  expect(deleted.Successful?.map(({ Id }) => Id)).toEqual(['A', 'C']);
  expect(deleted.Failed).toMatchObject([{ Id: 'wrong', Code: 'ReceiptHandleIsInvalid' }]);
});

test('returns the attributes of a queue', async () => {
  const { client, QueueUrl } = await useQueue();
  expect(await client.send(new GetQueueUrlCommand({ QueueName: 'work' }))).toMatchObject({
    QueueUrl,
  });
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({
      QueueUrl,
      AttributeNames: ['QueueArn', 'RedrivePolicy', 'VisibilityTimeout'],
    }),
  );
  expect(Attributes).toEqual({
    QueueArn: WORK.arn,
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: DEAD.arn, maxReceiveCount: 2 }),
    VisibilityTimeout: '30',
  });
});

test('a purge removes all messages', async () => {
  const { client, QueueUrl, send, receive, count } = await useQueue();
  await send('a');
  await send('b', 900);
  await receive();
  await client.send(new PurgeQueueCommand({ QueueUrl }));
  expect(await count()).toEqual([0, 0, 0]);
});

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
        client.send(
          new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['Policies' as 'Policy'] }),
        ),
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
        client.send(
          new SendMessageCommand({ QueueUrl, MessageBody: 'x', MessageGroupId: 'group' }),
        ),
      'UnsupportedOperation',
    ],
  ];

  test.each(cases)('refuses %s', async (_, attempt, name) => {
    const error = await failure(Promise.resolve(attempt(await useQueue())));
    expect(error).toMatchObject({ name, $metadata: { httpStatusCode: 400 } });
  });

  function sendAll(client: SQSClient, QueueUrl: string, ids: readonly string[], MessageBody = 'x') {
    const Entries = ids.map((Id) => ({ Id, MessageBody }));
    return client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
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
