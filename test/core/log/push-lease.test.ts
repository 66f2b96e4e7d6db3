import { isPushLeaseValid, PUSH_LEASE_MS, PushLease } from '../../../core/log/push-lease';
import type { BucketStats } from '../../../core/store/buckets';
import { BUCKET, openBucket } from '../../support/bucket-world';

async function open() {
  const { deps, bucket } = await openBucket();
  const stats = async () => (await deps.buckets.stats(BUCKET)) as BucketStats;
  const extend = jest.spyOn(deps.buckets, 'extendPushLease');
  const lease = new PushLease(deps, 'one');
  const state = () => ({ isHeld: lease.isHeld, isLost: lease.isLost });
  /** Another instance takes the lease when that of the first has expired. */
  const takeOver = async () => {
    deps.clock.advance(PUSH_LEASE_MS + 1);
    expect(await new PushLease(deps, 'other').acquire(bucket, 0)).toBe(true);
  };
  return { deps, bucket, stats, extend, lease, state, takeOver };
}

test.each([
  [-1, false],
  [0, true],
  [2 * PUSH_LEASE_MS, true],
  [2 * PUSH_LEASE_MS + 1, false],
])('a lease that ends %i ms from now is valid: %p', (left, isValid) => {
  expect(isPushLeaseValid(1_000_000 + left, 1_000_000)).toBe(isValid);
});

test('an instance that asked for no lease may push, and has nothing to release', async () => {
  const { lease, extend, state } = await open();
  expect(state()).toEqual({ isHeld: false, isLost: false });
  expect(await lease.keep()).toBe(true);
  await lease.release();
  expect(extend).not.toHaveBeenCalled();
});

test('one of two instances acquires the lease, and each knows who holds it', async () => {
  const { deps, bucket, stats, lease, state } = await open();
  const other = new PushLease(deps, 'other');
  expect(lease.isHeldByAnother(await stats())).toBe(false);
  expect(await lease.acquire(bucket, 0)).toBe(true);
  expect(await other.acquire(bucket, 0)).toBe(false);
  expect(state()).toEqual({ isHeld: true, isLost: false });
  expect([other.isHeld, other.isLost, await other.keep()]).toEqual([false, true, false]);
  expect((await stats()).pushLease).toEqual({
    holder: 'one',
    until: deps.clock.now() + PUSH_LEASE_MS,
  });
  expect(lease.isHeldByAnother(await stats())).toBe(false);
  expect(other.isHeldByAnother(await stats())).toBe(true);
  deps.clock.advance(PUSH_LEASE_MS + 1);
  expect(other.isHeldByAnother(await stats())).toBe(false);
});

test('no instance acquires the lease for entries that are published', async () => {
  const { bucket, lease, state } = await open();
  expect(await lease.acquire(bucket, 1)).toBe(false);
  expect(state()).toEqual({ isHeld: false, isLost: true });
});

test('the holder extends its lease two seconds after it took it, once for all its posts', async () => {
  const { deps, bucket, stats, lease, extend } = await open();
  await lease.acquire(bucket, 0);
  deps.clock.advance(1_999);
  expect(await lease.keep()).toBe(true);
  expect(extend).not.toHaveBeenCalled();
  deps.clock.advance(1);
  expect(await Promise.all([lease.keep(), lease.keep()])).toEqual([true, true]);
  expect(extend).toHaveBeenCalledTimes(1);
  expect((await stats()).pushLease?.until).toBe(deps.clock.now() + PUSH_LEASE_MS);
  expect(await lease.keep()).toBe(true);
  expect(extend).toHaveBeenCalledTimes(1);
  deps.clock.advance(2_000);
  expect(await lease.keep()).toBe(true);
  expect(extend).toHaveBeenCalledTimes(2);
});

test('a holder whose lease another instance has taken stops, and leaves it to that one', async () => {
  const { bucket, stats, lease, extend, state, takeOver } = await open();
  await lease.acquire(bucket, 0);
  await takeOver();
  expect(await lease.keep()).toBe(false);
  expect(state()).toEqual({ isHeld: false, isLost: true });
  expect(await lease.keep()).toBe(false);
  expect(extend).toHaveBeenCalledTimes(1);
  await lease.release();
  expect((await stats()).pushLease?.holder).toBe('other');
});

test('a released lease is free at once, and may be taken again', async () => {
  const { deps, bucket, stats, lease, state } = await open();
  await lease.acquire(bucket, 0);
  await lease.release();
  expect((await stats()).pushLease).toEqual({ holder: 'one', until: 0 });
  expect(state()).toEqual({ isHeld: false, isLost: false });
  expect(await new PushLease(deps, 'other').acquire(bucket, 0)).toBe(true);
  expect(await lease.acquire(bucket, 0)).toBe(false);
  lease.ended();
  expect(state()).toEqual({ isHeld: false, isLost: false });
});
