/** How a commit begins anew, what it refuses, and which bytes it leaves. */
import { ServiceError } from '../../../core/errors';
import { LIMITS } from '../../../core/limits';
import { BUCKET, blobsOf, put, remove, type World } from '../../support/bucket-world';
import { newIdempotencyRecord } from '../../support/samples';
import { commitIn, committed, openWith, PLAIN, putOf, replaced } from './world';

const MOVE = { op: 'move', key: 'b', from: { key: 'a' } } as const;
const COPY = { op: 'copy', key: 'b', from: { key: 'a' }, content: PLAIN } as const;
const REMOVE = { op: 'delete', key: 'a', ifExists: true } as const;

/** The same world, in which `meanwhile` happens before each time that cursors are allocated. */
function raced(deps: World, meanwhile: (nth: number) => Promise<unknown>): World {
  let nth = 0;
  return replaced(deps, 'commits', {
    allocate: async (...parameters) => {
      await meanwhile(++nth);
      return deps.commits.allocate(...parameters);
    },
  });
}

/** Waits of the commit, each of which takes as long. */
function waiting(deps: World, milliseconds = 0) {
  const waits: number[] = [];
  const backoff = async (attempt: number) => {
    waits.push(attempt);
    deps.clock.advance(milliseconds);
  };
  return { waits, deps: { ...deps, backoff } };
}

describe('a commit whose source keeps changing', () => {
  async function changing(milliseconds: number) {
    const { deps } = await openWith('a');
    const { waits, deps: slow } = waiting(deps, milliseconds);
    const failed = commitIn(
      raced(slow, () => put(deps, 'a', 'new')),
      [MOVE],
    );
    await expect(failed).rejects.toMatchObject({ code: 'unavailable' });
    // Only what is current, or was.
    expect(blobsOf(deps).some((blob) => blob.includes('/b/'))).toBe(false);
    return waits;
  }

  test('is begun anew for 8 seconds', async () => {
    const waits = await changing(1000);
    // Each attempt waits once before its records are read again, and once before the next attempt.
    expect(waits.length).toBeGreaterThan(3);
    expect(waits.length).toBeLessThanOrEqual(9);
  });

  test('ends when the clock stands still', async () => {
    expect(Math.max(...(await changing(0)))).toBe(19);
  });
});

