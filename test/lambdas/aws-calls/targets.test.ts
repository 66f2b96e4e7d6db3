/**
 * The AWS calls of notifying targets, counted on the real adapters, are those of
 * scripts/cost/calls.ts and of the comments in core/targets.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { BucketIds } from '../../../core/buckets/bucket-ids';
import { createBucket, deleteBucket } from '../../../core/buckets/buckets';
import { sha256Base64 } from '../../../core/http/digests';
import { deleteObject, putObject } from '../../../core/objects/objects';
import { allBuckets } from '../../../core/targets/bucket-log';
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
  let failing = false;
  const target: Target = {
    id: `target-${buckets}`,
    buckets: [name],
    startFrom: 'oldest',
    maxBatchSize: 100,
    timeoutMs: 1000,
    send: async (notifications) => {
      if (failing) throw new Error('down');
      return notifications.length;
    },
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
  const fail = () => {
    failing = true;
  };
  // The first task of an instance reads whether the target is registered.
  await sweep();
  await runTask();
  /** A sweep that finds a new target. */
  const add = () =>
    createTargets({ ...deps, targets: [{ ...target, id: `${name}-new` }] })(
      { task: 'sweep' },
      context,
    );
  return { clock, deps, name, bucket, runTask, sweep, add, processBatch, write, fail };
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

test('a task costs three attempts when the target rejects its only change', async () => {
  const { runTask, write, fail } = await setUp();
  await write(1);
  fail();
  // Each attempt reads the log again, acquires the lease, and backs off.
  expect(await cost(runTask)).toEqual({ GetItem: 9, UpdateItem: 6, Query: 3 });
});

test('the cost page states the price of notifying a target of a million single changes', () => {
  const { reads, writes } = unitsOf('notifyOne');
  const { dynamodbReads, dynamodbWrites } = prices;
  const usd = reads * dynamodbReads.usd + writes * dynamodbWrites.usd;
  const page = readFileSync(path.join(__dirname, '../../../docs/cost.md'), 'utf8');
  const words = `$${usd.toFixed(2)} of DynamoDB per million (${reads} read and ${writes} write units each)`;
  expect(page.replace(/\s+/g, ' ')).toContain(words);
});

test('a task costs two reads more at a gap whose writer may be in flight', async () => {
  const { runTask, deps, bucket } = await setUp();
  await deps.commits.allocate(bucket);
  // Two reads find out whether the entry was trimmed, and whether it was written meanwhile.
  expect(await cost(runTask)).toEqual({ GetItem: 5, UpdateItem: 2, Query: 1 });
});

test('a task costs one Query more for the last change of a deleted bucket', async () => {
  const { runTask, deps, bucket, write } = await setUp();
  await write(1);
  await deleteObject(deps, { bucket: bucket.name, key: 'k' }, unconditional);
  await deleteBucket(deps, bucket);
  // The deleted buckets, and the log.
  expect(await cost(runTask)).toEqual({ GetItem: 3, UpdateItem: 2, Query: 3 });
});

test('a sweep costs one read and one invocation more when it finds a target behind', async () => {
  const { sweep, write, clock } = await setUp();
  clock.advance(60_000);
  const quiet = callsOf('sweep');
  expect(await cost(sweep)).toEqual({ ...quiet, BatchGetItem: 1 });
  await write(1);
  expect(await cost(sweep)).toEqual({ ...quiet, BatchGetItem: 1, GetItem: 1, Invoke: 1 });
});

test('a sweep that finds a new target costs one update for each bucket', async () => {
  const { add, clock, deps } = await setUp();
  clock.advance(60_000);
  const { length } = await allBuckets(deps);
  // Updates: the registration, a cursor in each bucket, and the end of the registration. Cursors,
  // buckets and deleted buckets are read before that and again after it.
  const whole = { UpdateItem: length + 2, Query: 6, BatchGetItem: 2 };
  expect(await cost(add)).toEqual(whole);
});
