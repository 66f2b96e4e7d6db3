import {
  byCommit,
  committedCursors,
  endsInside,
  entryOf,
  wholeCommits,
} from '../../../core/log/entries';
import type { ChangeEntry, CursorRange } from '../../../core/log/ports';
import { AT, liveObject, tombstone } from '../../support/samples';

const entry = (cursor: number, commit?: CursorRange): ChangeEntry => ({
  type: 'put',
  bucket: 'photos',
  cursor,
  at: AT,
  object: liveObject({ cursor }),
  ...(commit && { commit }),
});
const noop = (cursor: number): ChangeEntry => ({ type: 'noop', bucket: 'photos', cursor, at: AT });

const range = { first: 4, last: 6 };
/** Single changes at 3 and 7, a commit at 4 to 6, a no-op entry at 8. */
const ENTRIES = [entry(3), ...[4, 5, 6].map((cursor) => entry(cursor, range)), entry(7), noop(8)];

const cursorsOf = (entries: readonly { readonly cursor: number }[]) =>
  entries.map(({ cursor }) => cursor);

test.each([
  [0, 1, [3]],
  [0, 2, [3]],
  [0, 3, [3]],
  [0, 4, [3, 4, 5, 6]],
  [0, 9, [3, 4, 5, 6, 7, 8]],
  [1, 1, [4, 5, 6]],
  [1, 2, [4, 5, 6]],
  [1, 4, [4, 5, 6, 7]],
  [2, 1, [5, 6]],
  [6, 1, []],
])('wholeCommits of the entries from index %i on, with limit %i, is %j', (from, limit, cursors) => {
  expect(cursorsOf(wholeCommits(ENTRIES.slice(from), limit))).toEqual(cursors);
});

test.each([
  [0, undefined],
  [1, undefined],
  [2, range],
  [3, range],
  [4, undefined],
  [6, undefined],
])('endsInside of the first %i entries is %j', (count, commit) => {
  expect(endsInside(ENTRIES.slice(0, count))).toEqual(commit);
});

test('byCommit groups the changes of one commit', () => {
  const units = byCommit([entry(2), ...ENTRIES]);
  expect(units.map(({ first, changes }) => [first, cursorsOf(changes)])).toEqual([
    [2, [2]],
    [3, [3]],
    [4, [4, 5, 6]],
    [7, [7]],
    [8, [8]],
  ]);
});

test('committedCursors has every cursor of each commit of which there is an entry', () => {
  const other = { first: 20, last: 21 };
  expect([...committedCursors([entry(3), entry(5, range), entry(6, range)])]).toEqual([4, 5, 6]);
  expect([...committedCursors([entry(5, range)], other)]).toEqual([20, 21, 4, 5, 6]);
  expect([...committedCursors([])]).toEqual([]);
});

test('entryOf has the type of the record, what it replaced and the range of its commit', () => {
  const previous = liveObject({ cursor: 1 });
  const gone = { object: tombstone({ cursor: 5 }), previous };
  const made = { object: liveObject({ key: 'other', cursor: 4 }) };
  const common = { bucket: 'photos', at: AT };
  expect(entryOf({ changes: [made, gone], at: AT }, gone)).toEqual({
    ...{ ...common, ...gone, type: 'delete', cursor: 5 },
    commit: { first: 4, last: 5 },
  });
  const single = entryOf({ changes: [made], at: AT }, made);
  expect(single).toEqual({ ...common, ...made, type: 'put', cursor: 4 });
  expect(Object.keys(single)).not.toContain('previous');
  expect(Object.keys(single)).not.toContain('commit');
});
