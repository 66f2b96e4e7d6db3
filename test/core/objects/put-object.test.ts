/** When a PUT stores its bytes, and whether they stay. */
import { ServiceError } from '../../../core/errors';
import { sha256Base64 } from '../../../core/http/digests';
import { putObject } from '../../../core/objects/objects';
import { liveOf } from '../../../core/store/objects';
import { BUCKET, blobsOf, openBucket, put, remove, type World } from '../../support/bucket-world';

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

const unconditional = { conditional: false, conditions: () => undefined };

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
  await expect(putObject({ ...deps, commits }, place, CONTENT, unconditional)).rejects.toThrow();
  expect(blobsOf(deps)).toHaveLength(1);
});

test('a replaced object keeps created_at, and gets the next version and a new updated_at', async () => {
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

test('an object that is stored after a delete is a new one', async () => {
  const { deps } = await openBucket();
  await put(deps, 'a', 'one');
  await remove(deps, 'a');
  deps.clock.advance(1000);
  const createdAt = deps.clock.iso();
  expect(await put(deps, 'a', 'two')).toMatchObject({ version: 3, createdAt });
});

/** The same ports, of which one operation fails. */
function failing(deps: World, port: 'blobs' | 'objects', operation: string): World {
  const fail = async () => {
    throw new Error(`${operation} failed`);
  };
  return { ...deps, [port]: Object.assign(Object.create(deps[port]), { [operation]: fail }) };
}

test('a PUT whose bytes cannot be stored commits nothing', async () => {
  const { deps, bucket } = await openBucket();
  const broken = failing(deps, 'blobs', 'put');
  const refused = putObject(broken, place, CONTENT, unconditional);
  await expect(refused).rejects.toThrow('put failed');
  expect(await deps.objects.get(bucket.id, 'a')).toBeUndefined();
});

test('a PUT that cannot read its key leaves no bytes, and throws that error if they cannot be removed', async () => {
  const { deps } = await openBucket();
  const broken = failing(deps, 'objects', 'get');
  const refused = (world: World) =>
    expect(putObject(world, place, CONTENT, unconditional)).rejects.toThrow('get failed');
  await refused(broken);
  expect(blobsOf(deps)).toEqual([]);
  await refused(failing(broken, 'blobs', 'remove'));
});
