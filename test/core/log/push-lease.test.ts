import { isPushLeaseValid, PUSH_LEASE_MS } from '../../../core/log/push-lease';

test.each([
  [-1, false],
  [0, true],
  [2 * PUSH_LEASE_MS, true],
  [2 * PUSH_LEASE_MS + 1, false],
])('a lease that ends %i ms from now is valid: %p', (left, isValid) => {
  expect(isPushLeaseValid(1_000_000 + left, 1_000_000)).toBe(isValid);
});
