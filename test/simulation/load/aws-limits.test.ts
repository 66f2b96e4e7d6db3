import type { Commit } from '../../../core/log/ports';
import { AwsLimits } from '../limits/aws-limits';
import { VirtualTime } from '../machine/virtual-time';
import { type LoadOptions, simulateLoad } from './load';
import { figuresOf } from './summary';

const OPTIONS = { splits: 0, stageRate: 10_000 };

/** How many of the calls are admitted, so many a second, after the bursts of two seconds. */
function admittedEachSecond(
  limits: AwsLimits,
  time: VirtualTime,
  { call, rate }: { readonly call: (n: number) => boolean; readonly rate: number },
): number {
  let admitted = 0;
  const [warmUp, measured] = [2, 2];
  for (let n = 0; n < rate * (warmUp + measured); n++) {
    time.now += 1000 / rate;
    const isAdmitted = call(n);
    if (n >= rate * warmUp && isAdmitted) admitted += 1;
  }
  expect(limits.bounds.size).toBeGreaterThan(0);
  return admitted / measured;
}

function commitOf(cursor: number, previous?: { cursor: number }): Commit {
  const object = { key: `k/${cursor}`, cursor, state: 'live' };
  const changes = [{ object, previous }];
  return { bucketId: 'b', changes, at: '', token: '' } as unknown as Commit;
}

test('a counter admits 1,000 allocations a second', () => {
  const time = new VirtualTime();
  const limits = new AwsLimits(time, OPTIONS);
  const call = () =>
    limits.refusalOf('commits.allocate', [{ name: 'photos', id: 'b' }, 1]) === undefined;
  expect(admittedEachSecond(limits, time, { call, rate: 2_000 })).toBeCloseTo(1_000, -1);
});

test.each([
  { splits: 0, most: 500 },
  { splits: 1, most: 1_000 },
])(
  'the records of a bucket admit $most new objects a second after $splits splits',
  ({ splits, most }) => {
    const time = new VirtualTime();
    const limits = new AwsLimits(time, { ...OPTIONS, splits });
    const call = (n: number) => limits.refusalOf('commits.commit', [commitOf(n)]) === undefined;
    const admitted = admittedEachSecond(limits, time, { call, rate: 3 * most });
    expect(admitted / most).toBeGreaterThan(0.9);
    expect(admitted / most).toBeLessThanOrEqual(1.01);
    expect(limits.inOrder[0]?.limit).toBe('DynamoDB, writes of records of the bucket');
  },
);

test('a transaction holds its items against another one, and for milliseconds', () => {
  const time = new VirtualTime();
  const limits = new AwsLimits(time, OPTIONS);
  limits.hold([commitOf(1)]);
  expect(limits.refusalOf('commits.commit', [commitOf(1)])).toBe('conflict');
  expect(limits.refusalOf('commits.commit', [commitOf(2)])).toBeUndefined();
  time.now += 10;
  expect(limits.refusalOf('commits.commit', [commitOf(1)])).toBeUndefined();
});

test('Lambda runs 1,000 functions at once', () => {
  const limits = new AwsLimits(new VirtualTime(), OPTIONS);
  const admitted = Array.from({ length: 1_200 }, () => limits.admitInvocation('api', false));
  expect(admitted.filter((is) => is)).toHaveLength(1_000);
  limits.invocationEnded();
  expect(limits.admitInvocation('api', false)).toBe(true);
});

const LOAD: LoadOptions = {
  ...{ seed: 1, writers: 4, rate: 40, seconds: 2, followers: 2, keys: 1_000, changes: 1 },
  lease: 1,
  ...OPTIONS,
};

test('a bucket below its limits acknowledges every write, and its followers keep up', async () => {
  const report = await simulateLoad(LOAD);
  const { refusals } = figuresOf(report, LOAD);
  expect(report.anomalies).toEqual([]);
  expect(report.bounds).toEqual([]);
  expect(refusals).toEqual({});
  expect(report.changes).toBe(report.outcomes.length);
  expect(report.recovery).toBeLessThan(5_000);
  expect(report.lags.length).toBeGreaterThan(0);
});

test('the same load has the same events', async () => {
  const [first, second] = [await simulateLoad(LOAD), await simulateLoad(LOAD)];
  expect(second.trace).toBe(first.trace);
});

test('writers of one key meet the transactions of each other, and lose nothing', async () => {
  const options = { ...LOAD, keys: 1, seconds: 1, followers: 0 };
  const report = await simulateLoad(options);
  expect(report.anomalies).toEqual([]);
  expect(report.bounds.map(({ limit }) => limit)).toContain('item in a transaction');
  expect(report.retries).toBeGreaterThan(0);
});
