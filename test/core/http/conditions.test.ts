import {
  evaluateConditions,
  hasConditions,
  rangeApplies,
  requireConditions,
} from '../../../core/http/conditions';
import type { LiveObject } from '../../../core/store/objects';

const current = { etag: 'abc', updatedAt: '2026-11-20T10:00:00.500Z' };
const SAME = 'Fri, 20 Nov 2026 10:00:00 GMT';
const BEFORE = 'Fri, 20 Nov 2026 09:59:59 GMT';

const lookup = (headers: Record<string, string>) => (name: string) => headers[name];

describe('reads', () => {
  test.each([
    [{}, 'proceed'],
    [{ 'if-none-match': '"abc"' }, 'not_modified'],
    [{ 'if-none-match': 'W/"abc"' }, 'not_modified'],
    [{ 'if-none-match': '"x", "abc"' }, 'not_modified'],
    [{ 'if-none-match': '*' }, 'not_modified'],
    [{ 'if-none-match': '"x"' }, 'proceed'],
    [{ 'if-match': '"abc"' }, 'proceed'],
    [{ 'if-match': '"x", "abc"' }, 'proceed'],
    [{ 'if-match': '*' }, 'proceed'],
    [{ 'if-match': '"x"' }, 'If-Match'],
    // §13.1.1: If-Match compares strongly.
    [{ 'if-match': 'W/"abc"' }, 'If-Match'],
    [{ 'if-modified-since': SAME }, 'not_modified'],
    [{ 'if-modified-since': BEFORE }, 'proceed'],
    [{ 'if-modified-since': 'yesterday' }, 'proceed'],
    [{ 'if-modified-since': '1' }, 'proceed'],
    // RFC 9110 §5.6.7: a date begins with the name of its day.
    [{ 'if-modified-since': '20 Nov 2026 10:00:00 GMT' }, 'proceed'],
    [{ 'if-modified-since': '1 Fri, 20 Nov 2026 10:00:00 GMT' }, 'proceed'],
    [{ 'if-modified-since': 'fri, 20 Nov 2026 10:00:00 GMT' }, 'proceed'],
    [{ 'if-modified-since': 'FRI, 20 Nov 2026 10:00:00 GMT' }, 'proceed'],
    [{ 'if-modified-since': 'Fr, 20 Nov 2026 10:00:00 GMT' }, 'proceed'],
    [{ 'if-modified-since': 'Fri, 99 Nov 2026 10:00:00 GMT' }, 'proceed'],
    [{ 'if-unmodified-since': 'Fri, 99 Nov 2026 10:00:00 GMT' }, 'proceed'],
    // A day that does not exist is no date, and an invalid date is no condition.
    [{ 'if-modified-since': 'Mon, 30 Feb 2027 10:00:00 GMT' }, 'proceed'],
    [{ 'if-unmodified-since': 'Sun, 31 Apr 2022 10:00:00 GMT' }, 'proceed'],
    // The obsolete forms of §5.6.7.
    [{ 'if-modified-since': 'Friday, 20-Nov-26 10:00:00 GMT' }, 'not_modified'],
    [{ 'if-modified-since': 'Friday, 20-Nov-26 09:59:59 GMT' }, 'proceed'],
    [{ 'if-modified-since': 'Fri Nov 20 10:00:00 2026' }, 'not_modified'],
    [{ 'if-unmodified-since': 'Fri Nov  6 10:00:00 2026' }, 'If-Unmodified-Since'],
    [{ 'if-match': ' * ' }, 'proceed'],
    [{ 'if-unmodified-since': SAME }, 'proceed'],
    [{ 'if-unmodified-since': BEFORE }, 'If-Unmodified-Since'],
    // §13.2.2: the tag decides where both are sent.
    [{ 'if-none-match': '"x"', 'if-modified-since': SAME }, 'proceed'],
    [{ 'if-match': '"abc"', 'if-unmodified-since': BEFORE }, 'proceed'],
    [{ 'if-match': '"x"', 'if-none-match': '"abc"' }, 'If-Match'],
  ])('evaluates %j to %s', (headers: Record<string, string>, outcome) => {
    expect(evaluateConditions(lookup(headers), current, true)).toBe(outcome);
  });
});

