import { onlyFields, parseJson } from '../../../core/http/json';

const nested = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`;

test('parseJson accepts 16 levels and refuses 17', () => {
  expect(parseJson(nested(16))).toBeInstanceOf(Array);
  expect(parseJson('null')).toBeNull();
  expect(() => parseJson(nested(17))).toThrow(SyntaxError);
  expect(() => parseJson(`${'{"a":'.repeat(17)}1${'}'.repeat(17)}`)).toThrow(SyntaxError);
  expect(() => parseJson(`[null, ${nested(16)}]`)).toThrow(SyntaxError);
});

test('parseJson refuses 64 KiB of nested lists, and text that is no JSON, with a SyntaxError', () => {
  expect(() => parseJson(nested(32 * 1024))).toThrow(SyntaxError);
  expect(() => parseJson('{')).toThrow(SyntaxError);
});

test('onlyFields refuses the first field that is not known, by its path', () => {
  expect(() => onlyFields({ a: 1 }, ['a', 'b'])).not.toThrow();
  expect(() => onlyFields({ a: 1, c: 2, d: 3 }, ['a', 'b'])).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      details: { field: 'c', rule: 'is not a known field; known are a, b' },
    }),
  );
  expect(() => onlyFields({ c: 2 }, ['a'], 'multipart.')).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ field: 'multipart.c' }) }),
  );
});
