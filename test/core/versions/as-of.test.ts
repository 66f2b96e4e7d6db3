/** Which earlier cursors of a bucket can be read. Property test: as-of.property.test.ts. */
import { ServiceError } from '../../../core/errors';
import { publishChanges } from '../../../core/log/publish';
import type { BucketStats } from '../../../core/store/buckets';
import { openAsOf } from '../../../core/versions/as-of';
import { BUCKET, openBucket, put, type World } from '../../support/bucket-world';
import { commitPuts, keysNamed } from '../../support/commits';

/** The same bucket with other statistics. */
function withStats(deps: World, change: (stats: BucketStats) => BucketStats | undefined): World {
  const buckets = Object.assign(Object.create(deps.buckets) as World['buckets'], {
    stats: async (name: string) => {
      const stats = await deps.buckets.stats(name);
      return stats && change(stats);
    },
  });
  return { ...deps, buckets };
}

const refusalOf = async (promise: Promise<unknown>) => {
  const error = await promise.catch((caught: unknown) => caught);
  return error instanceof ServiceError ? { code: error.code, details: error.details } : error;
};

describe('openAsOf', () => {
  test('opens each cursor from the one before the oldest entry to the newest', async () => {
    const { deps, bucket } = await openBucket();
    expect(await openAsOf(deps, BUCKET, 0)).toEqual({ bucket, asOf: 0 });
    for (const text of ['1', '2', '3']) await put(deps, 'a', text);
    const record = { ...bucket, cursor: 3 };
    // Not published yet: each entry is looked at.
    for (const asOf of [0, 1, 2, 3]) {
      expect(await openAsOf(deps, BUCKET, asOf)).toEqual({ bucket: record, asOf });
    }
    await publishChanges(deps, BUCKET);
    const trimmed = withStats(deps, (stats) => ({ ...stats, oldest: 2 }));
    expect(await openAsOf(trimmed, BUCKET, 1)).toEqual({ bucket: record, asOf: 1 });
    await expect(openAsOf(trimmed, BUCKET, 0)).rejects.toThrow(/\b1 or more$/);
    expect(await refusalOf(openAsOf(trimmed, BUCKET, 0))).toEqual({
      ...{ code: 'cursor_expired', details: { oldest: 2, head: 3 } },
    });
    expect(await refusalOf(openAsOf(deps, BUCKET, 4))).toEqual({
      code: 'invalid_request',
      details: { field: 'as_of', rule: expect.any(String), head: 3 },
    });
  });

  test('opens the cursor before a commit for one in its middle', async () => {
    const { deps, bucket } = await openBucket();
    await put(deps, 'x', '1');
    await commitPuts(deps, bucket, keysNamed('k', 3));
    await put(deps, 'x', '2');
    await deps.commits.allocate(bucket);
    await put(deps, 'x', '3');
    await publishChanges(deps, BUCKET, { fillAllGaps: true });
    const opened = [0, 1, 2, 3, 4, 5, 6, 7].map(
      async (n) => (await openAsOf(deps, BUCKET, n)).asOf,
    );
    expect(await Promise.all(opened)).toEqual([0, 1, 1, 1, 4, 5, 6, 7]);
    const trimmed = withStats(deps, (stats) => ({ ...stats, oldest: 3 }));
    expect(await refusalOf(openAsOf(trimmed, BUCKET, 2))).toMatchObject({ code: 'cursor_expired' });
  });

  test('asks to be repeated while a writer is at work, or publishing is far behind', async () => {
    const { deps, bucket } = await openBucket();
    await put(deps, 'a', '1');
    await deps.commits.allocate(bucket);
    expect(await refusalOf(openAsOf(deps, BUCKET, 2))).toMatchObject({ code: 'unavailable' });
    expect(await openAsOf(deps, BUCKET, 1)).toMatchObject({ asOf: 1 });
    const many = await openBucket();
    for (let n = 0; n < 257; n++) await put(many.deps, 'a', 'x');
    expect(await openAsOf(many.deps, BUCKET, 256)).toMatchObject({ asOf: 256 });
    const late = openAsOf(many.deps, BUCKET, 257);
    expect(await refusalOf(late)).toMatchObject({ code: 'unavailable' });
  });
});
