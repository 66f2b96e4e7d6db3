import { BucketHistory } from '../service/history';
import { Anomalies } from './anomalies';
import { checkExpiries } from './expiry';

/** An object that expires at ten, and was deleted then. */
function anomaliesOf(deletedAt: number): readonly string[] {
  const history = new BucketHistory('b1');
  const live = { state: 'live', key: 'k', cursor: 1, expiresAt: new Date(10).toISOString() };
  const deleted = { state: 'deleted', key: 'k', cursor: 2, cause: 'expired' };
  const entry = { type: 'delete', object: deleted, previous: live, cursor: 2 };
  history.entries[2] = { entry: entry as never, at: deletedAt };
  const anomalies = new Anomalies(() => 0);
  checkExpiries(anomalies, history, []);
  return anomalies.found.map(({ check }) => check);
}

test('an object that expires before its time is an anomaly', () => {
  expect(anomaliesOf(9)).toEqual(['an object never expires before its time']);
  expect(anomaliesOf(10)).toEqual([]);
});
