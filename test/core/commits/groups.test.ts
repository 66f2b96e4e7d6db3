/** How many changes one commit has. */

import { type ChangeSize, commitGroups } from '../../../core/commits/groups';
import { LIMITS } from '../../../core/limits';

/** Of a change in a message, besides what it says of the object. */
const FRAME = 400;

const groupsOf = (sizes: readonly ChangeSize[]) =>
  commitGroups(sizes, (size) => size).map((group) => group.map((one) => sizes.indexOf(one)));

const many = (count: number, size: ChangeSize) =>
  Array.from({ length: count }, () => ({ ...size }));

test('commitGroups of no items returns no group', () => {
  expect(groupsOf([])).toEqual([]);
});

test.each([
  ['the changes of a commit', many(65, { view: 1, copy: 0 }), [32, 32, 1]],
  ['the bytes of a message', many(5, { view: LIMITS.commitBytes / 2 - FRAME, copy: 0 }), [2, 2, 1]],
  ['a byte too many', many(3, { view: LIMITS.commitBytes / 2 - FRAME + 1, copy: 0 }), [1, 1, 1]],
  ['the bytes that a commit copies', many(5, { view: 1, copy: LIMITS.copyBytes / 2 }), [2, 2, 1]],
  ['a copied byte too many', many(3, { view: 1, copy: LIMITS.copyBytes / 2 + 1 }), [1, 1, 1]],
  ['what fits alone in no commit', many(2, { view: 9e9, copy: 9e12 }), [1, 1]],
])('commitGroups bounds a group by %s', (_, sizes, lengths) => {
  const groups = groupsOf(sizes);
  expect(groups.map(({ length }) => length)).toEqual(lengths);
  expect(groups.flat()).toEqual(sizes.map((_, n) => n));
});
