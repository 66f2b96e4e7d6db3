/**
 * Several shards of the stream invoke instances of fanout for one bucket at once, and instances die
 * at any moment.
 */
import type { DynamoDBRecord, SQSRecord } from 'aws-lambda';
import type { Advance, DeferredTask } from '../../../core/channel/ports';
import { MAX_LOOKS } from '../../../core/channel/publisher';
import { PUSH_LEASE_MS } from '../../../core/log/push-lease';
import { maintainLogs } from '../../../core/maintenance/maintain-logs';
import { NEVER_STOP } from '../../../core/stop-signal';
import { createFanout, type FanoutDeps } from '../../../lambdas/fanout/app';
import { BUCKET, put } from '../../support/bucket-world';
import { openChannelWorld } from '../../support/channel-world';
import { createFakes } from '../../support/fakes/fakes';
import type { YieldPoint } from '../../support/fakes/interleaved';

/** The lease of a dead instance, and the delay of the task that follows it. */
const LONGEST_DELAY_MS = PUSH_LEASE_MS + 3_000;
const DONE = { batchItemFailures: [] };

const changed = (SequenceNumber: string): DynamoDBRecord => ({
  eventName: 'INSERT',
  dynamodb: { SequenceNumber, NewImage: { bucket: { S: BUCKET } } },
});

const queued = (task: DeferredTask) =>
  ({ messageId: 'm', body: JSON.stringify(task) }) as SQSRecord;

/** A subscriber, and instances of fanout with a memory each. */
async function setUp(subscribers = 1) {
  const world = await openChannelWorld();
  const { deps } = world;
  const channels: Awaited<ReturnType<typeof world.open>>[] = [];
  for (let n = 0; n < subscribers; n++) {
    const channel = await world.open(`c${n}`);
    await channel.say({ action: 'subscribe', bucket: BUCKET, cursor: 0 });
    channels.push(channel);
  }
  const instance = (yieldPoint?: YieldPoint) => {
    const { state, clock, ids } = deps;
    const fakes = yieldPoint ? createFakes({ state, clock, ids, yieldPoint }) : {};
    const own: FanoutDeps = { ...deps, ...fakes, log: deps.log, meter: deps.meter };
    const fanout = createFanout(own);
    return (...records: (DynamoDBRecord | SQSRecord)[]) => fanout({ Records: records });
  };
  /** Performs the tasks of the queue until it is empty. */
  const drain = () => {
    const wake = instance();
    return deps.queue.drain(async (task) => {
      expect(await wake(queued(task))).toEqual(DONE);
    });
  };
  const pushed = () =>
    channels.map((channel) => channel.news().flatMap(({ changes = [] }) => changes.map(cursorOf)));
  return { ...world, instance, drain, pushed };
}

const cursorOf = ({ cursor }: { readonly cursor: number }) => cursor;

/** Moves on when all microtasks have run, so that instances take turns at each call. */
const takeTurns = () => new Promise<void>((resolve) => setImmediate(resolve));

test('only one of the instances woken for the same entries pushes them', async () => {
  const { deps, instance, drain, pushed } = await setUp(3);
  for (const key of ['a', 'b', 'c']) await put(deps, key, 'x');
  const shards = Array.from({ length: 8 }, () => instance(takeTurns));
  const results = await Promise.all(shards.map((wake, n) => wake(changed(`${n + 1}`))));
  expect(results).toEqual(shards.map(() => DONE));
  expect(pushed()).toEqual([1, 2, 3].map(() => [1, 2, 3]));
  expect(await deps.buckets.stats(BUCKET)).toMatchObject({ published: 3, objectCount: 3 });
  await drain();
  expect(pushed()).toEqual([[], [], []]);
});

test('the holder of the lease pushes what the others left to it before it ends', async () => {
  const { deps, instance, pushed } = await setUp();
  await put(deps, 'a', 'x');
  const other = instance();
  let isWritten = false;
  const holder = instance(async ({ operation, when }) => {
    if (operation !== 'post' || when !== 'before' || isWritten) return;
    isWritten = true;
    await put(deps, 'b', 'x');
    expect(await other(changed('2'))).toEqual(DONE);
  });
  expect(await holder(changed('1'))).toEqual(DONE);
  expect(pushed()).toEqual([[1, 2]]);
});

test('the holder pushes an entry that fills the gap at which it stopped', async () => {
  const { deps, bucket, instance, pushed } = await setUp();
  await put(deps, 'a', 'x');
  const late = await deps.commits.allocate(bucket);
  await put(deps, 'c', 'x');
  const other = instance();
  const holder = instance(async ({ operation, when }) => {
    if (operation !== 'post' || when !== 'before') return;
    const at = deps.clock.iso();
    await deps.changeLog.fill(bucket.id, { type: 'noop', bucket: BUCKET, cursor: late ?? 0, at });
    expect(await other(changed('2'))).toEqual(DONE);
  });
  expect(await holder(changed('1'))).toEqual(DONE);
  expect(pushed()).toEqual([[1, 3]]);
});

test('an instance that loses every race leaves the rest to the others', async () => {
  const { deps, instance, drain, pushed } = await setUp(0);
  await put(deps, 'a', 'x');
  jest.spyOn(deps.buckets, 'movePublished').mockImplementation(async () => false);
  expect(await instance()(changed('1'))).toEqual(DONE);
  expect(deps.log.lines).toEqual([]);
  jest.restoreAllMocks();
  await drain();
  expect(await deps.buckets.stats(BUCKET)).toMatchObject({ published: 1 });
  expect(pushed()).toEqual([]);
});

