import { DEFAULT_RATES } from '../../../core/limits';
import { ENV, parseAllowedOrigins, parseRateTiers, parseTexts } from '../../../lambdas/runtime/env';

const original = { ...process.env };
afterEach(() => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, original);
});

test('parseTexts returns a JSON list of strings, and names the variable of any other value', () => {
  expect(parseTexts(ENV.siteShows, '[]')).toEqual([]);
  expect(parseTexts(ENV.siteShows, '["a",""]')).toEqual(['a', '']);
  expect(parseAllowedOrigins('["https://a.example"]')).toEqual(['https://a.example']);
  for (const value of ['{}', '"a"', '["a",7]', '[7,"a"]', '[null]', 'null']) {
    expect(() => parseTexts(ENV.siteShows, value)).toThrow('SITE_SHOWS');
    expect(() => parseAllowedOrigins(value)).toThrow('ALLOWED_ORIGINS');
  }
  expect(() => parseTexts(ENV.siteShows, '')).toThrow(SyntaxError);
});

describe('parseRateTiers', () => {
  const small = { ...DEFAULT_RATES, read: { rate: 1, burst: 2 } };

  test('returns all tiers', () => {
    const tiers = { default: DEFAULT_RATES, small };
    expect(parseRateTiers(JSON.stringify(tiers))).toEqual(tiers);
    expect(parseRateTiers(JSON.stringify({ default: small }))).toEqual({ default: small });
  });

  test.each<[string, object]>([
    ['no tier', {}],
    ['no default tier', { small }],
    ['an empty default tier', { default: {} }],
    ...Object.keys(DEFAULT_RATES).map(
      (name) => [`no ${name}`, { default: { ...small, [name]: undefined } }] as [string, object],
    ),
    ['a rate of 0', { default: { ...small, read: { rate: 0, burst: 2 } } }],
    ['a rate without a number', { default: { ...small, read: {} } }],
  ])('throws for %s', (_, tiers) => {
    expect(() => parseRateTiers(JSON.stringify(tiers))).toThrow('RATE_TIERS');
  });
});
