import { FailureCollector } from '../../core/failure-collector';
import { FakeLog } from '../support/fakes/fake-log';

test('FailureCollector runs every task, logs each failure, and names the failed subjects at the end', async () => {
  const log = new FakeLog();
  const failures = new FailureCollector(log, 'bucket_failed');
  const error = new Error('throttled');
  expect(await failures.run('a', { bucket: 'a' }, () => Promise.reject(error))).toBe(false);
  expect(await failures.run('b', { bucket: 'b' }, async () => 'done')).toBe(true);
  expect(log.lines).toEqual([
    { level: 'error', event: 'bucket_failed', fields: { bucket: 'a', error } },
  ]);
  expect(() => failures.throwIfAny()).toThrow('failed for a');
});

test('FailureCollector throws nothing when every task succeeded', async () => {
  const failures = new FailureCollector(new FakeLog(), 'bucket_failed');
  await failures.run('a', {}, async () => undefined);
  expect(() => failures.throwIfAny()).not.toThrow();
});
