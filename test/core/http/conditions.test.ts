import {
  evaluateConditions,
  hasConditions,
  rangeApplies,
  requireConditions,
} from '../../../core/http/conditions';

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
    [{ 'if-match': '*' }, 'proceed'],
    [{ 'if-match': '"x"' }, 'precondition_failed'],
    // §13.1.1: If-Match compares strongly.
    [{ 'if-match': 'W/"abc"' }, 'precondition_failed'],
    [{ 'if-modified-since': SAME }, 'not_modified'],
    [{ 'if-modified-since': BEFORE }, 'proceed'],
    [{ 'if-modified-since': 'yesterday' }, 'proceed'],
    [{ 'if-modified-since': '1' }, 'proceed'],
    [{ 'if-unmodified-since': SAME }, 'proceed'],
    [{ 'if-unmodified-since': BEFORE }, 'precondition_failed'],
    // §13.2.2: the tag decides where both are sent.
    [{ 'if-none-match': '"x"', 'if-modified-since': SAME }, 'proceed'],
    [{ 'if-match': '"abc"', 'if-unmodified-since': BEFORE }, 'proceed'],
    [{ 'if-match': '"x"', 'if-none-match': '"abc"' }, 'precondition_failed'],
  ])('evaluates %j to %s', (headers: Record<string, string>, outcome) => {
    expect(evaluateConditions(lookup(headers), current, true)).toBe(outcome);
  });
});

describe('writes', () => {
  test.each([
    [{ 'if-none-match': '*' }, undefined, 'proceed'],
    [{ 'if-none-match': '*' }, current, 'precondition_failed'],
    [{ 'if-none-match': '"abc"' }, current, 'precondition_failed'],
    [{ 'if-none-match': '"x"' }, current, 'proceed'],
    [{ 'if-match': '*' }, undefined, 'precondition_failed'],
    [{ 'if-match': '*' }, current, 'proceed'],
    [{ 'if-match': '"abc"' }, undefined, 'precondition_failed'],
    [{ 'if-modified-since': SAME }, current, 'proceed'],
    [{ 'if-unmodified-since': BEFORE }, undefined, 'proceed'],
  ])('evaluates %j for the object %j to %s', (headers: Record<string, string>, object, outcome) => {
    expect(evaluateConditions(lookup(headers), object, false)).toBe(outcome);
  });

  test('throws 412 when a condition does not hold', () => {
    expect(() => requireConditions(lookup({ 'if-match': '"x"' }), current)).toThrow(
      expect.objectContaining({ status: 412 }),
    );
    expect(() => requireConditions(lookup({ 'if-match': '"abc"' }), current)).not.toThrow();
  });

  test('recognizes the headers that are conditions of a write', () => {
    expect(hasConditions(lookup({ 'if-match': '"x"' }))).toBe(true);
    expect(hasConditions(lookup({ 'if-unmodified-since': SAME }))).toBe(true);
    expect(hasConditions(lookup({ 'if-modified-since': SAME }))).toBe(false);
  });
});

test.each(['abc', '', '"abc', '"a" "b"', '"a",,"b', 'W/abc', '"a"b"'])(
  'rejects the malformed entity tag %j with 400',
  (value) => {
    expect(() => evaluateConditions(lookup({ 'if-match': value }), current, true)).toThrow(
      expect.objectContaining({ status: 400 }),
    );
  },
);

test.each([
  [{}, true],
  [{ 'if-range': '"abc"' }, true],
  [{ 'if-range': '"x"' }, false],
  [{ 'if-range': 'W/"abc"' }, false],
  [{ 'if-range': SAME }, true],
  [{ 'if-range': BEFORE }, false],
  [{ 'if-range': 'nonsense' }, false],
])(
  'decides for the headers %j whether the Range applies: %s',
  (headers: Record<string, string>, applies) => {
    expect(rangeApplies(lookup(headers), current)).toBe(applies);
  },
);