describe.each(['before', 'after'] as const)('an instance that dies %s a call', (moment) => {
  test.each(['the stream repeats its batch', 'nothing repeats its batch'])(
    'delays no subscriber for more than eight seconds when %s',
    async (repetition) => {
      for (let at = 1; ; at++) {
        const { deps, instance, drain, pushed } = await setUp(2);
        await put(deps, 'a', 'x');
        let calls = 0;
        let die: () => void = () => undefined;
        const dead = new Promise<'dead'>((resolve) => {
          die = () => resolve('dead');
        });
        const holder = instance(async ({ when }) => {
          if (when === 'before') calls += 1;
          if (calls < at || (calls === at && when !== moment)) return;
          die();
          await new Promise(() => undefined);
        });
        const end = await Promise.race([holder(changed('1')), dead]);
        await put(deps, 'b', 'x');
        const from = deps.clock.now();
        // Shards that are woken at once; the first may be the repetition.
        expect(await instance()(changed('2'))).toEqual(DONE);
        if (repetition === 'the stream repeats its batch') {
          expect(await instance()(changed('1'))).toEqual(DONE);
        }
        await drain();
        const received = pushed();
        for (const cursors of received) expect([...new Set(cursors)]).toEqual([1, 2]);
        expect(await deps.buckets.stats(BUCKET)).toMatchObject({ published: 2, objectCount: 2 });
        expect(deps.clock.now() - from).toBeLessThanOrEqual(LONGEST_DELAY_MS);
        if (end !== 'dead') {
          expect(at).toBeGreaterThan(10);
          return;
        }
      }
    },
  );
});

test('a slow push is not repeated by other instances, however long it takes', async () => {
  const { deps, instance, drain, pushed } = await setUp();
  for (let n = 0; n < 200; n++) await put(deps, 'a', 'x', { x: 'm'.repeat(2000) });
  const others = instance();
  const from = deps.clock.now();
  const holder = instance(async ({ operation, when }) => {
    if (operation !== 'post' || when !== 'before') return;
    deps.clock.advance(1_200);
    expect(await others(changed('2'))).toEqual(DONE);
  });
  expect(await holder(changed('1'))).toEqual(DONE);
  expect(deps.clock.now() - from).toBeGreaterThan(2 * PUSH_LEASE_MS);
  expect(pushed()).toEqual([Array.from({ length: 200 }, (_, n) => n + 1)]);
  await drain();
});

test('an instance whose lease another has taken stops pushing', async () => {
  const { deps, bucket, instance, drain, pushed } = await setUp(200);
  await put(deps, 'a', 'x');
  let posts = 0;
  const holder = instance(async ({ operation, when }) => {
    if (operation !== 'post' || when !== 'before' || ++posts !== 1) return;
    deps.clock.advance(PUSH_LEASE_MS + 1);
    const now = deps.clock.now();
    const lease = { holder: 'other', until: now + PUSH_LEASE_MS, now, published: 0 };
    expect(await deps.buckets.acquirePushLease(bucket, lease)).toBe(true);
  });
  expect(await holder(changed('1'))).toEqual(DONE);
  expect(posts).toBeLessThan(200);
  // The other instance dies.
  await drain();
  for (const cursors of pushed()) expect([...new Set(cursors)]).toEqual([1]);
});

describe('deferred tasks', () => {
  /** Another instance pushes, and extends its lease, for so long. */
  async function underSlowPush(milliseconds: number) {
    const world = await setUp();
    const { deps, bucket, instance } = world;
    await put(deps, 'a', 'x');
    const end = deps.clock.now() + milliseconds;
    const extend = async () => {
      const now = deps.clock.now();
      if (now >= end) return;
      const lease = { holder: 'slow', until: now + PUSH_LEASE_MS, now, published: 0 };
      await deps.buckets.acquirePushLease(bucket, lease);
    };
    await extend();
    const wake = instance();
    await wake(changed('1'));
    const looks: (number | undefined)[] = [];
    const drain = () =>
      deps.queue.drain(async (task) => {
        looks.push((task as { advance: Advance }).advance.looks);
        await extend();
        expect(await wake(queued(task))).toEqual(DONE);
      });
    return { ...world, drain, looks };
  }

  test('look for the entries until a slow push has ended', async () => {
    const { deps, drain, looks, pushed } = await underSlowPush(90_000);
    await drain();
    expect(looks.length).toBeGreaterThan(16);
    expect(looks).toEqual([undefined, ...Array.from(looks.slice(1), (_, n) => n + 1)]);
    expect(pushed()).toEqual([[1]]);
    expect(deps.log.lines).toEqual([]);
  });

  test('end with an error after forty looks, and the janitor publishes the entries', async () => {
    const { deps, drain, looks } = await underSlowPush(3_600_000);
    await drain();
    expect(looks).toHaveLength(MAX_LOOKS);
    expect(deps.log.lines).toMatchObject([
      { event: 'deferred_task_abandoned', fields: { bucket: BUCKET, upTo: 1, looks: MAX_LOOKS } },
    ]);
    expect(deps.meter.sum('AbandonedTasks')).toBe(1);
    await maintainLogs(deps, NEVER_STOP);
    expect(await deps.buckets.stats(BUCKET)).toMatchObject({ published: 1 });
  });

  test('begin to count again for newer entries', async () => {
    const { deps, bucket, instance } = await setUp();
    await put(deps, 'a', 'x');
    const wake = instance();
    await wake(changed('1'));
    await deps.commits.allocate(bucket);
    const task = { advance: { bucket: BUCKET, id: bucket.id, upTo: 1, looks: MAX_LOOKS - 1 } };
    expect(await wake(queued(task))).toEqual(DONE);
    deps.clock.advance(3_000);
    const [next] = deps.queue.take();
    expect(next).toEqual({ advance: { bucket: BUCKET, id: bucket.id, upTo: 2 } });
  });
});
