/** How many changes one commit has. */

import { type ChangeSize, commitGroups } from '../../../core/commits/groups';
import { LIMITS } from '../../../core/limits';

/** Of a change in a message, besides what it says of the object. */
const FRAME = 400;

const groupsOf = (sizes: readonly ChangeSize[]) =>
  commitGroups(sizes, (size) => size).map((group) => group.map((one) => sizes.indexOf(one)));

const many = (count: number, size: ChangeSize) =>
  Array.from({ length: count }, () => ({ ...size }));

test('no items make no group', () => {
  expect(groupsOf([])).toEqual([]);
});

test.each([
  ['the changes of a commit', many(65, { view: 1, copy: 0 }), [32, 32, 1]],
  ['the bytes of a message', many(5, { view: LIMITS.commitBytes / 2 - FRAME, copy: 0 }), [2, 2, 1]],
  ['a byte too many', many(3, { view: LIMITS.commitBytes / 2 - FRAME + 1, copy: 0 }), [1, 1, 1]],
  ['the bytes that a commit copies', many(5, { view: 1, copy: LIMITS.copyBytes / 2 }), [2, 2, 1]],
  ['a copied byte too many', many(3, { view: 1, copy: LIMITS.copyBytes / 2 + 1 }), [1, 1, 1]],
  ['what fits alone in no commit', many(2, { view: 9e9, copy: 9e12 }), [1, 1]],
])('groups hold at most %s', (_, sizes, lengths) => {
  const groups = groupsOf(sizes);
  expect(groups.map(({ length }) => length)).toEqual(lengths);
  expect(groups.flat()).toEqual(sizes.map((_, n) => n));
});

test('a group after a full one counts its own bytes only', () => {
  const [half, third] = [LIMITS.copyBytes / 2, LIMITS.copyBytes / 3];
  const sizes = [half, half, third, third, third, half].map((copy) => ({ view: 1, copy }));
  expect(groupsOf(sizes)).toEqual([[0, 1], [2, 3, 4], [5]]);
  const views = [2, 2, 3, 3, 3, 2].map((part) => {
    return { view: Math.floor(LIMITS.commitBytes / part) - FRAME, copy: 0 };
  });
  expect(groupsOf(views)).toEqual([[0, 1], [2, 3, 4], [5]]);
});
