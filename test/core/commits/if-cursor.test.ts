/** What a commit reads and waits for: with `if_cursor`, and of its bucket. */

import { createBucket } from '../../../core/buckets/buckets';
import type { RequestedChange } from '../../../core/commits/commit-request';
import { ServiceError } from '../../../core/errors';
import { BUCKET, blobsOf, put, remove, type World } from '../../support/bucket-world';
import { commitIn, committed, openWith, PLAIN, putOf, replaced } from './world';

const COPY = { op: 'copy', key: 'b', from: { key: 'a' }, content: PLAIN } as const;
const REMOVE = { op: 'delete', key: 'a', ifExists: true } as const;
const THEIRS = {
  op: 'copy',
  key: 'b',
  from: { bucket: 'other', key: 'a' },
  content: PLAIN,
} as const;

/** A writer of `a` has the cursor 2, and makes its change when somebody waits for it. */
async function withLateWriter() {
  const opened = await openWith('a');
  const { deps } = opened;
  const other = await createBucket(deps, 'other');
  const a = await opened.recordOf('a');
  if (!other || a?.state !== 'live') throw new Error('no bucket');
  deps.state.objectsOf(other.id).set('a', { ...a, bucket: 'other' });
  let finish = () => {};
  const turn = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const slow = replaced(deps, 'commits', {
    commit: async (commit) => {
      await turn;
      return deps.commits.commit(commit);
    },
  });
  const late = put(slow, 'a', 'late');
  while ((await deps.buckets.get(BUCKET))?.cursor !== 2) await new Promise(setImmediate);
  let waits = 0;
  const backoff = async () => {
    waits += 1;
    finish();
    await late;
  };
  return { ...opened, world: { ...deps, backoff }, waits: () => waits, finish };
}

test.each<[string, number, readonly RequestedChange[]]>([
  ['a copy', 1, [COPY]],
  ['a copy after another change', 1, [putOf('c', ''), COPY]],
  ['a deletion that may be left out', 1, [{ ...REMOVE, key: 'none' }, putOf('c', '')]],
  ['a put', 0, [putOf('c', '')]],
  ['a copy from another bucket', 0, [THEIRS]],
  ['a deletion that must be made', 0, [{ ...REMOVE, ifExists: false }]],
])('%s with if_cursor waits %i times for the writers before it', async (_, count, changes) => {
  const { world, waits, finish, textOf } = await withLateWriter();
  expect(await commitIn(world, changes, { ifCursor: 2 })).toMatchObject({ result: 'committed' });
  expect(waits()).toBe(count);
  if (changes.includes(COPY)) expect(await textOf('b')).toBe('late');
  finish();
});

test('a commit without if_cursor waits for nobody', async () => {
  const { world, waits, finish, textOf } = await withLateWriter();
  await committed(world, [COPY]);
  expect([waits(), await textOf('b')]).toEqual([0, 'a']);
  finish();
});

test('a commit that deletes nothing takes no cursor, and if_cursor holds or fails', async () => {
  const { deps } = await openWith('a');
  const nothing = [{ ...REMOVE, key: 'none' }];
  const allocated = jest.spyOn(deps.commits, 'allocate');
  expect(await commitIn(deps, nothing)).toEqual({ result: 'committed', changes: [] });
  expect(await commitIn(deps, nothing, { ifCursor: 1 })).toMatchObject({ changes: [] });
  expect(allocated).not.toHaveBeenCalled();
  await put(deps, 'a', 'two');
  await expect(commitIn(deps, nothing, { ifCursor: 1 })).rejects.toMatchObject({
    ...{ code: 'precondition_failed', details: { field: 'if_cursor', cursor: 2 } },
  });
  expect((await deps.buckets.get(BUCKET))?.cursor).toBe(2);
});

/** A writer of the key is faster than the commit. */
function overtaken(deps: World, key: string): World {
  let isFirst = true;
  return replaced(deps, 'commits', {
    allocate: async (...parameters) => {
      if (isFirst) await put(deps, key, 'theirs');
      isFirst = false;
      return deps.commits.allocate(...parameters);
    },
  });
}

test('if_cursor fails when the bucket changes before the transaction, and leaves no bytes', async () => {
  const { deps } = await openWith('a');
  const late = commitIn(overtaken(deps, 'other'), [putOf('b', 'b')], { ifCursor: 1 });
  await expect(late).rejects.toMatchObject({
    ...{ code: 'precondition_failed', details: { field: 'if_cursor', cursor: 2 } },
  });
  expect(blobsOf(deps).some((blob) => blob.includes('/b/'))).toBe(false);
});

test('a refusal names its change of the request, also behind one that is left out', async () => {
  const { deps } = await openWith('a');
  const conditions = (change: { readonly key: string }, current: object | undefined) => {
    if (change.key === 'c' && current) throw new ServiceError('precondition_failed');
  };
  const changes = [{ ...REMOVE, key: 'none' }, putOf('b', 'b'), putOf('c', 'c')];
  const refused = commitIn(overtaken(deps, 'c'), changes, {}, { conditions });
  await expect(refused).rejects.toMatchObject({ details: { index: 2 } });
});

test('patches are measured again for objects that were replaced meanwhile', async () => {
  const keys = Array.from({ length: 12 }, (_, n) => `k${n}`);
  const { deps } = await openWith(...keys);
  let isFirst = true;
  const raced = replaced(deps, 'commits', {
    allocate: async (...parameters) => {
      const metadata = { a: 'x'.repeat(2000) };
      if (isFirst) for (const key of keys) await put(deps, key, key, metadata);
      isFirst = false;
      return deps.commits.allocate(...parameters);
    },
  });
  const patches = keys.map((key) => ({ op: 'patch', key, content: PLAIN }) as const);
  await expect(commitIn(raced, patches)).rejects.toMatchObject({ code: 'payload_too_large' });
});

test('a commit looks its bucket up only when it cannot find something', async () => {
  const { deps } = await openWith('a');
  const looked = jest.spyOn(deps.buckets, 'get');
  await committed(deps, [COPY, { ...REMOVE, key: 'a' }]);
  expect(looked).not.toHaveBeenCalled();
  await committed(deps, [REMOVE]);
  expect(looked).toHaveBeenCalledTimes(1);
});

test('a refused commit removes the blobs that it has stored, and asks S3 for no other', async () => {
  const { deps } = await openWith('a', 'c');
  const removed = jest.spyOn(deps.blobs, 'remove');
  const gone = replaced(deps, 'commits', {
    allocate: async (...parameters) => {
      await remove(deps, 'c').catch(() => undefined);
      return deps.commits.allocate(...parameters);
    },
  });
  const last = { ...REMOVE, key: 'c', ifExists: false };
  await expect(commitIn(gone, [putOf('b', 'b'), last])).rejects.toMatchObject({
    ...{ code: 'not_found', details: { index: 1 } },
  });
  expect(removed.mock.calls).toEqual([[[expect.stringContaining('/b/')]]]);
  removed.mockClear();
  await put(deps, 'c', 'c');
  await expect(commitIn(gone, [last])).rejects.toMatchObject({ code: 'not_found' });
  expect(removed).not.toHaveBeenCalled();
});
