import { failure } from '../support/failure';
import { calls, useQueue } from './queue-client';

type Queue = Awaited<ReturnType<typeof useQueue>>;

const sendAll = ({ client, QueueUrl }: Queue, ids: readonly string[], MessageBody = 'x') =>
  client.sendMessageBatch({ QueueUrl, Entries: ids.map((Id) => ({ Id, MessageBody })) });

async function deleteByOtherHandle({ client, dead, send, receive }: Queue) {
  await send('x');
  const [message] = await receive();
  return calls(client, dead).remove(message?.ReceiptHandle);
}

const UNKNOWN = ['Policies' as 'Policy'];

test.each<[string, (queue: Queue) => unknown, string]>([
  ['an empty body', (q) => q.send(''), 'MissingParameter'],
  ['a body above 1 MiB', (q) => q.send('x'.repeat(1_048_577)), 'InvalidParameterValue'],
  ['half a character', (q) => q.send('\ud800'), 'InvalidMessageContents'],
  ['a delay above 15 minutes', (q) => q.send('x', 901), 'InvalidParameterValue'],
  [
    'a receive of eleven messages',
    (q) => q.receive({ MaxNumberOfMessages: 11 }),
    'InvalidParameterValue',
  ],
  ['a wait above 20 seconds', (q) => q.receive({ WaitTimeSeconds: 21 }), 'InvalidParameterValue'],
  ['a handle of another queue', deleteByOtherHandle, 'ReceiptHandleIsInvalid'],
  [
    'a queue of another account',
    (q) => calls(q.client, q.QueueUrl.replace('/0000', '/1000')).send('x'),
    'QueueDoesNotExist',
  ],
  [
    'an unknown attribute',
    (q) => q.client.getQueueAttributes({ QueueUrl: q.QueueUrl, AttributeNames: UNKNOWN }),
    'InvalidAttributeName',
  ],
  ['an empty batch', (q) => sendAll(q, []), 'EmptyBatchRequest'],
  ['a batch of eleven', (q) => sendAll(q, [...'abcdefghijk']), 'TooManyEntriesInBatchRequest'],
  ['a batch with a duplicate id', (q) => sendAll(q, ['a', 'a']), 'BatchEntryIdsNotDistinct'],
  [
    'a batch above 1 MiB',
    (q) => sendAll(q, ['a', 'b'], 'x'.repeat(600_000)),
    'BatchRequestTooLong',
  ],
  [
    'a member that is not emulated',
    ({ client, QueueUrl }) =>
      client.sendMessage({ QueueUrl, MessageBody: 'x', MessageGroupId: 'group' }),
    'UnsupportedOperation',
  ],
])('SQS refuses %s', async (_, attempt, name) => {
  const error = await failure(Promise.resolve(attempt(await useQueue())));
  expect(error).toMatchObject({ name, $metadata: { httpStatusCode: 400 } });
});

test('the error of an unknown queue has its code, and that of the Query protocol', async () => {
  const { client, QueueUrl } = await useQueue();
  expect(await failure(calls(client, `${QueueUrl}x`).send('x'))).toMatchObject({
    name: 'QueueDoesNotExist',
    Code: 'AWS.SimpleQueueService.NonExistentQueue',
    $metadata: { httpStatusCode: 400 },
  });
});
