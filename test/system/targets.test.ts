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
import { newDataFolder, startLocalService } from '../support/local-service/start-local-service';
import { Client, inParallel } from './support/client';
import { exerciseNotifier } from './targets/exercise';
import { synthesizeTargets } from './targets/stack';

jest.setTimeout(400_000);

const BUCKETS = ['notified-a', 'notified-b'];
const WRITES = 100;
const TIMEOUT_MS = 300_000;

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
  let cursor = 0;
  const changes: unknown[] = [];
  for (const message of messages.filter((one) => one.bucket === bucket)) {
    if (message.type !== 'changes') throw new Error(JSON.stringify(message));
    expect(message.from).toBeLessThanOrEqual(cursor);
    changes.push(...message.changes.filter((change) => change.cursor > cursor));
    cursor = Math.max(cursor, message.to);
  }
  return { cursor, changes };
}

function ofFunction(): readonly Notification[] {
  const lines = readFileSync(received, { encoding: 'utf8', flag: 'a+' }).split('\n');
  // The last line may be half written: the service was killed.
  return lines.slice(0, -1).map((line) => JSON.parse(line));
}

/** Receives and deletes every message of a queue. */
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

test('each target receives every change despite SIGKILL and failures of the target', async () => {
  const first = await startLocalService(folder, flags);
  const client = new Client(first);
  for (const name of [...BUCKETS, 'unwatched']) {
    expect((await client.send('POST', '/buckets', JSON.stringify({ name }))).status).toBe(201);
  }
  let killed: Promise<void> | undefined;
  const load = (one: Client, until: () => boolean) =>
    inParallel(8, WRITES, async (n) => {
      if (until()) return;
      const bucket = n % 10 === 9 ? 'unwatched' : (BUCKETS[n % 2] ?? '');
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
  const notified: Record<'queue' | 'fifo' | 'bus', Notification[]> = {
    queue: [],
    fifo: [],
    bus: [],
  };
  const receive = async () => {
    notified.queue.push(...((await drain(sqs, outputs.QueueUrl)) as Notification[]));
    notified.fifo.push(...((await drain(sqs, outputs.FifoUrl)) as Notification[]));
    const caught = (await drain(sqs, outputs.CaughtUrl)) as { detail: Notification }[];
    notified.bus.push(...caught.map(({ detail }) => detail));
    return { ...notified, function: ofFunction() };
  };
  const deadline = Date.now() + TIMEOUT_MS;
  for (const bucket of BUCKETS) {
    const page = await again.send('GET', `/sync?bucket=${bucket}&cursor=0&limit=1000`);
    const log = JSON.parse(page.body.toString());
    expect(log.changes.length).toBeGreaterThan(50);
    for (;;) {
      const now = Object.entries(await receive()).map(
        ([name, messages]) => [name, follow(messages, bucket)] as const,
      );
      const late = now.filter(([, { cursor }]) => cursor < log.to);
      if (late.length === 0) {
        for (const [, { changes }] of now) expect(changes).toEqual(log.changes);
        break;
      }
      if (Date.now() > deadline) throw new Error(`late: ${late.map(([name]) => name)}`);
      await wait(200);
    }
  }
  const all = Object.values(await receive()).flat();
  expect(all.filter(({ bucket }) => !BUCKETS.includes(bucket))).toEqual([]);
  // SQS has dropped repeated messages: each cursor is there once.
  const cursors = notified.fifo.map(({ bucket, to }) => `${bucket} ${to}`);
  expect(cursors).toHaveLength(new Set(cursors).size);
  sqs.destroy();
  await exerciseNotifier(again, folder, cdkOut);
  await again.close();
  expect(await second.interrupt()).toBe(0);

  // The notifier used each of its grants, and none of its calls was refused.
  const { roles }: AccessReport = JSON.parse(readFileSync(report, 'utf8'));
  const [name] = Object.keys(roles).filter((one) => one.startsWith('StorageTargetsNotifierRole'));
  const { grants = [], refused } = roles[name ?? ''] ?? {};
  expect(refused).toEqual([]);
  expect(grants.length).toBeGreaterThan(15);
  expect(grants.filter(({ neededBy }) => neededBy === undefined)).toEqual([]);
});
