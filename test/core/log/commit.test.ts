import type { BucketRef } from '../../../core/bucket-ref';
import { commitChange, type Intent } from '../../../core/log/commit';
import type { Commits } from '../../../core/log/ports';
import { publishChanges } from '../../../core/log/publish';
import { readRun } from '../../../core/log/reader';
import { BUCKET, openBucket, put } from '../../support/bucket-world';

const REFUSED = { result: 'refused', changed: false, settled: false, isDuplicate: false } as const;

describe('a commit', () => {
  test('takes a new cursor when a gap fill has used the first one', async () => {
    const { deps, bucket } = await openBucket();
    let filled = false;
    const commits: Commits = {
      allocate: (ref) => deps.commits.allocate(ref),
      commit: async (change) => {
        if (!filled) {
          filled = true;
          await readRun(deps, bucket, { after: 0, to: 1, fillAllGaps: true });
        }
        return deps.commits.commit(change);
      },
    };
    const object = await put({ ...deps, commits }, 'a', 'slow');
    expect([object.version, object.cursor]).toEqual([1, 2]);
    expect(await publishChanges(deps, BUCKET)).toMatchObject({ stats: { published: 2 } });
  });

  test('gives its cursor up when another writer of the key has committed at the next one', async () => {
    const { deps, bucket } = await openBucket();
    let overtaken = false;
    const commits: Commits = {
      allocate: (ref) => deps.commits.allocate(ref),
      commit: async (change) => {
        if (!overtaken) {
          overtaken = true;
          await put(deps, 'a', 'fast');
        }
        return deps.commits.commit(change);
      },
    };
    const object = await put({ ...deps, commits }, 'a', 'slow');
    expect([object.version, object.cursor]).toEqual([2, 3]);
    expect((await deps.changeLog.get(bucket.id, 1))?.type).toBe('noop');
    expect(await deps.changeLog.get(bucket.id, 2)).toMatchObject({ object: { version: 1 } });
  });

  test('throws unavailable and fills its cursor when every attempt loses its race', async () => {
    const { deps, bucket } = await openBucket();
    const commit = async () => ({ ...REFUSED, changed: true });
    const commits: Commits = { allocate: (ref) => deps.commits.allocate(ref), commit };
    await expect(
      commitChange({ ...deps, commits }, deletionIn(bucket), undefined),
    ).rejects.toMatchObject({ code: 'unavailable' });
    expect(deps.meter.sum('CommitRetries')).toBeGreaterThan(0);
    expect(await publishChanges(deps, BUCKET)).toMatchObject({ stats: { published: 1 } });
  });

  test.each([
    ['one second of throttling', true, 1_000],
    ['fifteen seconds of lost races', false, 15_000],
  ])('gives up after %s', async (_, isThrottled, milliseconds) => {
    const { deps, bucket } = await openBucket();
    let now = 0;
    const commits: Commits = {
      allocate: (ref) => deps.commits.allocate(ref),
      commit: async () => ({ ...REFUSED, isThrottled }),
    };
    const backoff = async () => {
      now += 500;
    };
    const late = { ...deps, commits, backoff, clock: { ...deps.clock, now: () => now } };
    await expect(commitChange(late, deletionIn(bucket), undefined)).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(now).toBeGreaterThanOrEqual(milliseconds - 500);
    expect(now).toBeLessThanOrEqual(milliseconds);
  });

  test('is repeated for longer when not every attempt was throttled', async () => {
    const { deps, bucket } = await openBucket();
    let now = 0;
    let calls = 0;
    const commits: Commits = {
      allocate: (ref) => deps.commits.allocate(ref),
      commit: async (change) => {
        calls += 1;
        if (calls === 12) return deps.commits.commit(change);
        return { ...REFUSED, isThrottled: calls % 2 !== 0 };
      },
    };
    const backoff = async () => {
      now += 500;
    };
    const late = { ...deps, commits, backoff, clock: { ...deps.clock, now: () => now } };
    expect(await commitChange(late, deletionIn(bucket), undefined)).toMatchObject({
      result: 'committed',
    });
  });

  test.each([
    ['settled', { settled: true }],
    ['duplicate', { isDuplicate: true }],
    ['settled', { settled: true, isDuplicate: true }],
  ])('is %s when the transaction is refused with %j, and fills its cursor', async (result, how) => {
    const { deps, bucket } = await openBucket();
    const commit = async () => ({ ...REFUSED, ...how });
    const commits: Commits = { allocate: (ref) => deps.commits.allocate(ref), commit };
    expect(await commitChange({ ...deps, commits }, deletionIn(bucket), undefined)).toEqual({
      result,
    });
    expect((await deps.changeLog.get(bucket.id, 1))?.type).toBe('noop');
  });

  // A transaction that was sent twice is refused because it happened.
  test.each([{ settled: true }, { isDuplicate: true }, { changed: true }])(
    'is acknowledged when its own transaction is refused with %j after it happened',
    async (how) => {
      const { deps, bucket } = await openBucket();
      const commit: Commits['commit'] = async (whole) => {
        await deps.commits.commit(whole);
        return { ...REFUSED, ...how };
      };
      const commits: Commits = { allocate: (ref) => deps.commits.allocate(ref), commit };
      const outcome = await commitChange({ ...deps, commits }, deletionIn(bucket), undefined);
      expect(outcome).toMatchObject({ result: 'committed', object: { cursor: 1, version: 1 } });
    },
  );
});

/** The deletion of a key, whatever its record. */
function deletionIn(bucket: BucketRef): Intent {
  return {
    bucket,
    key: 'a',
    check: () => undefined,
    build: ({ version, cursor, at }) => ({
      state: 'deleted',
      bucket: BUCKET,
      key: 'a',
      version,
      cursor,
      deletedAt: at,
      ancestors: [],
    }),
  };
}
