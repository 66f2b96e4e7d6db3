/** The janitor's tasks in the time of its function, on the fakes. */
import type { Context } from 'aws-lambda';
import { createJanitor } from '../../lambdas/janitor/app';
import { liveKeys, MINUTE } from '../core/maintenance/expiry/world';
import { BUCKET, DAY, openBucket, put } from '../support/bucket-world';

const FUNCTION_MS = 15 * MINUTE;

test('rules are applied although more expires than a run has time for', async () => {
  const { deps, bucket } = await openBucket();
  const rules = [{ prefix: '', expireAfterDays: 1 }];
  await deps.buckets.setLifecycle({ name: BUCKET, rules }, deps.clock.iso());
  await put(deps, 'a', 'x');
  deps.clock.advance(2 * DAY);
  const began = deps.clock.now();
  const due = deps.objects.due.bind(deps.objects);
  jest.spyOn(deps.objects, 'due').mockImplementation((...parameters) => {
    deps.clock.advance(MINUTE);
    return due(...parameters);
  });
  const getRemainingTimeInMillis = () => began + FUNCTION_MS - deps.clock.now();
  const context: Pick<Context, 'getRemainingTimeInMillis'> = { getRemainingTimeInMillis };
  await createJanitor(deps)({ task: 'expiry' }, context as Context);
  jest.restoreAllMocks();
  expect(liveKeys(deps, bucket.id)).toEqual([]);
  expect(getRemainingTimeInMillis()).toBeGreaterThan(0);
});
