import fc from 'fast-check';
import { findVersion, listVersions, nextAncestors, recordAsOf } from '../../../core/log/history';
import type { ChangeEntry } from '../../../core/log/ports';
import type { ObjectRecord } from '../../../core/store/objects';

/**
 * The history of a key: `deleted[i]` is true when version i + 1 is a delete; other keys use the
 * cursors in between.
 */
function historyOf(deleted: readonly boolean[], gap: (version: number) => number) {
  const log = new Map<number, ChangeEntry>();
  let previous: ObjectRecord | undefined;
  let cursor = 0;
  for (const [i, isDelete] of deleted.entries()) {
    const version = i + 1;
    cursor += gap(version);
    const common = {
      bucket: 'photos',
      key: 'a',
      version,
      cursor,
      ancestors: nextAncestors(previous),
    };
    const at = '2026-01-01T00:00:00.000Z';
    const object: ObjectRecord = isDelete
      ? { ...common, state: 'deleted', deletedAt: at }
      : {
          ...common,
          state: 'live',
          size: version,
          etag: String(version),
          createdAt: at,
          updatedAt: at,
          contentType: 'a/b',
          headers: {},
          metadata: {},
          blob: `blob ${version}`,
        };
    log.set(cursor, {
      type: isDelete ? 'delete' : 'put',
      bucket: 'photos',
      cursor,
      at,
      object,
      previous,
    });
    previous = object;
  }
  return { log, current: previous as ObjectRecord };
}

const histories = fc.array(fc.boolean(), { minLength: 1, maxLength: 80 });

test('findVersion finds every version that is not a delete with few reads', async () => {
  await fc.assert(
    fc.asyncProperty(histories, fc.integer({ min: 1, max: 5 }), async (deleted, step) => {
      const { log, current } = historyOf(deleted, (version) => 1 + (version % step));
      let reads = 0;
      const port = {
        get: async (_id: string, cursor: number) => {
          reads += 1;
          return log.get(cursor);
        },
      };
      for (const [i, isDelete] of deleted.entries()) {
        reads = 0;
        const found = await findVersion(port, 'id', current, i + 1);
        expect(found?.version).toBe(isDelete ? undefined : i + 1);
        expect(reads).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(deleted.length + 1)) + 1);
      }
      reads = 0;
      expect(await findVersion(port, 'id', current, deleted.length + 1)).toBeUndefined();
      expect(reads).toBe(0);
    }),
  );
});

test('findVersion finds a version until the entry that superseded it is trimmed', async () => {
  const { log, current } = historyOf([false, false, false, false], () => 1);
  const port = { get: async (_id: string, cursor: number) => log.get(cursor) };
  log.delete(1);
  expect((await findVersion(port, 'id', current, 1))?.blob).toBe('blob 1');
  log.delete(2);
  expect(await findVersion(port, 'id', current, 1)).toBeUndefined();
  expect((await findVersion(port, 'id', current, 2))?.blob).toBe('blob 2');
  log.clear();
  expect((await findVersion(port, 'id', current, 4))?.blob).toBe('blob 4');
  expect(await findVersion(port, 'id', current, 3)).toBeUndefined();
});

test('findVersion goes back ten thousand versions in at most thirty reads', async () => {
  const { log, current } = historyOf(new Array(10_000).fill(false), () => 1);
  let reads = 0;
  const port = {
    get: async (_id: string, cursor: number) => {
      reads += 1;
      return log.get(cursor);
    },
  };
  expect((await findVersion(port, 'id', current, 1))?.version).toBe(1);
  expect(reads).toBeLessThanOrEqual(30);
  expect(current.ancestors.length).toBeLessThanOrEqual(14);
});

test('recordAsOf finds the record of every cursor with few reads', async () => {
  await fc.assert(
    fc.asyncProperty(histories, fc.integer({ min: 1, max: 5 }), async (deleted, step) => {
      const { log, current } = historyOf(deleted, (version) => 1 + (version % step));
      let reads = 0;
      const port = {
        get: async (_id: string, cursor: number) => {
          reads += 1;
          return log.get(cursor);
        },
      };
      let expected: ObjectRecord | undefined;
      for (let asOf = 0; asOf <= current.cursor + 1; asOf++) {
        const entry = log.get(asOf);
        if (entry && entry.type !== 'noop') expected = entry.object;
        reads = 0;
        expect(await recordAsOf(port, 'b', current, asOf)).toEqual(expected);
        expect(reads).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(deleted.length + 1)) + 1);
      }
    }),
  );
});

test('recordAsOf throws when an entry after the cursor is missing', async () => {
  const { log, current } = historyOf([false, false, false], () => 1);
  log.delete(2);
  const port = { get: async (_id: string, cursor: number) => log.get(cursor) };
  await expect(recordAsOf(port, 'b', current, 1)).rejects.toThrow('the entries have been trimmed');
  expect((await recordAsOf(port, 'b', current, 2))?.version).toBe(2);
});

test('listVersions lists every kept version once, newest first, from any version on', async () => {
  await fc.assert(
    fc.asyncProperty(
      histories,
      fc.record({
        trimmed: fc.nat(80),
        newest: fc.nat(80),
        limit: fc.integer({ min: 1, max: 90 }),
      }),
      async (deleted, { trimmed, newest: wanted, limit }) => {
        const { log, current } = historyOf(deleted, () => 1);
        const versions = [...log.values()].flatMap((entry) =>
          entry.type === 'noop' ? [] : [entry.object],
        );
        for (let cursor = 1; cursor <= Math.min(trimmed, current.cursor); cursor++) {
          log.delete(cursor);
        }
        const newest = 1 + (wanted % current.version);
        let reads = 0;
        const port = {
          get: async (_id: string, cursor: number) => {
            reads += 1;
            return log.get(cursor);
          },
        };
        // A version is kept while the entry that superseded it is.
        const isKept = ({ cursor }: ObjectRecord) =>
          cursor === current.cursor || cursor + 1 > trimmed;
        const expected = versions
          .filter((record) => record.version <= newest && isKept(record))
          .reverse()
          .slice(0, limit);
        expect(await listVersions(port, 'b', current, { newest, limit })).toEqual(expected);
        expect(reads).toBeLessThanOrEqual(limit + 2 * Math.ceil(Math.log2(current.version + 1)));
      },
    ),
  );
});
