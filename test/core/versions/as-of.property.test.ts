/** The states of a bucket at its earlier cursors, compared with a model of every cursor. */
import fc from 'fast-check';
import { ServiceError } from '../../../core/errors';
import { LIMITS } from '../../../core/limits';
import { publishChanges } from '../../../core/log/publish';
import { trimBucket } from '../../../core/log/trim';
import { compareNames, prefixRange } from '../../../core/names';
import { type Listing, listObjects } from '../../../core/objects/listing';
import { getAsOf, ObjectsAsOf, openAsOf, whileKept } from '../../../core/versions/as-of';
import { BUCKET, DAY, openBucket, put, remove, type World } from '../../support/bucket-world';
import { KEYS, run, type State, statsOf, step } from '../../support/histories';

interface Query {
  readonly prefix: string;
  readonly delimiter: string;
  readonly limit: number;
}

/** Every page of the list as of the cursor. */
async function listAsOf(deps: World, { prefix, delimiter, limit }: Query, wanted: number) {
  const { bucket, asOf } = await openAsOf(deps, BUCKET, wanted);
  const found: [string, number][] = [];
  const prefixes: string[] = [];
  for (let from: string | undefined = prefix; from !== undefined; ) {
    const start: string = from;
    const query = { ranges: [prefixRange(prefix)], prefix, delimiter, limit };
    const page: Listing = await whileKept(deps, bucket, asOf, () =>
      listObjects(new ObjectsAsOf(deps, asOf), bucket.id, query, start),
    );
    for (const object of page.objects) {
      expect(object.cursor).toBeLessThanOrEqual(asOf);
      found.push([object.key, object.size]);
    }
    prefixes.push(...page.prefixes);
    from = page.next;
  }
  return { found, prefixes };
}

function expectedList(state: State, { prefix, delimiter }: Query) {
  const found: [string, number][] = [];
  const prefixes = new Set<string>();
  for (const name of [...state.keys()].sort(compareNames)) {
    if (!name.startsWith(prefix)) continue;
    const at = delimiter === '' ? -1 : name.indexOf(delimiter, prefix.length);
    if (at < 0) found.push([name, state.get(name) ?? 0]);
    else prefixes.add(name.slice(0, at + delimiter.length));
  }
  return { found, prefixes: [...prefixes] };
}

const codeOf = (error: unknown) => (error instanceof ServiceError ? error.code : error);

const query: fc.Arbitrary<Query> = fc.record({
  prefix: fc.constantFrom('', 'a', 'a/', 'b/'),
  delimiter: fc.constantFrom('', '/'),
  limit: fc.constantFrom(1, 2, 100),
});

test('objects and lists as of each retained cursor equal the model, and the others are expired', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), query, async (steps, wanted) => {
      const { deps, bucket } = await openBucket();
      const model = await run(deps, bucket, steps);
      const { oldest, published } = await statsOf(deps);
      for (let asOf = 0; asOf <= published; asOf++) {
        if (model.wholeAt(asOf) + 1 < oldest) {
          const get = getAsOf(deps, BUCKET, 'a', asOf).catch(codeOf);
          expect(await get).toBe('cursor_expired');
          expect(await listAsOf(deps, wanted, asOf).catch(codeOf)).toBe('cursor_expired');
          continue;
        }
        const state = model.at(asOf);
        for (const name of KEYS) {
          const record = await getAsOf(deps, BUCKET, name, asOf);
          expect(record?.state === 'live' ? record.size : undefined).toBe(state.get(name));
          if (record?.state === 'live') expect(deps.state.blobs.has(record.blob)).toBe(true);
        }
        expect(await listAsOf(deps, wanted, asOf)).toEqual(expectedList(state, wanted));
      }
    }),
    { numRuns: 200 },
  );
});

test('a state that is trimmed while it is read is expired', async () => {
  const { deps, bucket } = await openBucket();
  for (const text of ['1', '2', '3']) await put(deps, 'a', text);
  await put(deps, 'b', 'x');
  await publishChanges(deps, BUCKET);
  const objects = Object.assign(Object.create(deps.objects) as World['objects'], {
    get: async (id: string, name: string) => {
      const found = await deps.objects.get(id, name);
      deps.clock.advance(8 * DAY);
      await trimBucket(deps, bucket, await statsOf(deps), { entries: 1000 });
      return found;
    },
  });
  const trimming = { ...deps, objects };
  expect(await getAsOf(trimming, BUCKET, 'a', 2).catch(codeOf)).toBe('cursor_expired');
});

test('a key whose tombstone is trimmed while it is read is expired, not missing', async () => {
  const { deps, bucket } = await openBucket();
  await put(deps, 'a', '1');
  await remove(deps, 'a');
  await publishChanges(deps, BUCKET);
  const stats = await statsOf(deps);
  let reads = 0;
  const buckets = Object.assign(Object.create(deps.buckets) as World['buckets'], {
    stats: async () => {
      if (reads++ > 0) return deps.buckets.stats(BUCKET);
      deps.clock.advance(8 * DAY);
      await trimBucket(deps, bucket, stats, { entries: 1000 });
      return stats;
    },
  });
  const late = { ...deps, buckets };
  expect(await getAsOf(late, BUCKET, 'a', 1).catch(codeOf)).toBe('cursor_expired');
});

test('a cursor at or after which a writer is still at work is unavailable', async () => {
  const { deps, bucket } = await openBucket();
  await put(deps, 'a', '1');
  await deps.commits.allocate(bucket);
  await put(deps, 'b', '2');
  expect((await getAsOf(deps, BUCKET, 'a', 1))?.cursor).toBe(1);
  expect(await getAsOf(deps, BUCKET, 'b', 2).catch(codeOf)).toBe('unavailable');
  expect(await getAsOf(deps, BUCKET, 'b', 3).catch(codeOf)).toBe('unavailable');
  expect(await getAsOf(deps, BUCKET, 'b', 4).catch(codeOf)).toBe('invalid_request');
});

test('a page ends after LIMITS.asOfRecords newer records, and the next one continues', async () => {
  const { deps } = await openBucket();
  const count = LIMITS.asOfRecords + 50;
  const names = Array.from({ length: count }, (_, n) => String(n).padStart(5, '0'));
  for (const name of names) await put(deps, name, 'old');
  for (const name of names) await remove(deps, name);
  await put(deps, 'kept', 'then');
  const asOf = 2 * count + 1;
  for (const name of names) await put(deps, name, 'newer');
  while ((await statsOf(deps)).published < 3 * count + 1) await publishChanges(deps, BUCKET);
  const source = new ObjectsAsOf(deps, asOf);
  const whole = { ranges: [prefixRange('')], prefix: '', delimiter: '', limit: 1000 };
  const { id } = (await openAsOf(deps, BUCKET, asOf)).bucket;
  const page = await listObjects(source, id, whole, '');
  expect(page).toEqual({ objects: [], prefixes: [], next: `${names[LIMITS.asOfRecords - 1]}\0` });
  const { found } = await listAsOf(deps, { prefix: '', delimiter: '', limit: 1000 }, asOf);
  expect(found).toEqual([['kept', 4]]);
});
