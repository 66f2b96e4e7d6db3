import { Queues } from '../../src/services/sqs/queues';
import { afterTest, useFolder } from '../support/clean-up';
import { failure } from '../support/failure';
import { calls, useQueue } from './queue-client';
import { DEAD, define, WORK } from './service';

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

test('a batch contains a message once, however often its visibility is changed', async () => {
  const queues = new Queues([WORK, DEAD], useFolder());
  afterTest(() => queues.close());
  queues.send(WORK, { body: 'x' }, 'sender');
  const [message] = await queues.receive(WORK, { limit: 1, wait: 0 });
  // Many of these changes happen in the same millisecond.
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
  const sent = await client.sendMessageBatch({
    QueueUrl,
    Entries: [
      { Id: 'a', MessageBody: 'A' },
      { Id: 'b', MessageBody: '\u0000' },
      { Id: 'c', MessageBody: 'C' },
    ],
  });
  expect(sent.Successful?.map(({ Id }) => Id)).toEqual(['a', 'c']);
  expect(sent.Failed).toMatchObject([
    { Id: 'b', Code: 'InvalidMessageContents', SenderFault: true },
  ]);
  const messages = await receive();
  const deleted = await client.deleteMessageBatch({
    QueueUrl,
    Entries: [
      ...messages.map(({ Body = '', ReceiptHandle }) => ({ Id: Body, ReceiptHandle })),
      { Id: 'wrong', ReceiptHandle: 'nonsense' },
    ],
  });
  expect(deleted.Successful?.map(({ Id }) => Id)).toEqual(['A', 'C']);
  expect(deleted.Failed).toMatchObject([{ Id: 'wrong', Code: 'ReceiptHandleIsInvalid' }]);
});

test('returns the attributes of a queue', async () => {
  const { client, QueueUrl } = await useQueue();
  expect(await client.getQueueUrl({ QueueName: 'work' })).toMatchObject({
    QueueUrl,
  });
  const { Attributes } = await client.getQueueAttributes({
    QueueUrl,
    AttributeNames: ['QueueArn', 'RedrivePolicy', 'VisibilityTimeout'],
  });
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
  await client.purgeQueue({ QueueUrl });
  expect(await count()).toEqual([0, 0, 0]);
});