test.each([
  [{}, 'proceed'],
  [{ 'if-match': '*' }, 'If-Match'],
  [{ 'if-none-match': '*' }, 'proceed'],
  [{ 'if-modified-since': SAME }, 'proceed'],
  [{ 'if-unmodified-since': BEFORE }, 'proceed'],
])('reads of no object evaluate %j to %s', (headers: Record<string, string>, outcome) => {
  expect(evaluateConditions(lookup(headers), undefined, true)).toBe(outcome);
});

describe('writes', () => {
  test.each([
    [{ 'if-none-match': '*' }, undefined, 'proceed'],
    [{ 'if-none-match': '*' }, current, 'If-None-Match'],
    [{ 'if-none-match': '"abc"' }, current, 'If-None-Match'],
    [{ 'if-none-match': '"x"' }, current, 'proceed'],
    [{ 'if-match': '*' }, undefined, 'If-Match'],
    [{ 'if-match': '*' }, current, 'proceed'],
    [{ 'if-match': '"abc"' }, undefined, 'If-Match'],
    [{ 'if-modified-since': SAME }, current, 'proceed'],
    [{ 'if-unmodified-since': BEFORE }, undefined, 'proceed'],
  ])('evaluates %j for the object %j to %s', (headers: Record<string, string>, object, outcome) => {
    expect(evaluateConditions(lookup(headers), object, false)).toBe(outcome);
  });

  const object = { ...current, version: 3 } as LiveObject;

  test('an error of a condition names it, and the etag and version that it was compared with', () => {
    expect(() => requireConditions(lookup({ 'if-match': '"x"' }), object, true)).toThrow(
      expect.objectContaining({
        status: 412,
        message: 'If-Match does not hold: the object has the etag "abc" and version 3',
        details: { header: 'If-Match', etag: 'abc', version: 3 },
      }),
    );
    expect(() => requireConditions(lookup({ 'if-match': '*' }), undefined, true)).toThrow(
      expect.objectContaining({
        message: 'If-Match does not hold: there is no such object',
        details: { header: 'If-Match' },
      }),
    );
    expect(() => requireConditions(lookup({ 'if-match': '"abc"' }), object, true)).not.toThrow();
  });

  test('an error of a condition shows nothing of the object to a caller that may not read it', () => {
    expect(() => requireConditions(lookup({ 'if-none-match': '*' }), object, false)).toThrow(
      expect.objectContaining({
        status: 412,
        message: 'If-None-Match does not hold',
        details: { header: 'If-None-Match' },
      }),
    );
  });

  test('recognizes the headers that are conditions of a write', () => {
    expect(hasConditions(lookup({ 'if-match': '"x"' }))).toBe(true);
    expect(hasConditions(lookup({ 'if-none-match': '*' }))).toBe(true);
    expect(hasConditions(lookup({ 'if-unmodified-since': SAME }))).toBe(true);
    expect(hasConditions(lookup({ 'if-modified-since': SAME }))).toBe(false);
  });
});

test.each(['abc', '', 'x"abc"', '"abc', '"a" "b"', '"a",,"b', 'W/abc', '"a"b"', '"a"  x'])(
  'rejects the malformed entity tag %j with 400',
  (value) => {
    expect(() => evaluateConditions(lookup({ 'if-match': value }), current, true)).toThrow(
      expect.objectContaining({ status: 400 }),
    );
  },
);

test.each([
  '"a" , W/"b",',
  '"a",  ',
  '"a","b"',
  '"a" ,',
  '\t"a"',
  `"${'a'.repeat(1022)}"`,
  ` ${Array.from({ length: 26 }, () => `"${'0'.repeat(32)}"`).join(', ')}`,
])('accepts the list %j', (value) => {
  expect(evaluateConditions(lookup({ 'if-none-match': value }), current, true)).toBe('proceed');
});

test('rejects a list of more than 1,024 characters with 400', () => {
  const long = `"${'a'.repeat(1023)}"`;
  expect(() => evaluateConditions(lookup({ 'if-match': long }), current, true)).toThrow(
    expect.objectContaining({ status: 400, message: 'If-Match: must be at most 1024 characters' }),
  );
});

test.each([
  [{}, true],
  [{ 'if-range': '"abc"' }, true],
  [{ 'if-range': '"x"' }, false],
  [{ 'if-range': 'W/"abc"' }, false],
  [{ 'if-range': SAME }, false],
  [{ 'if-range': BEFORE }, false],
  [{ 'if-range': 'nonsense' }, false],
])(
  'decides for the headers %j whether the Range applies: %s',
  (headers: Record<string, string>, applies) => {
    expect(rangeApplies(lookup(headers), current)).toBe(applies);
  },
);
