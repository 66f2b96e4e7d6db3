/**
 * Random histories of single writes, commits, copies, moves, deletions, deletions by prefix,
 * restores and trims, by processes that die or lose their connection at any operation of a port;
 * and a death at every operation of each kind. Whatever a page, a channel, a copy or an earlier
 * state shows is whole commits, and what the log says.
 */
import fc from 'fast-check';
import { publishChanges } from '../../../core/log/publish';
import { trimBucket } from '../../../core/log/trim';
import { reconcile } from '../../../core/maintenance/reconcile';
import { NEVER_STOP } from '../../../core/stop-signal';
import { BUCKET, DAY } from '../../support/bucket-world';
import { waitIdle } from '../../support/fakes/wait-idle';
import { statsOf } from '../../support/histories';
import { Follower, fanOut, judge, judgeStates, readOn, type Shown, stateAt } from './whole-readers';
import { Bucket, type Fault, fault, isFault, KEYS, type Op, op, type Tally } from './whole-world';

interface Actor {
  readonly ops: readonly Op[];
  readonly fault?: Fault;
}

interface Round {
  readonly actors: readonly Actor[];
  /** That pass before the log is trimmed; 0: it is not trimmed. */
  readonly days: number;
  /** Of the janitor that trims. */
  readonly fault?: Fault;
}

const actor = fc.record(
  { ops: fc.array(op, { minLength: 1, maxLength: 2 }), fault },
  { requiredKeys: ['ops'] },
);
const round: fc.Arbitrary<Round> = fc.record(
  {
    actors: fc.array(actor, { minLength: 1, maxLength: 3 }),
    days: fc.constantFrom(0, 0, 4, 8),
    fault,
  },
  { requiredKeys: ['actors', 'days'] },
);
const rounds = fc.array(round, { minLength: 1, maxLength: 3 });

const newTally = (): Tally => ({
  ...{ commits: 0, crashes: 0, raced: 0, restored: 0 },
  ...{ states: 0, trimmed: 0, shown: 0, agreed: 0 },
});

/** Fills the gaps of the dead and publishes everything, as the janitor does. */
async function settle(bucket: Bucket, followers: readonly Follower[]): Promise<void> {
  const { deps } = bucket;
  await publishChanges(deps, BUCKET, { fillAllGaps: true });
  const { published } = await statsOf(deps);
  for (const follower of followers) {
    while (follower.cursor < published) await follower.read(deps, 100);
  }
  bucket.remember();
}

async function trim(bucket: Bucket, { days, fault: met }: Omit<Round, 'actors'>): Promise<void> {
  bucket.deps.clock.advance(days * DAY);
  const deps = bucket.process(met);
  try {
    bucket.tally.trimmed += await trimBucket(deps, bucket.record, await statsOf(deps), {
      entries: 1000,
    });
  } catch (error) {
    if (!isFault(error)) throw error;
  }
}

/** Two days later the reconciler removes what no version names, and every version has its bytes. */
async function judgeAll(bucket: Bucket, shown: readonly Shown[]): Promise<void> {
  const { deps, record, log } = bucket;
  judge(bucket, shown);
  await judgeStates(bucket);
  const clock = Object.assign(Object.create(deps.clock) as typeof deps.clock, {
    now: () => deps.clock.now() + 2 * DAY,
  });
  while ((await reconcile({ ...deps, clock }, NEVER_STOP)) !== 'complete');
  await judgeStates(bucket);
  const { published, objectCount } = await statsOf(deps);
  const now = stateAt(log, published);
  const live = [...deps.state.objectsOf(record.id).values()].filter(
    ({ state }) => state === 'live',
  );
  expect(live.map(({ key }) => key).sort()).toEqual([...now.keys()].sort());
  expect(objectCount).toBe(now.size);
}

