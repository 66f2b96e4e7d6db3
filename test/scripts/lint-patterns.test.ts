import { LIMITS } from '../../core/limits';
import { slowLines, slowness, slowSchemas } from '../../scripts/lint-patterns';

/** The list of entity tags as it once was: two adjacent stars at the end. */
const ADJACENT_STARS = '^"[!-~]*"(?:[ \\t]*,[ \\t]*"[!-~]*")*[ \\t]*,?[ \\t]*$';

test.each([
  ['adjacent stars', ADJACENT_STARS],
  ['nested stars', '^(a+)+$'],
  ['a search for the end of white space', '[\\t ]+$'],
  ['a separator with white space on both sides', '\\s*,\\s*'],
])('an expression with %s is slow', (_what, source) => {
  expect(slowness(source)).toContain('grows');
});

test.each([
  ['an optional separator before white space', '^"[^"]*"(?:[ \\t]*,)?[ \\t]*$'],
  ['a bound', `^[a-z]{1,${LIMITS.bucketNameMax}}$`],
])('an expression with %s is not slow', (_what, source) => {
  expect(slowness(source)).toBeUndefined();
});

test('a source with slow expressions is refused with their lines', () => {
  const text = `const fine = /^a*$/;\nconst slow = /${ADJACENT_STARS}/;\nnew RegExp('a+$');`;
  expect(slowLines('core/a.ts', text)).toEqual([
    expect.stringMatching(/^core\/a\.ts:2: the time of .* grows/),
    expect.stringMatching(/^core\/a\.ts:3: the time of .* grows/),
  ]);
});

test('a source that composes an expression is refused, because it cannot be checked', () => {
  expect(slowLines('core/a.ts', 'RegExp(prefix + name)')).toEqual([
    expect.stringMatching(/^core\/a\.ts:1: .*cannot be checked/),
  ]);
});

test('a published schema with a slow pattern is refused with its place', () => {
  const schema = { properties: { if_match: { type: 'string', pattern: ADJACENT_STARS } } };
  expect(slowSchemas(schema)).toEqual([expect.stringMatching(/^#\/properties\/if_match: /)]);
});
