import type { BucketRef } from '../../../core/bucket-ref';
import { type CommitDeps, commitChanges, type KeyIntent } from '../../../core/log/commit';
import type { Commit, CommitOutcome, Commits } from '../../../core/log/ports';
import { publishChanges } from '../../../core/log/publish';
import { GAP_FILL_AFTER_MS } from '../../../core/log/reader';
import { BUCKET, openBucket, put, remove, type World } from '../../support/bucket-world';
import { deleteIntent, putIntent } from '../../support/commits';
import { newIdempotencyRecord } from '../../support/samples';

/** Commits two puts and the deletion of `old`. */
async function commitThree(
  deps: World,
  bucket: BucketRef,
  options: Partial<Parameters<typeof commitChanges>[1]> = {},
) {
  const intents = [
    await putIntent(deps, bucket, 'a', 'one'),
    deleteIntent(bucket, 'old'),
    await putIntent(deps, bucket, 'b', 'two'),
  ];
  return commitAll(deps, bucket, intents, options);
}

async function commitAll(
  deps: World,
  bucket: BucketRef,
  intents: readonly KeyIntent[],
  options: Partial<Parameters<typeof commitChanges>[1]> = {},
) {
  const reads = await Promise.all(intents.map(({ key }) => deps.objects.get(bucket.id, key)));
  const outcome = await commitChanges(deps, { bucket, intents, ...options }, reads);
  return 'changes' in outcome ? outcome.changes.map(({ object }) => object.cursor) : outcome.result;
}

/** A bucket with the object `old` at cursor 1. */
async function openWithObject() {
  const { deps, bucket } = await openBucket();
  await put(deps, 'old', 'text');
  const typesOf = async () =>
    (await deps.changeLog.read(bucket.id, 0, 100)).map(({ cursor, type }) => `${cursor} ${type}`);
  return { deps, bucket, typesOf };
}

/** The same dependencies with another transaction. */
function withCommit(
  deps: World,
  commit: (commit: Commit, attempt: number) => Promise<CommitOutcome>,
): World {
  let attempts = 0;
  const commits: Commits = {
    allocate: (...parameters) => deps.commits.allocate(...parameters),
    commit: (whole) => commit(whole, ++attempts),
  };
  return { ...deps, commits };
}

