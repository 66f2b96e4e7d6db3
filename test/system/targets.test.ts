/** A stack with targets of its own, killed under load: each of them is told of every change, and none is told of one after a gap. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DeleteMessageBatchCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Delivery } from '../../core/deliver/messages';
import { Client, inParallel } from './client';
import { newDataFolder, startLocalService } from './local-service';
import { synthesizeTargets } from './targets/stack';

jest.setTimeout(300_000);

const BUCKETS = ['told-a', 'told-b'];
const WRITES = 300;

const data = newDataFolder();
const folder = path.join(data.folder, 'data');
const received = path.join(data.folder, 'received.jsonl');
const flags = ['--stack', 'targets', '--cdk-out', path.join(data.folder, 'cdk.out')];
beforeAll(() => synthesizeTargets(path.join(data.folder, 'cdk.out'), received));
afterAll(() => data.remove());

/** What one target was told of one bucket, by the rule of docs/construct.md. */
interface Told {
  readonly position: number;
  readonly cursors: readonly number[];
}

function follow(messages: readonly Delivery[], bucket: string): Told {
  let position = 0;
  const cursors: number[] = [];
  for (const message of messages.filter((one) => one.bucket === bucket)) {
    if (message.type !== 'changes') throw new Error(JSON.stringify(message));
    expect(message.from).toBeLessThanOrEqual(position);
    for (const { cursor } of message.changes) if (cursor > position) cursors.push(cursor);
    position = Math.max(position, message.to);
  }
  return { position, cursors };
}

function ofFunction(): readonly Delivery[] {
  const lines = readFileSync(received, { encoding: 'utf8', flag: 'a+' }).split('\n');
  // The last line may be half written: the service was killed.
  return lines.slice(0, -1).map((line) => JSON.parse(line));
}

async function drain(queueUrl: string, sqs: SQSClient, into: Delivery[]): Promise<void> {
  for (;;) {
    const receive = { QueueUrl: queueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 };
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand(receive));
    if (Messages.length === 0) return;
    into.push(...Messages.map(({ Body = '' }) => JSON.parse(Body)));
    const Entries = Messages.map(({ ReceiptHandle }, n) => ({ Id: `${n}`, ReceiptHandle }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
  }
}

test('every change arrives at each target, through kill -9 and failures of the target', async () => {
  const first = await startLocalService(folder, flags);
  const client = new Client(first);
  for (const name of [...BUCKETS, 'untold']) {
    expect((await client.send('POST', '/buckets', JSON.stringify({ name }))).status).toBe(201);
  }
  let killed: Promise<void> | undefined;
  const load = (one: Client, until: () => boolean) =>
    inParallel(8, WRITES, async (n) => {
      if (until()) return;
      const bucket = n % 10 === 9 ? 'untold' : (BUCKETS[n % 2] ?? '');
      await one.change(bucket, `k${n % 20}`, n % 7 === 6 ? undefined : `write ${n}`);
      if (n === WRITES / 2 && one === client) killed ??= first.kill();
    });
  await load(client, () => killed !== undefined);
  await killed;
  await client.close();

  const second = await startLocalService(folder, flags);
  const again = new Client(second);
  await load(again, () => false);
  const { endpoints, credentials, region, outputs } = JSON.parse(
    readFileSync(path.join(folder, 'endpoints.json'), 'utf8'),
  );
  const sqs = new SQSClient({ endpoint: endpoints.sqs, credentials, region });
  const ofQueue: Delivery[] = [];
  const deadline = Date.now() + 200_000;
  for (const bucket of BUCKETS) {
    const list = await again.send('GET', `/sync?bucket=${bucket}&cursor=0&limit=1000`);
    const log = JSON.parse(list.body.toString());
    expect(log.changes.length).toBeGreaterThan(50);
    const due = log.changes.map(({ cursor }: { cursor: number }) => cursor);
    for (;;) {
      await drain(outputs.QueueUrl, sqs, ofQueue);
      const told = [follow(ofFunction(), bucket), follow(ofQueue, bucket)];
      if (told.every(({ position }) => position === log.to)) {
        for (const { cursors } of told) expect(cursors).toEqual(due);
        break;
      }
      if (Date.now() > deadline) {
        throw new Error(`told ${told.map(({ position }) => position)} of ${log.to}`);
      }
      await wait(200);
    }
    const [change] = log.changes;
    expect(
      ofFunction().flatMap((one) => (one.type === 'changes' ? one.changes : [])),
    ).toContainEqual(change);
  }
  expect(ofQueue.every(({ bucket }) => BUCKETS.includes(bucket))).toBe(true);
  sqs.destroy();
  await again.close();
  expect(await second.interrupt()).toBe(0);
});
