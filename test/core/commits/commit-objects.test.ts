/** How a commit starts again, what it refuses, and which bytes it leaves. */
import { BUCKET, blobsOf } from '../../support/bucket-world';
import { newIdempotencyRecord } from '../../support/samples';
import { commitIn, openWith, PLAIN, putOf, replaced } from './world';

const COPY = { op: 'copy', key: 'b', from: { key: 'a' }, content: PLAIN } as const;

test('a commit that copies an object without bytes is refused, logged, and leaves no bytes', async () => {
  const { deps } = await openWith('a');
  deps.state.blobs.clear();
  await expect(commitIn(deps, [putOf('c', 'c'), COPY])).rejects.toMatchObject({
    code: 'not_found',
    details: { bucket: BUCKET, key: 'a', index: 1 },
  });
  expect(deps.log.lines).toMatchObject([{ level: 'error', event: 'blob_missing' }]);
  expect(blobsOf(deps)).toEqual([]);
});

describe('the bytes of a commit', () => {
  const two = [putOf('b', 'one'), putOf('c', 'two')];

  test('are removed when some of them cannot be stored', async () => {
    const { deps } = await openWith('a');
    const before = blobsOf(deps);
    const broken = replaced(deps, 'blobs', {
      put: async (blob, ...rest) => {
        if (blob.includes('/c/')) throw new Error('broken');
        return deps.blobs.put(blob, ...rest);
      },
    });
    await expect(commitIn(broken, two)).rejects.toThrow('broken');
    expect(blobsOf(deps)).toEqual(before);
  });

  test('stay when nobody knows whether the commit happened', async () => {
    const { deps } = await openWith('a');
    const lost = async () => {
      throw new Error('lost');
    };
    await expect(commitIn(replaced(deps, 'commits', { commit: lost }), two)).rejects.toThrow(
      'lost',
    );
    expect(blobsOf(deps)).toHaveLength(3);
  });

  test('are removed when the idempotency key was used before', async () => {
    const { deps } = await openWith('a');
    const saved = newIdempotencyRecord({ expiresAt: 9e9 });
    const idempotency = () => saved;
    expect(await commitIn(deps, two, {}, { idempotency })).toMatchObject({ result: 'committed' });
    const again = [putOf('d', 'one')];
    expect(await commitIn(deps, again, {}, { idempotency })).toEqual({ result: 'duplicate' });
    expect(blobsOf(deps)).toHaveLength(3);
  });
});

test('a commit of an upload that its caller may not commit is refused, and leaves no bytes', async () => {
  const { deps, bucket } = await openWith();
  const id = deps.ids.ulid();
  const staged = { size: 2, etag: 'e', contentType: 'a/b', headers: {}, metadata: {} };
  const row = { bucket: BUCKET, bucketId: bucket.id, key: 'a', blob: 'x', expiresAt: '' };
  await deps.uploads.create({ id, ...row, state: 'staged', staged, ttl: 9e9 });
  const changes = [putOf('b', 'b'), { op: 'put', key: 'a', uploadId: id } as const];
  await expect(
    commitIn(deps, changes, {}, { mayCommit: async (upload) => upload.id !== id }),
  ).rejects.toMatchObject({ code: 'not_found', details: { key: 'a', index: 1 } });
  expect(blobsOf(deps)).toEqual([]);
});
