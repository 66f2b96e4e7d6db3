import { DEFAULT_RATES } from '../../../core/limits';
import { completeTiers, parseTiers } from '../../../lib/access/rate-tiers';

test('completeTiers returns the default tier when no tier is configured', () => {
  expect(completeTiers()).toEqual({ default: DEFAULT_RATES });
});

test('completeTiers keeps how many requests wait at the same time where a tier does not say', () => {
  const { small, few } = completeTiers({
    small: { wait: { rate: 1, burst: 2 } },
    few: { wait: { rate: 1, burst: 2, concurrent: 3 } },
  });
  expect(small?.wait).toEqual({ rate: 1, burst: 2, concurrent: DEFAULT_RATES.wait.concurrent });
  expect(few?.wait).toEqual({ rate: 1, burst: 2, concurrent: 3 });
});

test('completeTiers fills a tier from the configured default tier, and that from DEFAULT_RATES', () => {
  const read = { rate: 7, burst: 8 };
  const list = { rate: 1, burst: 2 };
  expect(completeTiers({ default: { read }, small: { list } })).toEqual({
    default: { ...DEFAULT_RATES, read },
    small: { ...DEFAULT_RATES, read, list },
  });
});

test('parseTiers returns undefined without tiers', () => {
  expect(parseTiers(undefined)).toBeUndefined();
});
