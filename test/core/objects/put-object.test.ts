/** When a PUT stores its bytes, and whether they stay. */
import { ServiceError } from '../../../core/errors';
import { sha256Base64 } from '../../../core/http/digests';
import { liveOf } from '../../../core/objects/descriptor';
import { putObject } from '../../../core/objects/objects';
import { BUCKET, blobsOf, openBucket, put, type World } from '../../support/bucket-world';

const body = Buffer.from('new');
const CONTENT = {
  ...{ body, contentType: 'a/b', headers: {}, metadata: {} },
  checksumSha256: sha256Base64(body),
};

const onlyNew = {
  conditional: true,
  conditions: (current: object | undefined) => {
    if (current) throw new ServiceError('precondition_failed');
  },
};

const place = { bucket: BUCKET, key: 'a' };

test('a PUT whose condition is false stores nothing, not even for a moment', async () => {
  const { deps } = await openBucket();
  await put(deps, 'a', 'one');
  const stored: string[] = [];
  const blobs = {
    put: (blob: string, ...rest: [Uint8Array, never]) => {
      stored.push(blob);
      return deps.blobs.put(blob, ...rest);
    },
    remove: (blobs: readonly string[]) => deps.blobs.remove(blobs),
  };
  const refused = putObject({ ...deps, blobs } as World, place, CONTENT, onlyNew);
  await expect(refused).rejects.toMatchObject({ code: 'precondition_failed' });
  expect(stored).toEqual([]);
  expect(blobsOf(deps)).toHaveLength(1);
});

test('a PUT whose condition becomes false before its commit leaves no bytes', async () => {
  const { deps } = await openBucket();
  const commits = {
    ...{ commit: deps.commits.commit.bind(deps.commits) },
    // Somebody else is faster.
    allocate: async (...bucket: Parameters<World['commits']['allocate']>) => {
      await put(deps, 'a', 'theirs');
      return deps.commits.allocate(...bucket);
    },
  };
  const refused = putObject({ ...deps, commits }, place, CONTENT, onlyNew);
  await expect(refused).rejects.toMatchObject({ code: 'precondition_failed' });
  expect([...deps.state.blobs.values()].map(({ bytes }) => bytes.toString())).toEqual(['theirs']);
});

test('a PUT whose outcome nobody knows leaves its bytes, which may be those of an object', async () => {
  const { deps } = await openBucket();
  const lost = async () => {
    throw new Error('lost');
  };
  const commits = { allocate: deps.commits.allocate.bind(deps.commits), commit: lost };
  const unconditional = { conditional: false, conditions: () => undefined };
  await expect(putObject({ ...deps, commits }, place, CONTENT, unconditional)).rejects.toThrow();
  expect(blobsOf(deps)).toHaveLength(1);
});

test('a replaced object has its time of creation, and a version and a time of its own', async () => {
  const { deps } = await openBucket();
  const stored = async (text: string) => {
    deps.clock.advance(1000);
    const object = liveOf(await put(deps, 'a', text));
    if (!object) throw new Error('no object');
    return object;
  };
  const { createdAt } = await stored('one');
  const second = await stored('two');
  expect(second).toMatchObject({ createdAt, version: 2 });
  expect(second.updatedAt).not.toBe(createdAt);
  expect(await stored('three')).toMatchObject({ createdAt, version: 3 });
});
