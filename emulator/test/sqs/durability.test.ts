import { appendFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ReceiveMessageCommand, type SQS } from '@aws-sdk/client-sqs';
import { deferred } from '../../src/runtime/deferred';
import { Queues } from '../../src/services/sqs/queues';
import { afterTest, useFolder } from '../support/clean-up';
import { kill, useProcess } from '../support/service-process';
import { DEAD, urlOf, useClient, useService, WORK } from './service';

const SCRIPT = join(__dirname, 'service-process.ts');

async function receiveAll(client: SQS, QueueUrl: string) {
  const bodies: string[] = [];
  for (;;) {
    const command = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 });
    const { Messages = [] } = await client.send(command);
    if (Messages.length === 0) return bodies;
    bodies.push(...Messages.map(({ Body = '' }) => Body));
  }
}

test('kill -9 under load loses no message that was sent and not deleted', async () => {
  const dataDir = useFolder();
  const sent = new Set<string>();
  const deleting = new Set<string>();
  const deleted = new Set<string>();
  for (let round = 0; round < 3; round++) {
    const { child, endpoint } = await useProcess(SCRIPT, dataDir);
    const client = useClient(endpoint);
    const QueueUrl = urlOf({ endpoint });
    const goal = sent.size + 200;
    const enough = deferred<void>();
    const writer = async (name: string) => {
      for (let n = 0; ; n++) {
        const MessageBody = `${name}-${n}`;
        await client.sendMessage({ QueueUrl, MessageBody });
        sent.add(MessageBody);
        if (sent.size >= goal) enough.resolve();
      }
    };
    const reader = async () => {
      for (;;) {
        const command = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 1 });
        for (const { Body = '', ReceiptHandle } of (await client.send(command)).Messages ?? []) {
          deleting.add(Body);
          await client.deleteMessage({ QueueUrl, ReceiptHandle });
          deleted.add(Body);
        }
      }
    };
    const work = [0, 1, 2, 3].map((index) => writer(`${round}-${index}`));
    const clients = Promise.allSettled([...work, reader(), reader()]);
    await enough.value;
    await kill(child);
    await clients;
  }

  const service = await useService({
    dataDir,
    // Messages that were received become visible without waiting.
    queues: [{ ...WORK, redrive: undefined }, DEAD],
  });
  const client = useClient(service.endpoint);
  const left = new Set(await receiveAll(client, urlOf(service)));
  const inFlight = [...deleting].filter((body) => !deleted.has(body));

  expect(sent.size).toBeGreaterThanOrEqual(600);
  expect(deleted.size).toBeGreaterThan(0);
  const lost = [...sent].filter(
    (body) => !left.has(body) && !deleted.has(body) && !inFlight.includes(body),
  );
  // Only messages that a reader had received before the kill may still be hidden.
  expect(lost.length).toBeLessThanOrEqual(2 * 3);
  expect([...left].filter((body) => deleted.has(body))).toEqual([]);
});

test('visibility, receive counts and handles survive a kill, so that messages still reach the dead-letter queue', async () => {
  const dataDir = useFolder();
  const { child, endpoint } = await useProcess(SCRIPT, dataDir);
  const before = useClient(endpoint);
  const url = urlOf({ endpoint });
  await before.sendMessage({ QueueUrl: url, MessageBody: 'hidden' });
  await before.sendMessage({ QueueUrl: url, MessageBody: 'delayed', DelaySeconds: 900 });
  const { Messages = [] } = await before.receiveMessage({ QueueUrl: url });
  await kill(child);

  const service = await useService({ dataDir });
  const client = useClient(service.endpoint);
  const QueueUrl = urlOf(service);
  const show = (ReceiptHandle: string | undefined) =>
    client.changeMessageVisibility({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 });
  expect(await receiveAll(client, QueueUrl)).toEqual([]);
  await show(Messages[0]?.ReceiptHandle);
  const again = await client.receiveMessage({ QueueUrl, MessageSystemAttributeNames: ['All'] });
  expect(again.Messages).toMatchObject([
    { Body: 'hidden', Attributes: { ApproximateReceiveCount: '2' } },
  ]);
  await show(again.Messages?.[0]?.ReceiptHandle);
  expect(await receiveAll(client, QueueUrl)).toEqual([]);
  expect(await receiveAll(client, urlOf(service, DEAD))).toEqual(['hidden']);
});

test('a start removes an incomplete last line of the journal and keeps acknowledged messages', async () => {
  const dataDir = useFolder();
  const first = new Queues([WORK, DEAD], dataDir);
  first.send(WORK, { body: 'kept' }, 'sender');
  first.close();
  appendFileSync(join(dataDir, 'messages.jsonl'), '[{"queue":"work","put":{"id":"ha');

  const second = new Queues([WORK, DEAD], dataDir);
  afterTest(() => second.close());
  const messages = await second.receive(WORK, { limit: 10, wait: 0 });
  expect(messages.map(({ body }) => body)).toEqual(['kept']);
});

test('the journal does not grow with messages that are deleted', async () => {
  const dataDir = useFolder();
  const queues = new Queues([WORK, DEAD], dataDir);
  for (let n = 0; n < 8000; n++) {
    queues.send(WORK, { body: `message ${n}` }, 'sender');
    for (const { handle } of await queues.receive(WORK, { limit: 10, wait: 0 })) {
      queues.delete(WORK, handle);
    }
  }
  // There were 24,000 changes, at most 20,000 of them after the last rewrite.
  expect(statSync(join(dataDir, 'messages.jsonl')).size).toBeLessThan(20_000 * 160);
  queues.send(WORK, { body: 'last' }, 'sender');
  queues.close();

  const next = new Queues([WORK, DEAD], dataDir);
  afterTest(() => next.close());
  expect(statSync(join(dataDir, 'messages.jsonl')).size).toBeLessThan(1000);
  expect(await next.receive(WORK, { limit: 10, wait: 0 })).toMatchObject([{ body: 'last' }]);
});

test('messages of a queue that is removed from the template are stored until it is added again', async () => {
  const dataDir = useFolder();
  const first = new Queues([WORK, DEAD], dataDir);
  first.send(WORK, { body: 'kept' }, 'sender');
  first.close();
  new Queues([DEAD], dataDir).close();

  const third = new Queues([WORK, DEAD], dataDir);
  afterTest(() => third.close());
  expect(await third.receive(WORK, { limit: 1, wait: 0 })).toMatchObject([{ body: 'kept' }]);
});
