import fc from 'fast-check';
import { sha256Base64 } from '../../../../core/http/digests';
import {
  type KeyBlobs,
  keyBlobs,
  listIncarnations,
  type StoredBlob,
} from '../../../../core/maintenance/recovery/stored-blobs';
import { createFakes, type Fakes } from '../../../support/fakes/fakes';
import { compareUtf8 } from '../../../support/fakes/state';

const ID = 'abcdefghij12';
const BUCKET = { name: 'photos', id: ID };
const BYTES = Buffer.from('x');
const ALL = Number.NEGATIVE_INFINITY;

async function store(fakes: Fakes, blob: string): Promise<void> {
  const properties = {
    contentType: 'a/b',
    headers: {},
    metadata: {},
    checksumSha256: sha256Base64(BYTES),
  };
  await fakes.blobs.put(blob, BYTES, properties);
}

/** The list in pages of two, to meet every boundary. */
const paged = (fakes: Fakes) => ({
  list: async (prefix: string, after?: string) => {
    const { items, more } = await fakes.blobs.list(prefix, after);
    return { items: items.slice(0, 2), more: more || items.length > 2 };
  },
});

async function collect(fakes: Fakes, since = ALL): Promise<KeyBlobs[]> {
  const found: KeyBlobs[] = [];
  for await (const one of keyBlobs(paged(fakes), BUCKET, since)) found.push(one);
  return found;
}

test('keyBlobs groups the blobs of both prefixes by key, newest first, also for nested keys', async () => {
  const part = fc.constantFrom('a', 'b', '', '0', '\u{10000}', '\uFFFD');
  const write = fc.record({
    key: fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/')),
    prefix: fc.constantFrom('objects', 'uploads'),
    wait: fc.constantFrom(0, 1, 1000),
    /**
     * The key continues the name of a blob, so its blobs are listed between those of another key.
     */
    within: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(write, { maxLength: 25 }), async (writes) => {
      const fakes = createFakes();
      const expected = new Map<string, string[]>();
      let last = '';
      for (const { key: drawn, prefix, wait, within } of writes) {
        fakes.clock.advance(wait);
        const key = (within && last) || drawn || 'a';
        const ulid = fakes.ids.ulid();
        const blob = `${prefix}/photos.${ID}/${key}/${ulid}`;
        await store(fakes, blob);
        expected.set(key, [blob, ...(expected.get(key) ?? [])]);
        last = `${key}/${ulid}`;
      }
      const found = await collect(fakes);
      expect(found.map(({ key }) => key).sort(compareUtf8)).toEqual(
        [...expected.keys()].sort(compareUtf8),
      );
      for (const { key, count, candidates } of found) {
        expect(candidates.map(({ blob }) => blob)).toEqual(expected.get(key));
        expect(count).toBe(candidates.length);
      }
    }),
    { numRuns: 200 },
  );
});

test('keyBlobs counts older blobs but does not return them as candidates', async () => {
  const fakes = createFakes();
  const put = () => store(fakes, `objects/photos.${ID}/k/${fakes.ids.ulid()}`);
  await put();
  fakes.clock.advance(5_000);
  const since = fakes.clock.now();
  await put();
  fakes.clock.advance(5_000);
  await put();
  const [found] = await collect(fakes, since);
  expect(found).toMatchObject({ count: 3, oldest: since });
  const times = found?.candidates.map(({ at }: StoredBlob) => at - since);
  expect(times).toEqual([5_000, 0]);
});

test('keyBlobs dates a presigned upload by S3, not by its URL', async () => {
  const fakes = createFakes();
  const ulid = fakes.ids.ulid();
  fakes.clock.advance(60_000);
  await store(fakes, `uploads/photos.${ID}/k/${ulid}`);
  expect((await collect(fakes))[0]?.candidates[0]?.at).toBe(fakes.clock.now());
});

test('keyBlobs holds at most the newest thousand blobs of a key', async () => {
  const fakes = createFakes();
  for (let i = 0; i < 1_200; i++) {
    fakes.clock.advance(10);
    await store(fakes, `objects/photos.${ID}/hot/${fakes.ids.ulid()}`);
  }
  const [found] = await collect(fakes);
  expect(found).toMatchObject({ count: 1_200, oldest: fakes.clock.now() - 11_990 });
  expect(found?.candidates).toHaveLength(1_000);
  expect(found?.candidates[0]?.at).toBe(fakes.clock.now());
});

test('listIncarnations finds each incarnation with few requests and skips other S3 objects', async () => {
  const fakes = createFakes();
  const other = 'ABCDEFGHIJ34';
  for (let i = 0; i < 5; i++) await store(fakes, `objects/photos.${ID}/${i}/${fakes.ids.ulid()}`);
  await store(fakes, `uploads/photos.${ID}/x/${fakes.ids.ulid()}`);
  await store(fakes, `uploads/photos-2.${other}/x/${fakes.ids.ulid()}`);
  const foreign = ['readme.txt', 'photos/x', 'no.id/x', `A-photos.${'f'.repeat(12)}/x`];
  const longer = [`photos.${'g'.repeat(13)}/x`, `photos.${'h'.repeat(13)}`];
  for (const name of [...foreign, ...longer]) await store(fakes, `objects/${name}`);
  let lists = 0;
  const list: typeof fakes.blobs.list = (...page) => {
    lists += 1;
    return fakes.blobs.list(...page);
  };
  expect(await listIncarnations({ list })).toEqual([BUCKET, { name: 'photos-2', id: other }]);
  expect(lists).toBeLessThanOrEqual(12);
});

test('keyBlobs dates a PUT by its name when its bytes were copied later', async () => {
  const fakes = createFakes();
  const older = `objects/photos.${ID}/a/${fakes.ids.ulid()}`;
  fakes.clock.advance(1000);
  const newer = `objects/photos.${ID}/a/${fakes.ids.ulid()}`;
  fakes.clock.advance(86_400_000);
  await store(fakes, newer);
  fakes.clock.advance(5000);
  await store(fakes, older);
  const [found] = await collect(fakes);
  expect(found?.candidates.map(({ blob }) => blob)).toEqual([newer, older]);
});
