import { parseJson } from '../../../core/http/json';

const nested = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`;

test('parseJson accepts 16 levels and refuses 17', () => {
  expect(parseJson(nested(16))).toBeInstanceOf(Array);
  expect(() => parseJson(nested(17))).toThrow(SyntaxError);
  expect(() => parseJson(`${'{"a":'.repeat(17)}1${'}'.repeat(17)}`)).toThrow(SyntaxError);
});

test('parseJson refuses 64 KiB of nested lists, and text that is no JSON, with a SyntaxError', () => {
  expect(() => parseJson(nested(32 * 1024))).toThrow(SyntaxError);
  expect(() => parseJson('{')).toThrow(SyntaxError);
});