test('readers, channels, copies and earlier states show whole commits in every history', async () => {
  const tally = newTally();
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), rounds, async (s, history) => {
      let isSettled = true;
      const turn = async () => {
        if (!isSettled) await s.schedule(Promise.resolve());
      };
      const bucket = await Bucket.open(turn, tally);
      const shown: Shown[] = [];
      const [reader, channel] = [new Follower(bucket, shown), new Follower(bucket, shown)];
      for (const { actors, ...rest } of history) {
        isSettled = false;
        const all = [
          ...actors.map((one) => bucket.act(bucket.process(one.fault), one.ops)),
          readOn(bucket, reader, shown),
          fanOut(bucket, channel),
          fanOut(bucket, channel),
        ];
        await waitIdle(s);
        await Promise.all(all);
        isSettled = true;
        await settle(bucket, [reader, channel]);
        if (rest.days > 0) await trim(bucket, rest);
      }
      await judgeAll(bucket, shown);
    }),
    { numRuns: 200 },
  );
  // About half of what 200 histories make, so that a run which misses its subject fails.
  const least: Tally = {
    ...{ commits: 80, crashes: 150, raced: 20, restored: 15 },
    ...{ states: 1000, trimmed: 150, shown: 1000, agreed: 300 },
  };
  for (const [name, count] of Object.entries(least)) {
    expect([name, Math.min(tally[name as keyof Tally], count)]).toEqual([name, count]);
  }
});

const commit = (ops: (Op & { kind: 'commit' })['ops'], behind?: number): Op => ({
  ...{ kind: 'commit', keys: [...KEYS], ops },
  ...(behind !== undefined && { behind }),
});

test.each<[string, Op]>([
  ['put', { kind: 'put', key: 'a' }],
  ['deletion', { kind: 'delete', key: 'a' }],
  ['commit of puts, copies and deletions', commit(['put', 'copy', 'delete', 'copy'])],
  ['commit of a move and patches', commit(['move', 'patch', 'patch'])],
  ['commit with if_cursor', commit(['copy', 'delete', 'put', 'patch'], 0)],
  ['deletion by prefix', { kind: 'deletePrefix', prefix: '' }],
  ['restore', { kind: 'restore', back: 4, prefix: '' }],
])('a death at any operation of a %s leaves whole commits', async (_name, one) => {
  for (const kind of ['killed', 'disconnected'] as const) {
    const points = await everyMoment(async (at, bucket) => {
      const shown: Shown[] = [];
      const follower = new Follower(bucket, shown);
      await bucket.act(bucket.deps, [commit(['patch', 'copy', 'delete', 'put'])]);
      await settle(bucket, [follower]);
      await bucket.act(bucket.process({ at, kind }), [one]);
      await settle(bucket, [follower]);
      await bucket.act(bucket.deps, [one, commit(['copy', 'patch', 'put', 'delete'])]);
      await settle(bucket, [follower]);
      await judgeAll(bucket, shown);
    });
    expect(points).toBeGreaterThanOrEqual(6);
  }
});

test('a death at any operation of a trim leaves every retained version with its bytes', async () => {
  const points = await everyMoment(async (at, bucket) => {
    const shown: Shown[] = [];
    const follower = new Follower(bucket, shown);
    await bucket.act(bucket.deps, [commit(['move', 'patch', 'delete'])]);
    await settle(bucket, [follower]);
    bucket.deps.clock.advance(4 * DAY);
    await bucket.act(bucket.deps, [commit(['put', 'copy', 'patch', 'put'])]);
    await settle(bucket, [follower]);
    await trim(bucket, { days: 4, fault: { at, kind: 'killed' } });
    await judgeAll(bucket, shown);
    await trim(bucket, { days: 0 });
    await judgeAll(bucket, shown);
    expect((await statsOf(bucket.deps)).oldest).toBeGreaterThan(1);
  });
  expect(points).toBeGreaterThanOrEqual(12);
});

/** Runs the history with a fault at moment 1, 2, 3 … until none is met; returns how many are. */
async function everyMoment(
  history: (at: number, bucket: Bucket) => Promise<void>,
): Promise<number> {
  for (let at = 1; ; at++) {
    const bucket = await Bucket.open(async () => undefined, newTally());
    await history(at, bucket);
    if (bucket.tally.crashes === 0) return at - 1;
  }
}
