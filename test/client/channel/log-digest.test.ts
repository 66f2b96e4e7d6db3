/** The digest that a follower computes from the changes that it receives. */
import { createHash } from 'node:crypto';
import { DigestCheck } from '../../../client/channel/log-digest';
import type { ChangeEntry } from '../../../client/resources';

const ID = 'bucket000001';

/** Returns SHA-256 over the digest before and the entry, for each entry: docs/api.md. */
function hashOf(entries: readonly string[], begin = createHash('sha256').update(ID).digest()) {
  const next = (hash: Buffer, entry: string) =>
    createHash('sha256').update(hash).update(entry).digest();
  return entries.reduce(next, begin).toString('base64');
}

const digestOf = (entries: readonly string[], since = 0) => ({ sha256: hashOf(entries), since });
const after = (digest: { readonly sha256: string }, entry: string) =>
  hashOf([entry], Buffer.from(digest.sha256, 'base64'));
const change = (cursor: number, fields: object) => ({ cursor, ...fields }) as never as ChangeEntry;

/** Returns whether a follower from cursor 0 computes the digest of the entries. */
function agrees(to: number, changes: readonly ChangeEntry[], entries: readonly string[]) {
  const check = new DigestCheck(ID, 0, undefined);
  check.advance(0, to, changes);
  return check.agrees(to, digestOf(entries));
}

test('a digest covers changes with sorted members, and cursors without a change', () => {
  const object = { key: 'ä "1"', tags: ['b', 'a', null, { y: 1, x: [] }], metadata: {}, size: 5 };
  const changes = [change(2, { type: 'put', object }), change(4, { type: 'delete', object: {} })];
  const entries = [
    '1',
    '{"cursor":2,"object":{"key":"ä \\"1\\"","metadata":{},"size":5,' +
      '"tags":["b","a",null,{"x":[],"y":1}]},"type":"put"}',
    '3',
    '{"cursor":4,"object":{},"type":"delete"}',
  ];
  expect(agrees(4, changes, entries)).toBe(true);
  expect(agrees(4, changes, ['1', ...entries.slice(1, 3), '4'])).toBe(false);
  expect(agrees(3, changes, entries.slice(0, 3))).toBe(true);
});

const nested = (levels: number, value: unknown): unknown =>
  levels === 0 ? value : [nested(levels - 1, value)];

test.each<[number, unknown, string]>([
  [14, 7, '7'],
  [15, 7, 'null'],
  [15, { a: 1 }, 'null'],
  [2_000, 7, 'null'],
])('a digest covers 16 levels of a change: inside %i lists, %j is hashed as %s', (...row) => {
  const [levels, value, text] = row;
  const shown = Math.min(levels, 15);
  const entry = `{"cursor":1,"object":${'['.repeat(shown)}${text}${']'.repeat(shown)}}`;
  expect(agrees(1, [change(1, { object: nested(levels, value) })], [entry])).toBe(true);
});

test('a follower that begins later accepts the first digest, and compares the next ones', () => {
  const check = new DigestCheck(ID, 5, undefined);
  expect(check.agreedAt).toBeUndefined();
  check.advance(5, 6, []);
  const first = digestOf(['any'], 3);
  expect([check.agrees(6, first), check.agreedAt]).toEqual([true, 6]);
  check.advance(6, 7, []);
  expect([check.agrees(7, first), check.agreedAt]).toEqual([false, 6]);
  expect(check.agrees(7, { sha256: after(first, '7'), since: 3 })).toBe(true);
});

test('a follower that saved a digest compares from there', () => {
  const saved = digestOf(['1', '2']);
  const check = () => new DigestCheck(ID, 2, saved);
  expect(check().agreedAt).toBe(2);
  expect([check().agrees(2, saved), check().agrees(2, digestOf(['1']))]).toEqual([true, false]);
  const later = check();
  later.advance(2, 3, []);
  expect(later.agrees(3, digestOf(['1', '2', '3']))).toBe(true);
});

test('a follower far from the beginning of the log compares each change', () => {
  const check = new DigestCheck(ID, 20_000, digestOf(['x']));
  check.advance(20_000, 20_001, []);
  expect(check.agrees(20_001, digestOf(['y']))).toBe(false);
  expect(check.agrees(20_001, digestOf(['x', '20001']))).toBe(true);
});

test.each([
  [4, false],
  [5, true],
  [6, true],
])('a digest since %i is accepted by a follower that agreed at 5 on another: %s', (since, is) => {
  const check = new DigestCheck(ID, 5, digestOf(['x']));
  check.advance(5, 6, []);
  const fresh = digestOf(['y'], since);
  expect(check.agrees(6, fresh)).toBe(is);
  if (!is) return;
  check.advance(6, 7, []);
  expect(check.agrees(7, { sha256: after(fresh, '7'), since })).toBe(true);
});

test('a digest with a later beginning is accepted by a follower that has agreed on none', () => {
  const check = new DigestCheck(ID, 0, undefined);
  check.advance(0, 1, []);
  expect(check.agreedAt).toBeUndefined();
  expect(check.agrees(1, digestOf(['y'], 1))).toBe(true);
});

test.each([
  [10_000, false],
  [10_001, true],
])('a range of %i cursors makes the follower accept any digest: %s', (to, acceptsAny) => {
  const check = new DigestCheck(ID, 0, undefined);
  check.advance(0, to, []);
  expect(check.agrees(to, digestOf(['y']))).toBe(acceptsAny);
});
