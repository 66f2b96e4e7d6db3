/**
 * The AWS calls of notifying targets, counted on the real adapters, are those of
 * scripts/cost/calls.ts and of the comments in core/targets.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { BucketIds } from '../../../core/buckets/bucket-ids';
import { createBucket } from '../../../core/buckets/buckets';
import { sha256Base64 } from '../../../core/http/digests';
import { putObject } from '../../../core/objects/objects';
import type { Target } from '../../../core/targets/ports';
import { createTargets } from '../../../lambdas/targets/app';
import { callsOf, unitsOf } from '../../../scripts/cost/calls';
import { prices } from '../../../scripts/cost/prices.json';
import { FakeClock } from '../../support/fakes/clock';
import { type Service, startService } from '../../support/service';

let service: Service;
let calls: string[] = [];
let buckets = 0;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** `{ GetItem: 2, … }` */
async function cost(work: () => Promise<unknown>): Promise<Record<string, number>> {
  calls = [];
  await work();
  const counts: Record<string, number> = {};
  for (const call of calls) counts[call] = (counts[call] ?? 0) + 1;
  return counts;
}

const unconditional = { conditions: () => undefined, conditional: false };

/** A new bucket, and a registered target that follows it. */
async function setUp() {
  const clock = new FakeClock();
  const opened = service.open({
    clock,
    watch: (call, when) => {
      if (when === 'before') calls.push(call);
    },
  });
  const name = `bucket-${++buckets}`;
  const target: Target = {
    id: `target-${buckets}`,
    buckets: [name],
    startFrom: 'oldest',
    maxBatchSize: 100,
    timeoutMs: 1000,
    send: async (notifications) => notifications.length,
  };
  const targetTasks = {
    send: async () => {
      calls.push('Invoke');
    },
  };
  const deps = { ...opened, bucketIds: new BucketIds(opened.buckets), targetTasks };
  const invoke = createTargets({ ...deps, targets: [target] });
  const context = { getRemainingTimeInMillis: () => 300_000 };
  const bucket = await createBucket(deps, name);
  if (!bucket) throw new Error('no bucket');
  const runTask = () => invoke({ task: 'notify', target: target.id, buckets: [bucket] }, context);
  const sweep = () => invoke({ task: 'sweep' }, context);
  const write = async (times: number) => {
    for (let n = 0; n < times; n++) {
      const body = Buffer.from(`${n}`);
      const checksumSha256 = sha256Base64(body);
      const content = { body, contentType: 'a/b', headers: {}, metadata: {}, checksumSha256 };
      await putObject(deps, { bucket: name, key: 'k' }, content, unconditional);
    }
  };
  const NewImage = { bucket: { S: name }, bucket_id: { S: bucket.id } };
  const processBatch = () => invoke({ Records: [{ dynamodb: { NewImage } }] }, context);
  // The first task of an instance reads whether the target is registered.
  await sweep();
  await runTask();
  return { clock, runTask, sweep, processBatch, write };
}

test('a batch of the stream costs an invocation per target', async () => {
  const { processBatch } = await setUp();
  expect(await cost(processBatch)).toEqual({ Invoke: 1 });
});

test('a task costs the documented calls for one change, several changes, and none', async () => {
  const { runTask, write } = await setUp();
  await write(1);
  expect(await cost(runTask)).toEqual(callsOf('notifyOne'));
  expect(await cost(runTask)).toEqual(callsOf('notifyNothing'));
  await write(20);
  expect(await cost(runTask)).toEqual(callsOf('notifySeveral'));
  await write(150);
  const several = callsOf('notifySeveral');
  // 8 Query and 1 UpdateItem more for the second hundred.
  expect(await cost(runTask)).toEqual({ ...several, Query: 16, UpdateItem: 3 });
});

test('the cost page states the price of notifying a target of a million single changes', () => {
  const { reads, writes } = unitsOf('notifyOne');
  const { dynamodbReads, dynamodbWrites } = prices;
  const usd = reads * dynamodbReads.usd + writes * dynamodbWrites.usd;
  const page = readFileSync(path.join(__dirname, '../../../docs/cost.md'), 'utf8');
  const words = `$${usd.toFixed(2)} of DynamoDB per million (${reads} read and ${writes} write units each)`;
  expect(page.replace(/\s+/g, ' ')).toContain(words);
});

test('a sweep costs one read and one invocation more when it finds a target behind', async () => {
  const { sweep, write, clock } = await setUp();
  clock.advance(60_000);
  const quiet = callsOf('sweep');
  expect(await cost(sweep)).toEqual({ ...quiet, BatchGetItem: 1 });
  await write(1);
  expect(await cost(sweep)).toEqual({ ...quiet, BatchGetItem: 1, GetItem: 1, Invoke: 1 });
});
