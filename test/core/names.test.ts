import fc from 'fast-check';
import { ServiceError } from '../../core/errors';
import {
  afterName,
  afterPrefix,
  clipRange,
  compareNames,
  parseBucketId,
  parseBucketName,
  parseKey,
  parsePrefix,
  percentDecode,
  prefixRange,
} from '../../core/names';

/** Any well-formed text, astral characters and U+10FFFF included. */
const text = fc.string({ unit: 'binary', maxLength: 12 }).filter((s) => s.isWellFormed());

function detailsOf(parse: () => unknown): Readonly<Record<string, unknown>> {
  try {
    return { parsed: parse() };
  } catch (error) {
    return (error instanceof ServiceError && error.details) || { error };
  }
}

const fieldOf = (parse: () => unknown) => detailsOf(parse).field;
const ruleOf = (parse: () => unknown) => detailsOf(parse).rule;

describe('bucket names', () => {
  test.each(['abc', 'a-b', '0-0', 'x'.repeat(63)])('accepts %s', (name) => {
    expect(parseBucketName(name)).toBe(name);
  });

  test.each([
    '',
    'ab',
    'x'.repeat(64),
    '-ab',
    'ab-',
    'a.b',
    'ABC',
    'a_b',
    'a b',
    'äbc',
    'abc\n',
    7,
    null,
    ['abc'],
  ])('rejects %j and names the field', (name) => {
    expect(() => parseBucketName(name, 'name')).toThrow(/^name: must be 3 to 63/);
  });

  test('an absent name is required', () => {
    expect(() => parseBucketName(undefined, 'name')).toThrow(/^name: is required$/);
  });
});

describe('keys', () => {
  test.each([
    'a',
    'a//b',
    '/a',
    'a/',
    ' ',
    '+%?#"',
    'é',
    'e\u0301',
    '\u{1f600}',
    '...',
    'a/.b',
    'k'.repeat(900),
    '\u{1f600}'.repeat(116),
    `${'\u{1f600}'.repeat(116)}kkkkkkkk`,
  ])('accepts %j unchanged', (key) => {
    expect(parseKey(key)).toBe(key);
  });

  test.each([
    ['', 'empty'],
    ['a\u0000', 'control'],
    ['a\u001f', 'control'],
    ['a\u007f', 'control'],
    ['k'.repeat(901), '900 bytes'],
    ['\u{1f600}'.repeat(117), '1400 characters percent-encoded'],
    ['€'.repeat(300), '1400 characters percent-encoded'],
    ['.', 'segment'],
    ['a/../b', 'segment'],
    ['a/.', 'segment'],
    ['\ud800', 'Unicode'],
    [1, 'empty'],
  ])('rejects %j', (key, rule) => {
    expect(() => parseKey(key)).toThrow(rule);
  });
});

test.each(['0123456789ab', 'abcdefABCDEF'])('the bucket id %s is accepted', (id) => {
  expect(parseBucketId(id)).toBe(id);
});

test.each([
  '0123456789a',
  '0123456789abc',
  '0123456789a-',
  ' 0123456789ab',
  '',
  7,
  undefined,
  null,
])('the bucket id %j is refused', (id) => {
  expect(fieldOf(() => parseBucketId(id))).toBe('bucket_id');
});

test.each(['', 'a/', '..', '\u0000', 'k'.repeat(900), '\u00e9'.repeat(450)])(
  'the prefix %j is accepted',
  (prefix) => {
    expect(parsePrefix(prefix)).toBe(prefix);
  },
);

test.each(['k'.repeat(901), '\u00e9'.repeat(451), '\ud800', 7, undefined, ['a']])(
  'the prefix %j is refused',
  (prefix) => {
    expect(fieldOf(() => parsePrefix(prefix))).toBe('prefix');
  },
);

