import { changesMessages, serializeChanges } from '../../../core/channel/messages';
import { ServiceError } from '../../../core/errors';
import { LIMITS } from '../../../core/limits';
import { changeView, requireOneMessage } from '../../../core/log/change-view';
import type { OwnEntry } from '../../../core/log/ports';
import type { LiveObject } from '../../../core/store/objects';
import { AT, liveObject, tombstone } from '../../support/samples';

const BUCKET = { name: 'photos', id: 'b00000000001' };
const LONGEST_KEY = 'k'.repeat(LIMITS.keyBytes - 10);

/** Commits of so many changes each, as entries with cursors from 1 on. */
function entriesOf(sizes: readonly number[], overrides: Partial<LiveObject> = {}): OwnEntry[] {
  const entries: OwnEntry[] = [];
  for (const size of sizes) {
    const first = entries.length + 1;
    for (let cursor = first; cursor < first + size; cursor++) {
      const object = liveObject({ key: `${cursor % 2 ? 'odd' : 'even'}/${cursor}`, cursor });
      entries.push({
        type: 'put',
        bucket: BUCKET.name,
        cursor,
        at: AT,
        object: { ...object, ...overrides },
        ...(size > 1 && { commit: { first, last: first + size - 1 } }),
      });
    }
  }
  return entries;
}

interface Message {
  readonly from: number;
  readonly to: number;
  readonly changes: readonly { readonly cursor: number; readonly commit?: { to: number } }[];
}

function messagesOf(entries: readonly OwnEntry[], prefix = ''): Message[] {
  const run = { from: 0, to: entries.length, changes: serializeChanges(entries) };
  const texts = [...changesMessages(BUCKET, run, { prefix, head: entries.length })];
  for (const text of texts)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LIMITS.messageBytes);
  return texts.map((text) => JSON.parse(text));
}

test.each(['', 'even/', 'odd/'])('no message ends inside a commit, with prefix %p', (prefix) => {
  const sizes = Array.from({ length: 60 }, (_, n) => [1, 3, 7, 20, 32][n % 5] ?? 1);
  const entries = entriesOf(sizes);
  const ends = new Set(entries.map(({ cursor, commit }) => commit?.last ?? cursor));

  const messages = messagesOf(entries, prefix);

  expect(messages.length).toBeGreaterThan(5);
  let cursor = 0;
  for (const { from, to, changes } of messages) {
    expect(from).toBe(cursor);
    expect(ends.has(to)).toBe(true);
    for (const change of changes)
      expect(change.commit?.to ?? change.cursor).toBeLessThanOrEqual(to);
    cursor = to;
  }
  expect(cursor).toBe(entries.length);
});

describe('the largest commit', () => {
  /** Changes with keys of that length in bytes, as many as fit. */
  function largest(key: string, metadata: Readonly<Record<string, string>>): LiveObject[] {
    const objects: LiveObject[] = [];
    for (let n = 1; n <= LIMITS.commitChanges; n++) {
      const next = [...objects, liveObject({ key: `${key}${n}`, metadata })];
      try {
        requireOneMessage(next);
      } catch {
        break;
      }
      objects.push(next[n - 1] ?? liveObject());
    }
    return objects;
  }

  test.each([
    ['long keys', LONGEST_KEY, {}],
    ['large metadata', 'k', { note: 'x'.repeat(2000) }],
    ['escaped characters', '\u0001'.repeat(800), { note: '\\'.repeat(900) }],
  ])('with %s is one message, also for the longest prefix', (_, key, metadata) => {
    const objects = largest(key, metadata);
    expect(objects.length).toBeGreaterThan(1);
    expect(objects.length).toBeLessThan(LIMITS.commitChanges);
    const commit = { first: 1, last: objects.length };
    const entries = objects.map((object, index): OwnEntry => {
      const cursor = index + 1;
      return {
        type: 'put',
        bucket: 'photos',
        cursor,
        at: AT,
        object: { ...object, cursor },
        commit,
      };
    });

    expect(messagesOf(entries, key)).toMatchObject([{ from: 0, to: objects.length }]);
  });

  test('with short keys has LIMITS.commitChanges changes', () => {
    expect(largest('k', {})).toHaveLength(LIMITS.commitChanges);
    const deleted = Array.from({ length: LIMITS.commitChanges }, () => tombstone());
    expect(() => requireOneMessage(deleted)).not.toThrow();
  });

  test('is refused with payload_too_large above that', () => {
    const objects = Array.from({ length: 30 }, () => liveObject({ key: LONGEST_KEY }));
    expect(() => requireOneMessage(objects)).toThrow(ServiceError);
    expect(() => requireOneMessage(objects)).toThrow(/at most 24576 bytes as JSON/);
  });

  test.each([
    ['put', liveObject({ key: LONGEST_KEY })],
    ['delete', tombstone({ key: LONGEST_KEY })],
  ] as const)('counts the bytes of each %s, with a comma and the longest numbers', (type, one) => {
    const longest = Number.MAX_SAFE_INTEGER;
    const object = { ...one, version: longest, cursor: longest };
    const commit = { first: longest, last: longest };
    const { bucket } = object;
    const view = changeView({ type, bucket, cursor: longest, at: AT, object, commit });
    const bytes = 40 * (Buffer.byteLength(JSON.stringify(view)) + 1);
    expect(() => requireOneMessage(Array.from({ length: 40 }, () => one))).toThrow(
      expect.objectContaining({ details: { bytes, limit: LIMITS.commitBytes } }),
    );
  });
});
