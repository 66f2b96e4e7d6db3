/**
 * A target that fails, accepts a part, or accepts everything without confirming it; concurrently
 * with writers and notifiers that crash, tasks that come late, twice or never, a log that is
 * trimmed too early, and a bucket that is deleted and created again, in every interleaving that the
 * scheduler draws. What the target received, each cursor counted once, must be exactly the log. The
 * last tests break one rule at a time and show that the property fails.
 */
import fc from 'fast-check';
import { BucketIds } from '../../../core/buckets/bucket-ids';
import { createBucket, deleteBucket } from '../../../core/buckets/buckets';
import { sha256Base64 } from '../../../core/http/digests';
import type { ChangeEntry } from '../../../core/log/ports';
import { publishChanges } from '../../../core/log/publish';
import { trimBucket } from '../../../core/log/trim';
import { deleteObject, putObject } from '../../../core/objects/objects';
import { NEVER_STOP } from '../../../core/stop-signal';
import type { NotifyDeps } from '../../../core/targets/notify';
import type { Target } from '../../../core/targets/ports';
import { sweep } from '../../../core/targets/sweep';
import { runTask } from '../../../core/targets/task';
import { commitPuts } from '../../support/commits';
import { createFakes, type Fakes } from '../../support/fakes/fakes';
import { waitIdle } from '../../support/fakes/wait-idle';
import { Receiver } from './receiver';

const BUCKET = 'photos';
const KEYS = ['a', 'b'];
const HOUR_MS = 3_600_000;
const UNCONDITIONAL = { conditional: false, conditions: () => undefined };

/** What a call of the target does. */
type Behaviour =
  | 'accepts'
  | 'fails'
  | 'accepts some'
  | 'accepts all, confirms some'
  | 'accepts all, confirms none';

interface Plan {
  readonly maxBatchSize: number;
  readonly writers: readonly { readonly keys: readonly string[]; readonly crashAt?: number }[];
  readonly notifiers: readonly { readonly crashAt?: number }[];
  readonly behaviours: readonly Behaviour[];
  /** Entries that are trimmed, whether or not the target was notified of them. */
  readonly trims: readonly number[];
  /** How often the bucket is deleted and created again. */
  readonly recreations: number;
  /** Whether the target is registered before the first change. */
  readonly registered: boolean;
}

const crashAt = fc.option(fc.nat(20), { nil: undefined });

const plan: fc.Arbitrary<Plan> = fc.record({
  maxBatchSize: fc.constantFrom(1, 2, 100),
  writers: fc.array(
    fc.record({
      keys: fc.array(fc.constantFrom(...KEYS), { minLength: 1, maxLength: 3 }),
      crashAt,
    }),
    { minLength: 1, maxLength: 4 },
  ),
  notifiers: fc.array(fc.record({ crashAt }), { minLength: 1, maxLength: 5 }),
  behaviours: fc.array(
    fc.constantFrom<Behaviour>(
      'accepts',
      'fails',
      'accepts some',
      'accepts all, confirms some',
      'accepts all, confirms none',
    ),
    { maxLength: 12 },
  ),
  trims: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }),
  recreations: fc.integer({ min: 0, max: 2 }),
  registered: fc.boolean(),
});

type Rules = (deps: NotifyDeps & Fakes, target: Target) => readonly [NotifyDeps & Fakes, Target];