describe('a commit of several changes', () => {
  test('takes consecutive cursors, which each of its entries names', async () => {
    const { deps, bucket, typesOf } = await openWithObject();
    const idempotency = newIdempotencyRecord();

    const cursors = await commitThree(deps, bucket, {
      idempotencyRecordFor: (changes) => ({ ...idempotency, body: `${changes.length}` }),
    });

    expect(cursors).toEqual([2, 3, 4]);
    expect(await typesOf()).toEqual(['1 put', '2 put', '3 delete', '4 put']);
    const entries = await deps.changeLog.read(bucket.id, 1, 4);
    const range = { first: 2, last: 4 };
    expect(entries.map((entry) => 'commit' in entry && entry.commit)).toEqual([
      range,
      range,
      range,
    ]);
    expect(deps.state.idempotencyRecords.get(idempotency.id)?.body).toBe('3');
  });

  test('names no range in the entry of a single change', async () => {
    const { deps, bucket } = await openWithObject();
    await commitAll(deps, bucket, [await putIntent(deps, bucket, 'a', 'one')]);
    expect(await deps.changeLog.get(bucket.id, 2)).not.toHaveProperty('commit');
  });

  test('is refused before it takes a cursor, and names the change in the details', async () => {
    const { deps, bucket } = await openWithObject();
    const intents = [await putIntent(deps, bucket, 'a', 'x'), deleteIntent(bucket, 'none')];

    await expect(commitAll(deps, bucket, intents)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringMatching(/^changes\[1\]: /),
      details: { index: 1 },
    });
    expect((await deps.buckets.get(BUCKET))?.cursor).toBe(1);
    expect(deps.state.objectsOf(bucket.id).has('a')).toBe(false);
  });

  test('keeps its cursors after a conflict that overtook none of its records', async () => {
    const { deps, bucket } = await openWithObject();
    const conflict = { result: 'refused', changed: false, settled: false, isDuplicate: false };
    const busy = withCommit(deps, async (commit, attempt) =>
      attempt === 1 ? (conflict as CommitOutcome) : deps.commits.commit(commit),
    );

    expect(await commitThree(busy, bucket)).toEqual([2, 3, 4]);
    expect((await deps.buckets.get(BUCKET))?.cursor).toBe(4);
  });

  test('fills all its cursors and takes new ones when another writer overtook one', async () => {
    const { deps, bucket, typesOf } = await openWithObject();
    const busy = withCommit(deps, async (commit, attempt) => {
      if (attempt === 1) await put(deps, 'b', 'faster');
      return deps.commits.commit(commit);
    });

    expect(await commitThree(busy, bucket)).toEqual([6, 7, 8]);
    const filled = ['2 noop', '3 noop', '4 noop'];
    expect(await typesOf()).toEqual(['1 put', ...filled, '5 put', '6 put', '7 delete', '8 put']);
  });

  test.each([2, 3, 4])('fills the others when a gap fill took cursor %i', async (cursor) => {
    const { deps, bucket, typesOf } = await openWithObject();
    const busy = withCommit(deps, async (commit, attempt) => {
      const at = deps.clock.iso();
      const gap = { type: 'noop', bucket: BUCKET, cursor, at } as const;
      if (attempt === 1) await deps.changeLog.fill(bucket.id, gap);
      return deps.commits.commit(commit);
    });

    expect(await commitThree(busy, bucket)).toEqual([5, 6, 7]);
    expect((await typesOf()).slice(1, 4)).toEqual(['2 noop', '3 noop', '4 noop']);
  });

  test('is acknowledged when its transaction happened without a response', async () => {
    const { deps, bucket } = await openWithObject();
    const lost = withCommit(deps, async (commit) => {
      await deps.commits.commit(commit);
      return { result: 'unknown', cause: new Error('lost') };
    });

    expect(await commitThree(lost, bucket)).toEqual([2, 3, 4]);
    expect((await deps.buckets.get(BUCKET))?.cursor).toBe(4);
  });

  test('stops its lost transaction before it commits at other cursors', async () => {
    const { deps, bucket, typesOf } = await openWithObject();
    const late: Commit[] = [];
    const lost = withCommit(deps, async (commit, attempt) => {
      if (attempt > 1) return deps.commits.commit(commit);
      late.push(commit);
      return { result: 'unknown', cause: new Error('lost') };
    });

    expect(await commitThree(lost, bucket)).toEqual([5, 6, 7]);
    for (const commit of late) {
      expect(await deps.commits.commit(commit)).toMatchObject({ result: 'refused' });
    }
    expect((await typesOf()).slice(1, 4)).toEqual(['2 noop', '3 noop', '4 noop']);
  });

  test('leaves the outcome open when nobody answers', async () => {
    const { deps, bucket } = await openWithObject();
    const cause = new Error('lost');
    const lost = withCommit(deps, async () => ({ result: 'unknown', cause }));
    const fill: CommitDeps['changeLog']['fill'] = () => Promise.reject(new Error('lost, too'));
    const changeLog = Object.assign(Object.create(deps.changeLog), { fill });

    await expect(commitThree({ ...lost, changeLog }, bucket)).rejects.toBe(cause);
  });
});

