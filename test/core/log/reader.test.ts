import { publishChanges } from '../../../core/log/publish';
import { GAP_FILL_AFTER_MS, readRun, settledCursor } from '../../../core/log/reader';
import { BUCKET, openBucket, put, type World } from '../../support/bucket-world';
import { commitPuts, keysNamed } from '../../support/commits';

/**
 * The same log as a reader may see it whose queries of the shards come before and after a
 * transaction: the first read lacks these cursors.
 */
function torn(deps: World, missing: readonly number[]): World {
  let reads = 0;
  const read: World['changeLog']['read'] = async (...parameters) => {
    const entries = await deps.changeLog.read(...parameters);
    return reads++ > 0 ? entries : entries.filter(({ cursor }) => !missing.includes(cursor));
  };
  return { ...deps, changeLog: Object.assign(Object.create(deps.changeLog), { read }) };
}

/** A bucket with single changes at 1 and 5, and commits at 2 to 4 and at 6 to 7. */
async function openWithCommit() {
  const { deps, bucket } = await openBucket();
  await put(deps, 'x', 'one');
  await commitPuts(deps, bucket, ['a', 'b', 'c']);
  await put(deps, 'y', 'five');
  await commitPuts(deps, bucket, ['d', 'e']);
  const cursorsOf = async (from: World, after: number, to: number) => {
    const run = await readRun(from, bucket, { after, to });
    return { gap: run.gap, cursors: run.entries.map(({ cursor }) => cursor) };
  };
  return { deps, bucket, cursorsOf };
}

describe('a run of entries', () => {
  test.each<[number, number, number[]]>([
    [0, 1, [1]],
    [0, 2, [1]],
    [0, 3, [1]],
    [0, 4, [1, 2, 3, 4]],
    [1, 2, [2, 3, 4]],
    [1, 3, [2, 3, 4]],
    [2, 3, [3, 4]],
    [1, 5, [2, 3, 4, 5]],
    [4, 6, [5]],
    [4, 7, [5, 6, 7]],
  ])('after %d, at most to %d, holds whole commits: %p', async (after, to, cursors) => {
    const { deps, cursorsOf } = await openWithCommit();
    expect(await cursorsOf(deps, after, to)).toEqual({ cursors });
  });

  test.each([[[2]], [[3]], [[4]], [[2, 3]], [[2, 4]], [[3, 4]]])(
    'holds the whole commit when the queries of the shards have missed %p',
    async (missing) => {
      const { deps, cursorsOf } = await openWithCommit();
      expect(await cursorsOf(torn(deps, missing), 0, 5)).toEqual({ cursors: [1, 2, 3, 4, 5] });
      expect(await cursorsOf(torn(deps, missing), 1, 3)).toEqual(
        missing.length < 2 || missing.includes(4)
          ? { cursors: [2, 3, 4] }
          : expect.not.objectContaining({ cursors: [2] }),
      );
    },
  );

  test('ends before a commit when the query saw none of its entries', async () => {
    const { deps, cursorsOf } = await openWithCommit();
    expect(await cursorsOf(torn(deps, [2, 3, 4]), 0, 5)).toEqual({ cursors: [1], gap: 2 });
  });

  test('ends at the gap before a commit, and goes past it once it may be filled', async () => {
    const { deps, bucket } = await openBucket();
    await deps.commits.allocate(bucket, 2);
    await commitPuts(deps, bucket, ['a', 'b']);
    expect(await readRun(deps, bucket, { after: 0, to: 4 })).toEqual({ entries: [], gap: 1 });
    deps.clock.advance(GAP_FILL_AFTER_MS);
    expect((await readRun(deps, bucket, { after: 0, to: 4 })).entries).toHaveLength(4);
  });

  test('fills no gap behind a commit that is trimmed while it is read', async () => {
    const { deps, bucket } = await openWithCommit();
    await deps.changeLog.remove(bucket.id, [2, 3]);
    const onFirstGap = () => Promise.reject(new Error('trimmed'));
    await expect(readRun(deps, bucket, { after: 1, to: 5, onFirstGap })).rejects.toThrow('trimmed');
    expect(await deps.changeLog.get(bucket.id, 2)).toBeUndefined();
  });
});

/** A log of 500 + 20 entries with a commit of 32 at 491 to 522 and a single change after it. */
async function openLongLog() {
  const { deps, bucket } = await openBucket();
  for (let n = 1; n <= 490; n++) {
    const cursor = Number(await deps.commits.allocate(bucket));
    const at = deps.clock.iso();
    await deps.changeLog.fill(bucket.id, { type: 'noop', bucket: BUCKET, cursor, at });
  }
  const commit = await commitPuts(deps, bucket, keysNamed('k', 32));
  await put(deps, 'last', 'x');
  return { deps, bucket, commit };
}

describe('500 entries that end inside a commit', () => {
  test('are published without it, and it with what follows', async () => {
    const { deps } = await openLongLog();
    const pushed: [number, number][] = [];
    await publishChanges(deps, BUCKET, {
      push: async (_, from, run) => {
        pushed.push([from, from + run.entries.length]);
        return undefined;
      },
    });
    expect(pushed).toEqual([
      [0, 490],
      [490, 523],
    ]);
    expect((await deps.buckets.stats(BUCKET))?.published).toBe(523);
  });

  test('settle the cursor before it', async () => {
    const { deps, bucket } = await openLongLog();
    const record = await deps.buckets.get(BUCKET);
    if (!record) throw new Error('no bucket');
    expect(await settledCursor(deps, record, await deps.buckets.stats(bucket.name))).toBe(490);
  });
});