async function run(s: fc.Scheduler, drawn: Plan, rules: Rules = (...all) => all) {
  const world = createFakes();
  const ports = (fakes: Fakes) => ({
    ...fakes,
    bucketIds: new BucketIds(fakes.buckets),
    backoff: async () => {},
  });
  const receiver = new Receiver(drawn.maxBatchSize);
  const behaviours = [...drawn.behaviours];
  const target: Target = {
    id: 'archive',
    buckets: ['*'],
    startFrom: 'oldest',
    maxBatchSize: drawn.maxBatchSize,
    timeoutMs: 10_000,
    send: async (notifications) => {
      await s.schedule(Promise.resolve());
      const behaviour = behaviours.shift() ?? 'accepts';
      const some = Math.floor(notifications.length / 2);
      const arriving =
        behaviour === 'fails' ? 0 : behaviour === 'accepts some' ? some : notifications.length;
      for (const notification of notifications.slice(0, arriving)) receiver.receive(notification);
      await s.schedule(Promise.resolve());
      if (behaviour === 'fails' || behaviour === 'accepts all, confirms none')
        throw new Error(behaviour);
      return behaviour === 'accepts' ? notifications.length : some;
    },
  };
  await createBucket(ports(world), BUCKET);
  if (drawn.registered) await sweep(world, [target], NEVER_STOP);
  const history = new Map<string, Map<number, ChangeEntry>>();

  for (const [n, writer] of drawn.writers.entries()) void write(n, writer);
  for (const notifier of drawn.notifiers) void performTask(notifier.crashAt);
  // A target that is registered late starts at the oldest entry left, in the buckets that exist.
  if (drawn.registered) {
    for (const entries of drawn.trims) void trim(entries);
    void recreateBucket(drawn.recreations);
  }
  await waitIdle(s);
  behaviours.length = 0;
  await settle();
  check();

  function instance(crashAt?: number): Fakes {
    let operations = 0;
    return createFakes({
      ...world,
      yieldPoint: async () => {
        saveHistory();
        await s.schedule(Promise.resolve());
        if (crashAt !== undefined && operations++ >= crashAt) await new Promise(() => undefined);
      },
    });
  }

  /** Saves every entry, before it may be trimmed. */
  function saveHistory() {
    for (const [id, entries] of world.state.changes) {
      const kept = history.get(id) ?? new Map<number, ChangeEntry>();
      history.set(id, kept);
      for (const [cursor, entry] of entries) {
        const before = kept.get(cursor);
        // Most are the same object, and `expect` is slow.
        if (before && before !== entry) expect(entry).toEqual(before);
        kept.set(cursor, entry);
      }
    }
    for (const [id, { cursor }] of world.state.targetCursorsOf(target.id)) {
      const last = history.get(id)?.get(cursor);
      const end = last?.type === 'put' ? (last.commit?.last ?? cursor) : cursor;
      if (end !== cursor) throw new Error(`the cursor ${cursor} is inside a commit`);
    }
  }

  async function write(n: number, { keys, crashAt }: Plan['writers'][number]) {
    const deps = ports(instance(crashAt));
    for (const [i, key] of keys.entries()) {
      const object = { bucket: BUCKET, key };
      const body = Buffer.from(`${n}.${i}`);
      const content = { body, contentType: 'a/b', headers: {}, metadata: {} };
      const checksumSha256 = sha256Base64(body);
      try {
        if (i === 2) await deleteObject(deps, object, UNCONDITIONAL);
        else if (i === 1) await commitKeys(deps);
        else await putObject(deps, object, { ...content, checksumSha256 }, UNCONDITIONAL);
      } catch {
        // The bucket or the object to delete does not exist.
      }
    }
  }

  async function commitKeys(deps: ReturnType<typeof ports>) {
    const record = await deps.buckets.get(BUCKET);
    if (record) await commitPuts(deps, record, KEYS);
  }

  async function performTask(crashAt?: number) {
    const [deps, checked] = rules(instance(crashAt), target);
    const record = await deps.buckets.get(BUCKET);
    if (!record) return;
    await runTask(deps, checked, [record], { registered: new Set(), signal: NEVER_STOP });
  }

  async function trim(entries: number) {
    const deps = instance();
    const log = await publishChanges(deps, BUCKET, {}).catch(() => undefined);
    // Far too early, so that the target may not have been notified.
    const early = { ...deps, retentionSeconds: -1 };
    if (log) await trimBucket(early, log.record, log.stats, { entries });
  }

  async function recreateBucket(times: number) {
    const deps = ports(instance());
    for (let time = 0; time < times; time++) {
      for (const key of KEYS)
        await deleteObject(deps, { bucket: BUCKET, key }, UNCONDITIONAL).catch(() => undefined);
      const record = await deps.buckets.get(BUCKET);
      if (record) await deleteBucket(deps, record).catch(() => undefined);
      await createBucket(deps, BUCKET).catch(() => undefined);
    }
  }

  /**
   * The writers are done, the janitor fills gaps, the target accepts everything, and sweeps run.
   */
  async function settle() {
    const record = await world.buckets.get(BUCKET);
    if (record?.closingAt) await world.buckets.reopen(record);
    await publishChanges(world, BUCKET, { fillAllGaps: true });
    saveHistory();
    const [deps, checked] = rules(world, target);
    for (let count = 0; count < 50; count++) {
      world.clock.advance(HOUR_MS);
      await s.waitFor(sweep(deps, [checked], NEVER_STOP));
      const tasks = world.state.targetTasks.splice(0);
      if (tasks.length === 0) return;
      for (const { buckets } of tasks) {
        const options = { registered: new Set<string>(), signal: NEVER_STOP };
        await s.waitFor(runTask(deps, checked, buckets, options));
      }
    }
    throw new Error('the target is still behind after 50 sweeps');
  }

  function check() {
    for (const [id, kept] of history) {
      const log = [...kept.values()].sort((a, b) => a.cursor - b.cursor);
      expect(log.map(({ cursor }) => cursor)).toEqual(log.map((_, index) => index + 1));
      const received = receiver.buckets.get(id);
      expect(received?.cursor ?? 0).toBe(log.length);
      const lost = new Set(received?.lost);
      const expected = log
        .filter(({ type, cursor }) => type !== 'noop' && !lost.has(cursor))
        .map(({ cursor }) => cursor);
      expect(received?.applied ?? []).toEqual(expected);
      for (const cursor of lost) expect(world.state.changesOf(id).has(cursor)).toBe(false);
    }
  }
}

