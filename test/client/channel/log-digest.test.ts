/** The digest that a client computes from the changes it receives. */
import { createHash } from 'node:crypto';
import { DigestCheck } from '../../../client/channel/log-digest';
import type { ChangeEntry } from '../../../client/resources';

const ID = 'bucket000001';

/** As docs/api.md says: SHA-256 of the digest before, and of the entry. */
function hashOf(entries: readonly string[], begin = createHash('sha256').update(ID).digest()) {
  const next = (hash: Buffer, entry: string) =>
    createHash('sha256').update(hash).update(entry).digest();
  return entries.reduce(next, begin).toString('base64');
}

const change = (cursor: number, fields: object) => ({ cursor, ...fields }) as never as ChangeEntry;

/** Whether a reader from cursor 0 agrees that the entries have the digest. */
function agrees(to: number, changes: readonly ChangeEntry[], entries: readonly string[]) {
  const check = new DigestCheck(ID, 0, undefined);
  check.advance(0, to, changes);
  return check.agrees(to, { sha256: hashOf(entries), since: 0 });
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

/** A value inside so many lists. */
const nested = (levels: number, value: unknown): unknown =>
  levels === 0 ? value : [nested(levels - 1, value)];

test('a digest covers sixteen levels of a change, and null for what is deeper', () => {
  const at = (value: unknown, levels: number) => change(1, { object: nested(levels, value) });
  const text = (value: string, levels: number) =>
    `{"cursor":1,"object":${'['.repeat(levels)}${value}${']'.repeat(levels)}}`;
  expect(agrees(1, [at(7, 14)], [text('7', 14)])).toBe(true);
  expect(agrees(1, [at(7, 15)], [text('null', 15)])).toBe(true);
  expect(agrees(1, [at({ a: 1 }, 15)], [text('null', 15)])).toBe(true);
  expect(agrees(1, [at(7, 2_000)], [text('null', 15)])).toBe(true);
});

test('a reader that begins later knows no digest until the service has sent one', () => {
  const check = new DigestCheck(ID, 5, undefined);
  expect(check.agreedAt).toBeUndefined();
  check.advance(5, 6, []);
  const first = hashOf(['any']);
  expect(check.agrees(6, { sha256: first, since: 3 })).toBe(true);
  expect(check.agreedAt).toBe(6);
  check.advance(6, 7, []);
  const next = hashOf(['7'], Buffer.from(first, 'base64'));
  expect(check.agrees(7, { sha256: first, since: 3 })).toBe(false);
  expect(check.agreedAt).toBe(6);
  expect(check.agrees(7, { sha256: next, since: 3 })).toBe(true);
});

test('a reader that begins later takes a digest over every change for its own', () => {
  const check = new DigestCheck(ID, 5, undefined);
  check.advance(5, 6, []);
  expect(check.agrees(6, { sha256: hashOf(['any']), since: 0 })).toBe(true);
});

test('a reader compares far from the beginning of the log', () => {
  const check = new DigestCheck(ID, 20_000, { sha256: hashOf(['x']), since: 0 });
  check.advance(20_000, 20_001, []);
  expect(check.agrees(20_001, { sha256: hashOf(['y']), since: 0 })).toBe(false);
  expect(check.agrees(20_001, { sha256: hashOf(['x', '20001']), since: 0 })).toBe(true);
});

test('a reader that has saved a digest compares from there', () => {
  const saved = { sha256: hashOf(['1', '2']), since: 0 };
  const check = () => new DigestCheck(ID, 2, saved);
  expect(check().agreedAt).toBe(2);
  expect(check().agrees(2, saved)).toBe(true);
  expect(check().agrees(2, { ...saved, sha256: hashOf(['1']) })).toBe(false);
  const later = check();
  later.advance(2, 3, []);
  expect(later.agrees(3, { sha256: hashOf(['1', '2', '3']), since: 0 })).toBe(true);
});

test('a reader that knows no digest has not agreed at any cursor', () => {
  expect(new DigestCheck(ID, 0, undefined).agreedAt).toBeUndefined();
});

test.each([
  [4, false],
  [5, true],
  [6, true],
])('a digest that began anew after cursor %i is taken over by who agreed at 5: %s', (since, is) => {
  const check = new DigestCheck(ID, 5, { sha256: hashOf(['x']), since: 0 });
  check.advance(5, 6, []);
  const fresh = { sha256: hashOf(['y']), since };
  expect(check.agrees(6, fresh)).toBe(is);
  if (!is) return;
  check.advance(6, 7, []);
  const next = hashOf(['7'], Buffer.from(fresh.sha256, 'base64'));
  expect(check.agrees(7, { sha256: next, since })).toBe(true);
});

test('a digest that began anew is taken over by a reader that has not agreed yet', () => {
  const check = new DigestCheck(ID, 0, undefined);
  check.advance(0, 1, []);
  expect(check.agrees(1, { sha256: hashOf(['y']), since: 1 })).toBe(true);
});

test('a reader that has forgotten its digest takes any of the service', () => {
  const check = new DigestCheck(ID, 5, { sha256: hashOf(['x']), since: 4 });
  check.advance(5, 20_000, []);
  expect(check.agrees(20_000, { sha256: hashOf(['y']), since: 3 })).toBe(true);
});

test.each([
  [10_000, false],
  [10_001, true],
])('a range of %i cursors makes the reader forget its digest: %s', (to, isForgotten) => {
  const check = new DigestCheck(ID, 0, undefined);
  check.advance(0, to, []);
  expect(check.agrees(to, { sha256: hashOf(['y']), since: 0 })).toBe(isForgotten);
});
