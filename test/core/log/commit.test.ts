import { commitChange } from '../../../core/log/commit';
import type { Commits } from '../../../core/log/ports';
import { publishChanges } from '../../../core/log/publish';
import { readRun } from '../../../core/log/reader';
import { BUCKET, openBucket, put } from '../../support/bucket-world';

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

  test('throws unavailable and fills its cursor when every attempt loses its race', async () => {
    const { deps, bucket } = await openBucket();
    const commits: Commits = {
      allocate: (ref) => deps.commits.allocate(ref),
      commit: async () => ({
        result: 'refused',
        changed: true,
        settled: false,
        isDuplicate: false,
      }),
    };
    const intent = {
      bucket,
      key: 'a',
      check: () => undefined,
      build: () => {
        throw new Error('not reached');
      },
    };
    const tombstone = {
      ...intent,
      build: (position: { version: number; cursor: number; at: string }) => ({
        state: 'deleted' as const,
        bucket: BUCKET,
        key: 'a',
        version: position.version,
        cursor: position.cursor,
        deletedAt: position.at,
        ancestors: [],
      }),
    };
    await expect(commitChange({ ...deps, commits }, tombstone, undefined)).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(await publishChanges(deps, BUCKET)).toMatchObject({ stats: { published: 1 } });
  });
});
