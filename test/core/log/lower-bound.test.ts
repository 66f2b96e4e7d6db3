import fc from 'fast-check';
import { lowerBound } from '../../../core/log/lower-bound';

test('lowerBound returns the first cursor at which the predicate holds', async () => {
  const bounds = fc.tuple(fc.nat(1000), fc.nat(1000), fc.nat(2000));
  await fc.assert(
    fc.asyncProperty(bounds, async ([from, length, first]) => {
      const end = from + length;
      let calls = 0;
      const found = await lowerBound(from, end, async (cursor) => {
        calls += 1;
        expect(cursor).toBeGreaterThanOrEqual(from);
        expect(cursor).toBeLessThan(end);
        return cursor >= first;
      });
      expect(found).toBe(Math.min(Math.max(first, from), end));
      expect(calls).toBeLessThanOrEqual(Math.ceil(Math.log2(length + 1)));
    }),
  );
});
