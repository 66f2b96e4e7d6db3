import { DEFAULT_RATES } from '../../../core/limits';
import { completeTiers, parseTiers } from '../../../lib/access/rate-tiers';

test('without any tier there is the default', () => {
  expect(completeTiers()).toEqual({ default: DEFAULT_RATES });
});

test('what a tier leaves out is as in the deployment’s default, and what that leaves out as in ours', () => {
  const read = { rate: 7, burst: 8 };
  const list = { rate: 1, burst: 2 };
  expect(completeTiers({ default: { read }, small: { list } })).toEqual({
    default: { ...DEFAULT_RATES, read },
    small: { ...DEFAULT_RATES, read, list },
  });
});

test.each<[string, Record<string, unknown>, RegExp]>([
  ['a tier that is no object', { small: 1 }, /^rateTiers.small must be an object, got 1$/],
  ['a tier that is a list', { small: [] }, /^rateTiers.small must be an object, got \[\]$/],
  [
    'a class without limits',
    { small: { read: null } },
    /^rateTiers.small.read must be an object, got null$/,
  ],
  [
    'a rate in a text',
    { small: { read: { rate: '1', burst: 1 } } },
    /^rateTiers.small.read.rate must be a number from 0.001 to 10000, got 1$/,
  ],
  [
    'no burst',
    { small: { read: { rate: 1 } } },
    /^rateTiers.small.read.burst must be a number from 1 to 100000, got undefined$/,
  ],
])('%s is refused', (_what, value, message) => {
  expect(() => parseTiers(value)).toThrow(message);
});

test('tiers are optional', () => {
  expect(parseTiers(undefined)).toBeUndefined();
});