describe('a commit with if_cursor', () => {
  test('is made when the bucket is at the cursor', async () => {
    const { deps, bucket } = await openWithObject();
    expect(await commitThree(deps, bucket, { ifCursor: 1 })).toEqual([2, 3, 4]);
  });

  test('is refused with the present cursor after a change', async () => {
    const { deps, bucket } = await openWithObject();
    await put(deps, 'x', 'change');

    await expect(commitThree(deps, bucket, { ifCursor: 1 })).rejects.toMatchObject({
      code: 'precondition_failed',
      details: { field: 'if_cursor', cursor: 2 },
    });
    expect((await deps.buckets.get(BUCKET))?.cursor).toBe(2);
  });

  test('is refused with the present cursor when a record of its own keys is newer', async () => {
    const { deps, bucket } = await openWithObject();
    await put(deps, 'a', 'change');

    await expect(commitThree(deps, bucket, { ifCursor: 1 })).rejects.toMatchObject({
      details: { field: 'if_cursor', cursor: 2 },
    });
  });

  test('is refused for the cursor, not for a check that a later change made fail', async () => {
    const { deps, bucket } = await openWithObject();
    await remove(deps, 'old');

    await expect(commitThree(deps, bucket, { ifCursor: 1 })).rejects.toMatchObject({
      code: 'precondition_failed',
      details: { field: 'if_cursor', cursor: 2 },
    });
  });

  test('is refused when the bucket has not reached the cursor', async () => {
    const { deps, bucket } = await openWithObject();
    await expect(commitThree(deps, bucket, { ifCursor: 2 })).rejects.toMatchObject({
      details: { field: 'if_cursor', cursor: 1 },
    });
  });

  test('is refused when the entries after the cursor have been trimmed', async () => {
    const { deps, bucket } = await openWithObject();
    await put(deps, 'x', 'change');
    await publishChanges(deps, BUCKET);
    await deps.buckets.raiseOldest(bucket, 3);
    await deps.changeLog.remove(bucket.id, [1, 2]);

    await expect(commitThree(deps, bucket, { ifCursor: 1 })).rejects.toMatchObject({
      details: { cursor: 2 },
    });
    expect(await deps.changeLog.get(bucket.id, 2)).toBeUndefined();
  });

  test('passes over no-op entries, its own of an earlier attempt among them', async () => {
    const { deps, bucket, typesOf } = await openWithObject();
    const cursor = Number(await deps.commits.allocate(bucket));
    const gap = { type: 'noop', bucket: BUCKET, cursor, at: deps.clock.iso() } as const;
    await deps.changeLog.fill(bucket.id, gap);
    const lost = withCommit(deps, async (commit, attempt) =>
      attempt > 1
        ? deps.commits.commit(commit)
        : { result: 'unknown', cause: new Error('not made') },
    );

    expect(await commitThree(lost, bucket, { ifCursor: 1 })).toEqual([6, 7, 8]);
    expect((await typesOf()).slice(1, 5)).toEqual(['2 noop', '3 noop', '4 noop', '5 noop']);
  });

  test('waits for a writer with a later cursor, and is refused after its change', async () => {
    const { deps, bucket } = await openWithObject();
    const slow = withCommit(deps, async (commit) => {
      const backoff = async () => {
        // The other writer commits while this one waits for it.
        expect(await deps.commits.commit(commit)).toEqual({ result: 'committed' });
      };
      await expect(
        commitThree({ ...deps, backoff }, bucket, { ifCursor: 1 }),
      ).rejects.toMatchObject({ details: { field: 'if_cursor', cursor: 2 } });
      return { result: 'committed' };
    });

    expect((await put(slow, 'x', 'slow')).cursor).toBe(2);
  });

  test('fills the cursor of a writer that has died, and is made', async () => {
    const { deps, bucket, typesOf } = await openWithObject();
    await deps.commits.allocate(bucket, 2);
    const backoff = async () => deps.clock.advance(GAP_FILL_AFTER_MS / 2);

    expect(await commitThree({ ...deps, backoff }, bucket, { ifCursor: 1 })).toEqual([4, 5, 6]);
    expect((await typesOf()).slice(1, 3)).toEqual(['2 noop', '3 noop']);
  });

  test('is made by one of many that name the same cursor', async () => {
    const { deps, bucket } = await openWithObject();
    const racers = await Promise.allSettled(
      Array.from({ length: 8 }, async (_, n) =>
        commitAll(deps, bucket, [await putIntent(deps, bucket, `k${n}`, 'x')], { ifCursor: 1 }),
      ),
    );
    expect(racers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(deps.state.objectsOf(bucket.id).size).toBe(2);
  });
});
