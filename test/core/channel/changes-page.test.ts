import { changesPage, type PageAnswer, pageText } from '../../../core/channel/changes-page';
import { NEVER_WAITS } from '../../../core/channel/long-poll';
import { type CommitPosition, commitChanges } from '../../../core/log/commit';
import { publishChanges } from '../../../core/log/publish';
import { liveRecord } from '../../../core/objects/objects';
import { BUCKET, openBucket, put } from '../../support/bucket-world';
import { commitPuts, keysNamed } from '../../support/commits';

const ENTRIES = 1_100;

/** A bucket whose log has ENTRIES no-op entries. */
async function openLog() {
  const { deps, bucket } = await openBucket();
  const at = deps.clock.iso();
  for (let n = 0; n < ENTRIES; n++) {
    const cursor = await deps.commits.allocate(bucket);
    if (cursor === undefined) throw new Error('the bucket is gone');
    await deps.changeLog.fill(bucket.id, { type: 'noop', bucket: BUCKET, cursor, at });
  }
  return deps;
}

test.each([500, 501, 1000])('a page with limit=%d covers that many entries', async (limit) => {
  const deps = await openLog();
  const request = { bucket: BUCKET, prefix: '', cursor: 0, limit, wait: 0 };
  const { page } = await changesPage(deps, request, NEVER_WAITS);
  expect(page).toMatchObject({ from: 0, to: limit, has_more: true });
});

test('the last page of a long log ends at the head', async () => {
  const deps = await openLog();
  const request = { bucket: BUCKET, prefix: '', cursor: 400, limit: 1000, wait: 0 };
  const { page } = await changesPage(deps, request, NEVER_WAITS);
  expect(page).toMatchObject({ from: 400, to: ENTRIES, head: ENTRIES, has_more: false });
});

/** As the client parses them. */
const changesOf = (page: PageAnswer['page']) => (page ? JSON.parse(pageText(page)).changes : []);

describe('a commit of several changes', () => {
  /** Single changes at 1 and 5, a commit at 2 to 4. */
  async function openWithCommit() {
    const { deps, bucket } = await openBucket();
    await put(deps, 'x', 'one');
    await commitPuts(deps, bucket, ['a1', 'b', 'a2']);
    await put(deps, 'y', 'five');
    await publishChanges(deps, BUCKET);
    return deps;
  }

  test.each([
    [0, 1, 1],
    [0, 2, 1],
    [0, 3, 1],
    [0, 4, 4],
    [1, 1, 4],
    [1, 2, 4],
    [1, 4, 5],
  ])(
    'from=%d with limit=%d: the page ends at %d, not inside the commit',
    async (cursor, limit, to) => {
      const deps = await openWithCommit();
      const request = { bucket: BUCKET, prefix: '', cursor, limit, wait: 0 };
      const { page } = await changesPage(deps, request, NEVER_WAITS);
      expect(page).toMatchObject({ from: cursor, to, head: 5, has_more: to < 5 });
    },
  );

  test('is named in each of its changes, also when a prefix hides some of them', async () => {
    const deps = await openWithCommit();
    const request = { bucket: BUCKET, prefix: 'a', cursor: 0, limit: 500, wait: 0 };
    const { page } = await changesPage(deps, request, NEVER_WAITS);
    expect(changesOf(page)).toMatchObject([
      { cursor: 2, commit: { from: 2, to: 4 } },
      { cursor: 4, commit: { from: 2, to: 4 } },
    ]);
    const { page: single } = await changesPage(deps, { ...request, prefix: 'x' }, NEVER_WAITS);
    expect(changesOf(single)[0]).not.toHaveProperty('commit');
  });

  test('is on one page when a page reaches its bytes inside the commit', async () => {
    const { deps, bucket } = await openBucket();
    const metadata = { note: '\\'.repeat(1900) };
    const content = { contentType: 'a/b', headers: {}, metadata, checksumSha256: '' };
    for (let commit = 0; commit < 31; commit++) {
      const intents = keysNamed(`${'k'.repeat(800)}${commit}-`, 32).map((key) => ({
        key,
        check: () => undefined,
        build: (position: CommitPosition) =>
          liveRecord(
            { bucket, key, blob: key, etag: 'e', size: 1, ...content },
            position,
            undefined,
          ),
      }));
      await commitChanges(deps, { bucket, intents }, []);
    }
    const request = { bucket: BUCKET, prefix: '', cursor: 0, limit: 1000, wait: 0 };
    const { page } = await changesPage(deps, request, NEVER_WAITS);
    expect(page?.has_more).toBe(true);
    expect(page?.to).toBeGreaterThan(500);
    expect((page?.to ?? 0) % 32).toBe(0);
    expect(page?.changes.at(-1)?.cursor).toBe(page?.to);
  });
});
