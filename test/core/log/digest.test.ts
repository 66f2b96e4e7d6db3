import { canonicalJson } from '../../../core/log/digest';

test.each([
  [null, 'null'],
  ['a"', '"a\\""'],
  [1, '1'],
  [[2, [true]], '[2,[true]]'],
  [{ b: 1, a: { d: [], c: 'x' } }, '{"a":{"c":"x","d":[]},"b":1}'],
  [{ a: 1, c: 3, b: 2 }, '{"a":1,"b":2,"c":3}'],
  [{ b: undefined, a: null }, '{"a":null}'],
  [{}, '{}'],
])('canonicalJson of %j is %s', (value, text) => {
  expect(canonicalJson(value)).toBe(text);
});
