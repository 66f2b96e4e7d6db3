/**
 * A stack with targets of its own, killed under load: each target is notified of every change, and
 * of no change behind a gap.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DeleteMessageBatchCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Notification } from '../../core/targets/notifications';
import type { AccessReport } from '../../emulator/src/iam/access-report';
import { Client, inParallel } from './support/client';
import { newDataFolder, startLocalService } from './support/local-service';
import { exerciseDeliver } from './targets/exercise';
import { synthesizeTargets } from './targets/stack';

jest.setTimeout(400_000);

const BUCKETS = ['told-a', 'told-b'];
const WRITES = 300;
const PATIENCE_MS = 300_000;

const data = newDataFolder();
const folder = path.join(data.folder, 'data');
const received = path.join(data.folder, 'received.jsonl');
const cdkOut = path.join(data.folder, 'cdk.out');
const report = path.join(data.folder, 'iam.json');
const flags = ['--stack', 'targets', '--cdk-out', cdkOut, '--iam-report', report];
beforeAll(() => synthesizeTargets(cdkOut, received), 60_000);
afterAll(() => data.remove());

/** The changes of one bucket that one target received, by the rule of docs/construct.md. */
function follow(messages: readonly Notification[], bucket: string) {
  let position = 0;
  const changes: unknown[] = [];
  for (const message of messages.filter((one) => one.bucket === bucket)) {
    if (message.type !== 'changes') throw new Error(JSON.stringify(message));
    expect(message.from).toBeLessThanOrEqual(position);
    changes.push(...message.changes.filter(({ cursor }) => cursor > position));
    position = Math.max(position, message.to);
  }
  return { position, changes };
}

function ofFunction(): readonly Notification[] {
  const lines = readFileSync(received, { encoding: 'utf8', flag: 'a+' }).split('\n');
  // The last line may be half written: the service was killed.
  return lines.slice(0, -1).map((line) => JSON.parse(line));
}

/** What lies in a queue, taken out. */
async function drain(sqs: SQSClient, QueueUrl: string): Promise<unknown[]> {
  const bodies: unknown[] = [];
  for (;;) {
    const receive = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 });
    const { Messages = [] } = await sqs.send(receive);
    if (Messages.length === 0) return bodies;
    bodies.push(...Messages.map(({ Body = '' }) => JSON.parse(Body)));
    const Entries = Messages.map(({ ReceiptHandle }, n) => ({ Id: `${n}`, ReceiptHandle }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
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
  const told: Record<'queue' | 'fifo' | 'bus', Notification[]> = { queue: [], fifo: [], bus: [] };
  const look = async () => {
    told.queue.push(...((await drain(sqs, outputs.QueueUrl)) as Notification[]));
    told.fifo.push(...((await drain(sqs, outputs.FifoUrl)) as Notification[]));
    const caught = (await drain(sqs, outputs.CaughtUrl)) as { detail: Notification }[];
    told.bus.push(...caught.map(({ detail }) => detail));
    return { ...told, function: ofFunction() };
  };
  const deadline = Date.now() + PATIENCE_MS;
  for (const bucket of BUCKETS) {
    const page = await again.send('GET', `/sync?bucket=${bucket}&cursor=0&limit=1000`);
    const log = JSON.parse(page.body.toString());
    expect(log.changes.length).toBeGreaterThan(50);
    for (;;) {
      const now = Object.entries(await look()).map(
        ([name, messages]) => [name, follow(messages, bucket)] as const,
      );
      const late = now.filter(([, { position }]) => position < log.to);
      if (late.length === 0) {
        for (const [, { changes }] of now) expect(changes).toEqual(log.changes);
        break;
      }
      if (Date.now() > deadline) throw new Error(`late: ${late.map(([name]) => name)}`);
      await wait(200);
    }
  }
  const all = Object.values(await look()).flat();
  expect(all.filter(({ bucket }) => !BUCKETS.includes(bucket))).toEqual([]);
  // SQS has dropped what came twice: each number is there once.
  const numbers = told.fifo.map(({ bucket, to }) => `${bucket} ${to}`);
  expect(numbers).toHaveLength(new Set(numbers).size);
  sqs.destroy();
  await exerciseDeliver(again, folder, cdkOut);
  await again.close();
  expect(await second.interrupt()).toBe(0);

  // What deliver may do, it did, and nothing else was asked for.
  const { roles }: AccessReport = JSON.parse(readFileSync(report, 'utf8'));
  const [name] = Object.keys(roles).filter((one) => one.startsWith('StorageDeliveryNotifierRole'));
  const { grants = [], refused } = roles[name ?? ''] ?? {};
  expect(refused).toEqual([]);
  expect(grants.length).toBeGreaterThan(15);
  expect(grants.filter(({ neededBy }) => neededBy === undefined)).toEqual([]);
});
