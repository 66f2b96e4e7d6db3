import type { SendMessageCommandInput } from '@aws-sdk/client-sqs';
import type { QueueDefinition } from '../../src/services/sqs/queue-definition';
import { Queues } from '../../src/services/sqs/queues';
import { afterTest, useFolder } from '../support/clean-up';
import { failure } from '../support/failure';
import { define, urlOf, useClient, useService } from './service';

const named = { contentBased: false, scope: 'queue' } as const;
const DEAD = define('dead.fifo', { fifo: named });
const FIFO = define('work.fifo', { fifo: named });

async function useQueue(queue: QueueDefinition = FIFO) {
  const service = await useService({ queues: [queue, DEAD] });
  const client = useClient(service.endpoint);
  const QueueUrl = urlOf(service, queue);
  return {
    client,
    QueueUrl,
    send: (MessageBody: string, more: Partial<SendMessageCommandInput> = {}) =>
      client.sendMessage({
        QueueUrl,
        MessageBody,
        MessageGroupId: 'a',
        MessageDeduplicationId: MessageBody,
        ...more,
      }),
    receive: async (MaxNumberOfMessages = 10, more: object = {}) => {
      const input = {
        QueueUrl,
        MaxNumberOfMessages,
        MessageSystemAttributeNames: ['All' as const],
      };
      return (await client.receiveMessage({ ...input, ...more })).Messages ?? [];
    },
    remove: (ReceiptHandle: string | undefined) =>
      client.deleteMessage({ QueueUrl, ReceiptHandle }),
  };
}

const bodies = (messages: readonly { readonly Body?: string }[]) =>
  messages.map(({ Body }) => Body);

test('messages of a group are received in the order of sending, with their FIFO attributes', async () => {
  const { send, receive } = await useQueue();
  const sent = [];
  for (const body of ['1', '2', '3']) sent.push(await send(body));
  const got = await receive();
  expect(bodies(got)).toEqual(['1', '2', '3']);
  expect(got[0]?.Attributes).toMatchObject({
    MessageGroupId: 'a',
    MessageDeduplicationId: '1',
    SequenceNumber: sent[0]?.SequenceNumber,
  });
  const numbers = sent.map(({ SequenceNumber = '' }) => SequenceNumber);
  expect(numbers).toEqual([...new Set(numbers)].sort());
  expect(numbers[0]).toMatch(/^\d{20}$/);
});

test('a hidden message blocks the later messages of its group, but no other group', async () => {
  const { send, receive, remove } = await useQueue();
  for (const body of ['1', '2']) await send(body);
  await send('b1', { MessageGroupId: 'b' });
  const [first] = await receive(1);
  expect(first?.Body).toBe('1');
  expect(bodies(await receive())).toEqual(['b1']);
  expect(await receive()).toEqual([]);
  await remove(first?.ReceiptHandle);
  expect(bodies(await receive())).toEqual(['2']);
});

test('a waiting receive returns the next message of a group when the previous one is deleted', async () => {
  const { send, receive, remove } = await useQueue();
  for (const body of ['1', '2']) await send(body);
  const [first] = await receive(1);
  const waiting = receive(1, { WaitTimeSeconds: 20 });
  await remove(first?.ReceiptHandle);
  expect(bodies(await waiting)).toEqual(['2']);
});

test('a message that becomes visible again is received before the later ones of its group', async () => {
  const { send, receive } = await useQueue();
  for (const body of ['1', '2', '3']) await send(body);
  const [first] = await receive(1, { VisibilityTimeout: 1 });
  expect(first?.Body).toBe('1');
  const got = await receive(10, { WaitTimeSeconds: 20 });
  expect(bodies(got)).toEqual(['1', '2', '3']);
});

test('a message that is sent twice is stored once, also when the first is received and deleted', async () => {
  const { send, receive, remove } = await useQueue();
  const first = await send('1');
  const second = await send('other', { MessageDeduplicationId: '1', MessageGroupId: 'b' });
  expect(second).toMatchObject({
    MessageId: first.MessageId,
    SequenceNumber: first.SequenceNumber,
  });
  const got = await receive();
  expect(bodies(got)).toEqual(['1']);
  await remove(got[0]?.ReceiptHandle);
  await send('1');
  expect(await receive()).toEqual([]);
});

