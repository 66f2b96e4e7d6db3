import { UserError } from '../../src/errors/user-error';
import { parseFilters } from '../../src/services/events/filters';

const passes = (pattern: unknown, candidate: unknown) =>
  parseFilters({ Filters: [{ Pattern: JSON.stringify(pattern) }] }, 'M')(candidate);
const insert = { eventName: 'INSERT', dynamodb: { NewImage: { type: { S: 'put' } } } };

test.each<[unknown, boolean]>([
  [{ eventName: ['INSERT'] }, true],
  [{ eventName: ['REMOVE', 'MODIFY'] }, false],
  [{ dynamodb: { NewImage: { type: { S: ['put'] } } } }, true],
  [{ dynamodb: { NewImage: { type: { S: [{ prefix: 'pu' }] } } } }, true],
  [{ dynamodb: { NewImage: { type: { S: [{ 'anything-but': ['put'] }] } } } }, false],
  [{ dynamodb: { NewImage: { other: { S: [{ exists: false }] } } } }, true],
  [{ eventName: ['INSERT'], dynamodb: { NewImage: { type: { S: ['void'] } } } }, false],
])('the result of %j for an insert of a put is %s', (pattern, expected) => {
  expect(passes(pattern, insert)).toBe(expected);
});

test('a record passes when one of the patterns matches or there are none', () => {
  const filters = [
    { Pattern: '{"eventName":["REMOVE"]}' },
    { Pattern: '{"eventName":["INSERT"]}' },
  ];
  expect(parseFilters({ Filters: filters }, 'M')(insert)).toBe(true);
  expect(parseFilters(undefined, 'M')(insert)).toBe(true);
});

test.each([{ a: [{ numeric: ['>', 1] }] }, { a: 'x' }, { a: [{ prefix: 1 }] }, { a: [1] }])(
  'refuses %j',
  (pattern) => {
    expect(() => passes(pattern, insert)).toThrow(UserError);
  },
);