const RUNS = 400;

test('a target receives exactly the log when each cursor is counted once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), plan, (s, drawn) => run(s, drawn)),
    { numRuns: RUNS },
  );
}, 120_000);

/**
 * Whether the property fails under a broken rule. It nearly always does within RUNS runs; this
 * allows ten times as many.
 */
async function fails(rules: Rules): Promise<boolean> {
  const result = await fc.check(
    fc.asyncProperty(fc.scheduler(), plan, (s, drawn) => run(s, drawn, rules)),
    { numRuns: RUNS * 10, endOnFailure: true },
  );
  return result.failed;
}

test('the property fails when the cursor moves although the target failed', async () => {
  const ignoringFailures: Rules = (deps, target) => [
    deps,
    {
      ...target,
      send: async (notifications) => {
        await target.send(notifications).catch(() => undefined);
        return notifications.length;
      },
    },
  ];
  expect(await fails(ignoringFailures)).toBe(true);
}, 300_000);

test('the property fails when a cursor in flight is taken for a no-op entry', async () => {
  const fillingGaps: Rules = (deps, target) => {
    const { changeLog } = deps;
    const read = async (id: string, after: number, to: number) => {
      const stored = await changeLog.read(id, after, to);
      return Array.from({ length: to - after }, (_, n): ChangeEntry => {
        const cursor = after + n + 1;
        const made = { type: 'noop' as const, bucket: BUCKET, cursor, at: deps.clock.iso() };
        return stored.find((entry) => entry.cursor === cursor) ?? made;
      });
    };
    const filling = Object.assign(Object.create(changeLog), { read });
    return [{ ...deps, changeLog: filling }, target];
  };
  expect(await fails(fillingGaps)).toBe(true);
}, 300_000);
