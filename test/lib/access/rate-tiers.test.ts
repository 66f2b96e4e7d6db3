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

test.each<[string, Record<string, unknown>, RegExp]>([
  ['a tier that is not an object', { small: 1 }, /^rateTiers.small must be an object, got 1$/],
  ['a tier that is a list', { small: [] }, /^rateTiers.small must be an object, got \[\]$/],
  [
    'a class without limits',
    { small: { read: null } },
    /^rateTiers.small.read must be an object, got null$/,
  ],
  [
    'a rate that is a string',
    { small: { read: { rate: '1', burst: 1 } } },
    /^rateTiers.small.read.rate must be a number from 0.001 to 10000, got 1$/,
  ],
  [
    'a rate without a burst',
    { small: { read: { rate: 1 } } },
    /^rateTiers.small.read.burst must be a number from 1 to 100000, got undefined$/,
  ],
])('parseTiers refuses %s', (_what, value, message) => {
  expect(() => parseTiers(value)).toThrow(message);
});

test('parseTiers returns undefined without tiers', () => {
  expect(parseTiers(undefined)).toBeUndefined();
});