test('messages are deduplicated within their group when the queue has that scope', async () => {
  const { send, receive } = await useQueue({ ...FIFO, fifo: { ...named, scope: 'messageGroup' } });
  await send('1');
  await send('1');
  await send('1', { MessageGroupId: 'b' });
  expect(bodies(await receive())).toEqual(['1', '1']);
});

test('messages are deduplicated by their bodies when the queue has content-based deduplication', async () => {
  const { send, receive } = await useQueue({ ...FIFO, fifo: { ...named, contentBased: true } });
  for (const body of ['1', '1', '2']) await send(body, { MessageDeduplicationId: undefined });
  expect(bodies(await receive())).toEqual(['1', '2']);
});

test('entries of a batch keep their order and fail independently', async () => {
  const { client, QueueUrl, receive } = await useQueue();
  const entry = (Id: string, MessageGroupId?: string) => ({
    Id,
    MessageBody: Id,
    MessageGroupId,
    MessageDeduplicationId: Id,
  });
  const Entries = [entry('1', 'a'), entry('2'), entry('3', 'a')];
  const { Successful, Failed } = await client.sendMessageBatch({ QueueUrl, Entries });
  expect(Successful?.map(({ Id }) => Id)).toEqual(['1', '3']);
  expect(Failed).toMatchObject([{ Id: '2', Code: 'MissingParameter', SenderFault: true }]);
  expect(bodies(await receive())).toEqual(['1', '3']);
});

test.each<[string, Partial<SendMessageCommandInput>, string]>([
  ['without a group', { MessageGroupId: undefined }, 'MessageGroupId'],
  [
    'without a deduplication id',
    { MessageDeduplicationId: undefined },
    'ContentBasedDeduplication',
  ],
  ['of a group with a space in its name', { MessageGroupId: 'a b' }, 'MessageGroupId'],
  ['with a delay of its own', { DelaySeconds: 1 }, 'DelaySeconds'],
])('a message %s is refused', async (_, more, message) => {
  const { send } = await useQueue();
  expect((await failure(send('x', more))).message).toContain(message);
});

test('a standard queue refuses a message group', async () => {
  const { send } = await useQueue(define('work'));
  expect((await failure(send('x'))).message).toContain('MessageGroupId');
});

test('the attributes of a FIFO queue describe its deduplication', async () => {
  const { client, QueueUrl } = await useQueue();
  const AttributeNames = ['All' as const];
  const response = await client.getQueueAttributes({ QueueUrl, AttributeNames });
  expect(response.Attributes).toMatchObject({
    FifoQueue: 'true',
    ContentBasedDeduplication: 'false',
  });
});

const send = (queues: Queues, body: string) =>
  queues.send(FIFO, { body, fifo: { groupId: 'a', deduplicationId: body } }, 'sender');

test('messages, their order and their deduplication ids survive a restart', async () => {
  const dataDir = useFolder();
  const first = new Queues([FIFO, DEAD], dataDir);
  for (const body of ['1', '2', '3']) send(first, body);
  const [one] = await first.receive(FIFO, { limit: 1, wait: 0 });
  first.delete(FIFO, one?.handle ?? '');
  first.close();
  // The journal is rewritten without deleted messages.
  new Queues([FIFO, DEAD], dataDir).close();

  const third = new Queues([FIFO, DEAD], dataDir);
  afterTest(() => third.close());
  for (const body of ['1', '2', '4']) send(third, body);
  const got = await third.receive(FIFO, { limit: 10, wait: 0 });
  expect(got.map(({ body }) => body)).toEqual(['2', '3', '4']);
  const numbers = got.map(({ attributes }) => attributes.SequenceNumber ?? '');
  expect(numbers).toEqual([...numbers].sort());
});

test('a message that fails too often moves to the dead-letter queue with its group and unblocks the group', async () => {
  const queue = { ...FIFO, redrive: { deadLetterArn: DEAD.arn, maxReceiveCount: 1 } };
  const queues = new Queues([queue, DEAD], useFolder());
  afterTest(() => queues.close());
  for (const body of ['1', '2']) send(queues, body);
  const [first] = await queues.receive(queue, { limit: 1, wait: 0 });
  queues.release(queue, first?.handle ?? '');
  expect(await queues.receive(queue, { limit: 1, wait: 0 })).toMatchObject([{ body: '2' }]);
  expect(await queues.receive(DEAD, { limit: 1, wait: 0 })).toMatchObject([
    { body: '1', attributes: { MessageGroupId: 'a', DeadLetterQueueSourceArn: queue.arn } },
  ]);
});