describe('percent-decoding', () => {
  test.each([
    ['a%20b', 'a b'],
    ['a%2Fb', 'a/b'],
    ['%41bc', 'Abc'],
    ['a+b', 'a+b'],
    ['%25%32%35', '%25'],
    ['%F0%9F%98%80', '\u{1f600}'],
    ['%EF%BB%BFx', '\ufeffx'],
    ['plain', 'plain'],
  ])('decodes %s to %s', (raw, decoded) => {
    expect(percentDecode(raw, 'key')).toBe(decoded);
  });

  test.each(['%', '%4', '%zz', 'a%', '%4g', '%g4', '%41%'])('rejects the escape %s', (raw) => {
    expect(ruleOf(() => percentDecode(raw, 'key'))).toBe('has a malformed percent-escape');
  });

  test.each(['%ff', '%c3', '%ed%a0%80', '%c0%af'])('rejects the bytes %s', (raw) => {
    const details = { field: 'key', rule: 'must be percent-encoded UTF-8' };
    expect(() => percentDecode(raw, 'key')).toThrow(
      expect.objectContaining({ details, cause: expect.objectContaining({ name: 'TypeError' }) }),
    );
  });

  test.each([
    ['\u{1f600}%20\u00e9', '\u{1f600} \u00e9'],
    ['%2525', '%25'],
    ['%0A%0a', '\n\n'],
    ['', ''],
    // What is no Unicode is left to the parser of keys.
    ['\ud800', '\ud800'],
  ])('decodes %j to %j', (raw, decoded) => {
    expect(percentDecode(raw, 'key')).toBe(decoded);
  });

  test('reverses encodeURIComponent exactly once', () => {
    fc.assert(
      fc.property(text, (s) => {
        expect(percentDecode(encodeURIComponent(s), 'key')).toBe(s);
        expect(percentDecode(encodeURIComponent(encodeURIComponent(s)), 'key')).toBe(
          encodeURIComponent(s),
        );
      }),
    );
  });
});

describe('order and ranges', () => {
  test('compareNames orders names by their UTF-8 bytes', () => {
    expect(compareNames('\uffff', '\u{10000}')).toBeLessThan(0);
    fc.assert(
      fc.property(text, text, (a, b) => {
        const expected = Buffer.compare(Buffer.from(a), Buffer.from(b));
        expect(Math.sign(compareNames(a, b))).toBe(expected);
      }),
    );
  });

  test('prefixRange contains exactly the names that begin with the prefix', () => {
    fc.assert(
      fc.property(text, text, (prefix, name) => {
        const { from, before } = prefixRange(prefix);
        const inside =
          compareNames(name, from) >= 0 && (before === undefined || compareNames(name, before) < 0);
        expect(inside).toBe(name.startsWith(prefix));
      }),
    );
  });

  test.each([
    ['a/', 'a0'],
    ['', undefined],
    ['a\u{10ffff}', 'b'],
    ['\u{10ffff}', undefined],
    ['\ud7ff', '\ue000'],
    ['a\u{10fffe}', 'a\u{10ffff}'],

    ['b\u{10ffff}\u{10ffff}', 'c'],
    ['a\u{1f600}', 'a\u{1f601}'],
  ])('afterPrefix of %j is %j', (prefix, after) => {
    expect(afterPrefix(prefix)).toBe(after);
  });

  test.each([
    ['b', { from: 'a', before: 'b' }, undefined],
    ['c', { from: 'a', before: 'b' }, undefined],
    ['a', { from: 'a', before: 'b' }, { from: 'a', before: 'b' }],
    ['', { from: 'a', before: 'b' }, { from: 'a', before: 'b' }],
    ['aa', { from: 'a', before: 'b' }, { from: 'aa', before: 'b' }],
    ['\u{10ffff}', { from: 'a' }, { from: '\u{10ffff}', before: undefined }],
  ])('clipRange from %j on makes of %j the range %j', (from, range, clipped) => {
    expect(clipRange(range, from)).toEqual(clipped);
  });

  test('afterName leaves no name between a name and the next one', () => {
    fc.assert(
      fc.property(text, text, (name, other) => {
        const between = compareNames(other, name) > 0 && compareNames(other, afterName(name)) < 0;
        expect(between).toBe(false);
      }),
    );
  });

  test('clipRange keeps the names at or above a name', () => {
    fc.assert(
      fc.property(text, text, text, (prefix, from, name) => {
        const range = prefixRange(prefix);
        const clipped = clipRange(range, from);
        const inside =
          clipped !== undefined &&
          compareNames(name, clipped.from) >= 0 &&
          (clipped.before === undefined || compareNames(name, clipped.before) < 0);
        expect(inside).toBe(name.startsWith(prefix) && compareNames(name, from) >= 0);
      }),
    );
  });
});