describe('a commit whose source has no bytes', () => {
  test('is refused, and reported, after the source was read again', async () => {
    const { deps } = await openWith('a');
    deps.state.blobs.clear();
    const { waits, deps: slow } = waiting(deps);
    await expect(commitIn(slow, [putOf('c', 'c'), COPY])).rejects.toMatchObject({
      code: 'not_found',
      details: { bucket: BUCKET, key: 'a', index: 1 },
    });
    expect(waits).toEqual([0]);
    expect(deps.log.lines).toMatchObject([{ level: 'error', event: 'blob_missing' }]);
    expect(blobsOf(deps)).toEqual([]);
  });

  test('copies the object that replaced it', async () => {
    const { deps, textOf } = await openWith('a');
    deps.state.blobs.clear();
    let isFirst = true;
    const backoff = async () => {
      if (isFirst) await put(deps, 'a', 'new');
      isFirst = false;
    };
    await committed({ ...deps, backoff }, [COPY]);
    expect(await textOf('b')).toBe('new');
    expect(deps.log.lines).toEqual([]);
  });
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

  test('are removed when the commit is refused, and the refusal stands if they cannot be', async () => {
    const { deps } = await openWith('a');
    const conditions = (change: { readonly key: string }, current: object | undefined) => {
      if (change.key === 'c' && current) throw new ServiceError('precondition_failed');
    };
    const refused = (world: World) =>
      expect(
        commitIn(
          raced(world, () => put(deps, 'c', 'theirs')),
          two,
          {},
          { conditions },
        ),
      ).rejects.toMatchObject({ code: 'precondition_failed', details: { index: 1 } });
    await refused(deps);
    expect(blobsOf(deps)).toHaveLength(2);
    await remove(deps, 'c');
    await refused(
      replaced(deps, 'blobs', {
        remove: async () => {
          throw new Error('broken');
        },
      }),
    );
    expect(blobsOf(deps)).toHaveLength(5);
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

  test('are removed when another commit took the upload, which is then not found', async () => {
    const { deps, bucket } = await openWith();
    const id = deps.ids.ulid();
    const staged = { size: 2, etag: 'e', contentType: 'a/b', headers: {}, metadata: {} };
    const row = { bucket: BUCKET, bucketId: bucket.id, key: 'a', blob: 'x', expiresAt: '' };
    await deps.uploads.create({ id, ...row, state: 'staged', staged, ttl: 9e9 });
    const upload = { op: 'put', key: 'a', uploadId: id } as const;
    const late = commitIn(
      raced(deps, (nth) => (nth === 1 ? committed(deps, [upload]) : Promise.resolve())),
      [putOf('b', 'b'), upload],
    );
    await expect(late).rejects.toMatchObject({ code: 'not_found', details: { index: 1 } });
    expect(blobsOf(deps)).toEqual([]);
  });
});

test('a commit refuses what its caller may not commit, before a byte is stored', async () => {
  const { deps, bucket } = await openWith();
  const id = deps.ids.ulid();
  const staged = { size: 2, etag: 'e', contentType: 'a/b', headers: {}, metadata: {} };
  const row = { bucket: BUCKET, bucketId: bucket.id, key: 'a', blob: 'x', expiresAt: '' };
  await deps.uploads.create({ id, ...row, state: 'staged', staged, ttl: 9e9 });
  const changes = [putOf('b', 'b'), { op: 'put', key: 'a', uploadId: id } as const];
  const stored = jest.spyOn(deps.blobs, 'put');
  await expect(
    commitIn(deps, changes, {}, { mayCommit: async (upload) => upload.id !== id }),
  ).rejects.toMatchObject({ code: 'not_found', details: { key: 'a', index: 1 } });
  expect(stored).not.toHaveBeenCalled();
});

test('a condition is asked of each change and its object, before a byte is stored', async () => {
  const { deps, recordOf } = await openWith('a', 'gone');
  await remove(deps, 'gone');
  const a = await recordOf('a');
  const asked: unknown[] = [];
  const changes = [
    { op: 'patch', key: 'a', content: PLAIN },
    putOf('gone', 'x'),
    { op: 'copy', key: 'b', from: { key: 'a' }, content: PLAIN },
  ] as const;
  const stored = jest.spyOn(deps.blobs, 'put');
  const conditions = (change: unknown, current: unknown) => {
    asked.push([change, current]);
    if (change === changes[2]) throw new ServiceError('precondition_failed');
  };
  await expect(commitIn(deps, changes, {}, { conditions })).rejects.toMatchObject({
    code: 'precondition_failed',
    details: { index: 2 },
  });
  expect(asked).toMatchObject([
    [{ op: 'patch', key: 'a' }, a],
    [changes[1], undefined],
    [changes[2], undefined],
  ]);
  expect(stored).not.toHaveBeenCalled();
});

test.each([
  ['a delete', { op: 'delete', key: 'none', ifExists: false }],
  ['a patch', { op: 'patch', key: 'none', content: PLAIN }],
  ['a copy', { op: 'copy', key: 'b', from: { key: 'none' }, content: PLAIN }],
  ['a move', { op: 'move', key: 'b', from: { key: 'none' } }],
] as const)('%s of a deleted object is not found', async (_, change) => {
  const { deps } = await openWith('none');
  await remove(deps, 'none');
  await expect(commitIn(deps, [putOf('a', ''), change])).rejects.toMatchObject({
    code: 'not_found',
    details: { bucket: BUCKET, key: 'none', index: 1 },
  });
});

test('an object that is deleted while it is deleted is left out', async () => {
  const { deps, recordOf } = await openWith('a', 'b');
  const objects = await committed(
    raced(deps, (nth) => (nth === 1 ? remove(deps, 'a') : Promise.resolve())),
    [REMOVE, { ...REMOVE, key: 'b' }],
  );
  expect(objects.map(({ key }) => key)).toEqual(['b']);
  expect(await recordOf('a')).toMatchObject({ state: 'deleted', version: 2 });
});

test('a commit whose changes do not fit into one message stores nothing', async () => {
  const { deps } = await openWith('a');
  const stored = jest.spyOn(deps.blobs, 'put');
  const content = { headers: {}, metadata: { a: 'x'.repeat(2000) } };
  const changes = Array.from({ length: 12 }, (_, n) => putOf(`k${n}`, '', content));
  await expect(commitIn(deps, changes)).rejects.toMatchObject({
    code: 'payload_too_large',
    details: { limit: LIMITS.commitBytes },
  });
  expect(stored).not.toHaveBeenCalled();
});
