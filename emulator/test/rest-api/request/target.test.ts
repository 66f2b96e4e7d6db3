import { parseTarget } from '../../../src/services/rest-api/request/target';

const pathOf = (raw: string) => {
  const target = parseTarget(raw, 'v1');
  return target && [target.path, target.requestPath];
};

describe('path of the request target', () => {
  test.each([
    ['/', ['/', '/v1/']],
    ['/a/b', ['/a/b', '/v1/a/b']],
    ['/a/b?x', ['/a/b', '/v1/a/b']],
    ['/a/b/', ['/a/b/', '/v1/a/b/']],
    ['/a%20b%2Fc+d', ['/a%20b%2Fc+d', '/v1/a%20b%2Fc+d']],
    ['/a/../b/./c', ['/a/../b/./c', '/v1/a/../b/./c']],
    ['/%2e%2e/x', ['/%2e%2e/x', '/v1/%2e%2e/x']],
    ['/%zz', ['/%zz', '/v1/%zz']],
    // Only the path loses repeated leading slashes.
    ['//a', ['/a', '/v1//a']],
    ['///a//b', ['/a//b', '/v1///a//b']],
    ['//', ['/', '/v1//']],
    ['/a//b', ['/a//b', '/v1/a//b']],
    [
      '/a:b@c;d=e,f!$&\'()*~"<>\\^`{|}',
      ['/a:b@c;d=e,f!$&\'()*~"<>\\^`{|}', '/v1/a:b@c;d=e,f!$&\'()*~"<>\\^`{|}'],
    ],
  ])('is parsed from %s', (raw, expected) => {
    expect(pathOf(raw)).toEqual(expected);
  });

  test.each(['', '*', 'a', 'http://evil/', '/é', '/a b', '/a#b', '/a\u0000', '/\u00ff', '/a\n'])(
    'refuses %j',
    (raw) => {
      expect(parseTarget(raw, 'v1')).toBeUndefined();
    },
  );
});

describe('query of the request target', () => {
  test.each<[string, Record<string, string[]> | null]>([
    ['', null],
    ['?', null],
    ['?&&', null],
    ['?a=1', { a: ['1'] }],
    ['?a', { a: [''] }],
    ['?a=', { a: [''] }],
    ['?a=1&a=2&b=3&a=4', { a: ['1', '2', '4'], b: ['3'] }],
    ['?a=b=c', { a: ['b=c'] }],
    ['?a+b=c+d', { 'a b': ['c d'] }],
    ['?a%2Bb=c%2Bd', { 'a+b': ['c+d'] }],
    ['?a=%26%3D%3B%25', { a: ['&=;%'] }],
    ['?a=%F0%9F%98%80', { a: ['😀'] }],
    ['?a=1;b=2', { a: ['1'], b: ['2'] }],
    ['?a=b?c', { a: ['b?c'] }],
    ['?=v', { '': ['v'] }],
    ['?a=%7B%7C%7D', { a: ['{|}'] }],
  ])('is parsed from %s', (raw, expected) => {
    const query = parseTarget(`/p${raw}`, 'v1')?.query;
    expect(query?.multi === null ? null : { ...query?.multi }).toEqual(expected);
    const last =
      expected && Object.fromEntries(Object.entries(expected).map(([k, v]) => [k, v.at(-1)]));
    expect(query?.single === null ? null : { ...query?.single }).toEqual(last);
  });

  test('may include the name __proto__', () => {
    const query = parseTarget('/p?__proto__=x&constructor=y', 'v1')?.query;
    expect(JSON.stringify(query?.single)).toBe('{"__proto__":"x","constructor":"y"}');
    expect(JSON.stringify(query?.multi)).toBe('{"__proto__":["x"],"constructor":["y"]}');
  });

  test.each(['?a=|', '?{', '?a=}', '?a=%zz', '?a=%', '?%ff', '?a=%C3%28'])('refuses %s', (raw) => {
    expect(parseTarget(`/p${raw}`, 'v1')).toBeUndefined();
  });
});
