import { Anomalies } from '../records/anomalies';
import { History } from '../records/history';
import { checkExpiries } from './expiry';

const DAY_MS = 86_400_000;
const RULES = [{ prefix: '', expireAfterDays: 1 }];

interface Case {
  readonly deletedAt: number;
  readonly expiresAt?: number;
  /** When a rule of one day was set, and removed. */
  readonly ruled?: readonly [number, number];
}

/** An object that was put at 0. */
function anomaliesOf({ deletedAt, expiresAt, ruled }: Case): readonly string[] {
  const anomalies = new Anomalies(() => 0);
  const history = new History(anomalies);
  const live = {
    ...{ state: 'live', key: 'k', version: 1, cursor: 1, updatedAt: new Date(0).toISOString() },
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
  };
  const deleted = { state: 'deleted', key: 'k', version: 2, cursor: 2, cause: 'expired' };
  history.record('b1', { type: 'put', object: live, cursor: 1 } as never, 0);
  const deletion = { type: 'delete', object: deleted, previous: live, cursor: 2 };
  history.record('b1', deletion as never, deletedAt);
  const bucket = history.of('b1');
  if (ruled) bucket.rules.push({ rules: RULES, at: ruled[0] }, { rules: [], at: ruled[1] });
  checkExpiries(anomalies, bucket, []);
  return anomalies.found.map(({ check }) => check);
}

test('an object that expires before its time is an anomaly', () => {
  const early = ['an object never expires before its time'];
  expect(anomaliesOf({ deletedAt: 9, expiresAt: 10 })).toEqual(early);
  expect(anomaliesOf({ deletedAt: 10, expiresAt: 10 })).toEqual([]);
  expect(anomaliesOf({ deletedAt: DAY_MS - 1, ruled: [0, 2 * DAY_MS] })).toEqual(early);
  expect(anomaliesOf({ deletedAt: DAY_MS, ruled: [0, 2 * DAY_MS] })).toEqual([]);
});

test('an object that a removed rule deletes is an anomaly', () => {
  expect(anomaliesOf({ deletedAt: DAY_MS + 2, ruled: [0, DAY_MS + 1] })).toEqual([
    'a rule deletes while it holds, and nothing afterwards',
  ]);
});
