/**
 * What delivering to targets costs in AWS calls, as the bill has it (scripts/cost/calls.ts) and the
 * comments of core/targets, counted on the real adapters.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { sha256Base64 } from '../../../core/http/digests';
import { BucketIds } from '../../../core/objects/bucket-ids';
import { createBucket, deleteBucket } from '../../../core/objects/buckets';
import { deleteObject, putObject } from '../../../core/objects/objects';
import { allBuckets } from '../../../core/targets/bucket-log';
import type { Target } from '../../../core/targets/ports';
import { createTargets } from '../../../lambdas/targets/app';
import { callsOf, unitsOf } from '../../../scripts/cost/calls';
import { prices } from '../../../scripts/cost/prices.json';
import { FakeClock } from '../../support/fakes/clock';
import { type Service, startService } from '../../support/service';

jest.setTimeout(30_000);

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

/** A bucket of its own, and a target that has a position in it. */
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
    send: async (messages) => {
      if (failing) throw new Error('down');
      return messages.length;
    },
  };
  const targetTasks = {
    send: async () => {
      calls.push('Invoke');
    },
  };
  const deps = { ...opened, bucketIds: new BucketIds(opened.buckets), targetTasks };
  const deliver = createTargets({ ...deps, targets: [target] });
  const context = { getRemainingTimeInMillis: () => 300_000 };
  const bucket = await createBucket(deps, name);
  if (!bucket) throw new Error('no bucket');
  const errand = () => deliver({ errand: { target: target.id, buckets: [bucket] } }, context);
  const look = () => deliver({ task: 'look' }, context);
  const write = async (times: number) => {
    for (let n = 0; n < times; n++) {
      const body = Buffer.from(`${n}`);
      const checksumSha256 = sha256Base64(body);
      const content = { body, contentType: 'a/b', headers: {}, metadata: {}, checksumSha256 };
      await putObject(deps, name, 'k', content, unconditional);
    }
  };
  const NewImage = { bucket: { S: name }, bucket_id: { S: bucket.id } };
  const wake = () => deliver({ Records: [{ dynamodb: { NewImage } }] }, context);
  const fail = () => {
    failing = true;
  };
  // The first errand of an instance asks whether the target is enrolled.
  await look();
  await errand();
  /** A round in which a target is seen that was not there before. */
  const add = () =>
    createTargets({ ...deps, targets: [{ ...target, id: `${name}-new` }] })(
      { task: 'look' },
      context,
    );
  return { clock, deps, name, bucket, errand, look, add, wake, write, fail };
}

test('a batch of the stream costs an invocation per target', async () => {
  const { wake } = await setUp();
  expect(await cost(wake)).toEqual({ Invoke: 1 });
});

test('one change, several, and none', async () => {
  const { errand, write } = await setUp();
  await write(1);
  expect(await cost(errand)).toEqual(callsOf('tellOne'));
  expect(await cost(errand)).toEqual(callsOf('tellNothing'));
  await write(20);
  expect(await cost(errand)).toEqual(callsOf('tellSeveral'));
  await write(150);
  const several = callsOf('tellSeveral');
  // 8 Query and 1 UpdateItem more for the second hundred.
  expect(await cost(errand)).toEqual({ ...several, Query: 16, UpdateItem: 3 });
});

test('one change that the target does not take', async () => {
  const { errand, write, fail } = await setUp();
  await write(1);
  fail();
  // Three attempts: each looks again, takes the lease, and rests.
  expect(await cost(errand)).toEqual({ GetItem: 9, UpdateItem: 6, Query: 3 });
});

test('the price of a million changes told one by one is what the page of costs says', () => {
  const { reads, writes } = unitsOf('tellOne');
  const { dynamodbReads, dynamodbWrites } = prices;
  const usd = reads * dynamodbReads.usd + writes * dynamodbWrites.usd;
  const page = readFileSync(path.join(__dirname, '../../../docs/cost.md'), 'utf8');
  const words = `$${usd.toFixed(2)} of DynamoDB per million (${reads} read and ${writes} write units each)`;
  expect(page.replace(/\s+/g, ' ')).toContain(words);
});

test('a number whose writer may be in flight', async () => {
  const { errand, deps, bucket } = await setUp();
  await deps.buckets.allocate(bucket);
  // Two look at what is missing: whether it was trimmed, and whether it has come meanwhile.
  expect(await cost(errand)).toEqual({ GetItem: 5, UpdateItem: 2, Query: 1 });
});

test('the last change of a bucket that was deleted', async () => {
  const { errand, deps, bucket, write } = await setUp();
  await write(1);
  await deleteObject(deps, bucket.name, 'k', unconditional);
  await deleteBucket(deps, bucket);
  // The graves, and the log.
  expect(await cost(errand)).toEqual({ GetItem: 3, UpdateItem: 2, Query: 3 });
});

test('a round in which all is quiet, and one that finds something', async () => {
  const { look, write, clock } = await setUp();
  clock.advance(60_000);
  const quiet = callsOf('lookAround');
  expect(await cost(look)).toEqual({ ...quiet, BatchGetItem: 1 });
  await write(1);
  expect(await cost(look)).toEqual({ ...quiet, BatchGetItem: 1, GetItem: 1, Invoke: 1 });
});

test('a target that is new is given a position in each bucket, in the round that finds it', async () => {
  const { add, clock, deps } = await setUp();
  clock.advance(60_000);
  const { length } = await allBuckets(deps);
  // Itself, each bucket, and that it is in; positions, names and deleted buckets are read before
  // that, and after it.
  const whole = { UpdateItem: length + 2, Query: 6, BatchGetItem: 2 };
  expect(await cost(add)).toEqual(whole);
});
