/** Restoring random histories to random cursors, through crashes, compared with the model. */
import fc from 'fast-check';
import type { BucketRef } from '../../../core/bucket-ref';
import { commitObjects } from '../../../core/commits/commit-objects';
import { ServiceError } from '../../../core/errors';
import { LIMITS } from '../../../core/limits';
import { publishChanges } from '../../../core/log/publish';
import { trimBucket } from '../../../core/log/trim';
import { openAsOf } from '../../../core/versions/as-of';
import { type Restored, restoreObjects } from '../../../core/versions/restore-objects';
import { BUCKET, DAY, openBucket, put, remove, type World } from '../../support/bucket-world';
import { createFakes } from '../../support/fakes/fakes';
import { KEYS, run, type State, statsOf, step } from '../../support/histories';
import { readObjects, repairAndCheck } from '../../support/invariants';

interface Wanted {
  readonly asOf: number;
  readonly prefix?: string;
  readonly isDryRun?: boolean;
}

/** Every call of a restore, from the first to the last. */
async function restore(deps: World, { asOf, prefix = '', isDryRun = false }: Wanted) {
  const place = await openAsOf(deps, BUCKET, asOf);
  const calls: Restored[] = [];
  for (let start: string | undefined = prefix; start !== undefined; ) {
    const done: Restored = await restoreObjects(
      deps,
      { bucket: place.bucket, by: 'restorer' },
      { prefix, start, asOf: place.asOf, isDryRun, beforeCommit: async (changes) => changes },
    );
    calls.push(done);
    start = done.next;
  }
  return calls;
}

/** What the bucket holds now, by key: sizes, as in the model. */
async function stateOf(deps: World, { id }: BucketRef): Promise<State> {
  const records = await readObjects(deps.objects, id);
  return new Map(
    records.flatMap((record) => (record.state === 'live' ? [[record.key, record.size]] : [])),
  );
}

/** Another process, which dies before its operation number `at`. */
function mortal(deps: World, at: number): World {
  let operations = 0;
  const fakes = createFakes({
    ...deps,
    yieldPoint: async ({ when }) => {
      if (when === 'before') operations += 1;
      if (operations >= at) throw new Error('killed');
    },
  });
  return { ...deps, ...fakes };
}

const codeOf = (error: unknown) => (error instanceof ServiceError ? error.code : error);

test('a restore brings the keys with the prefix back to any kept cursor, whatever crashed before, and can be undone', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 25 }),
      fc.record({ at: fc.nat(1000), crash: fc.nat(30), prefix: fc.constantFrom('', 'a', 'b/') }),
      async (steps, { at, crash, prefix }) => {
        const { deps, bucket } = await openBucket();
        const model = await run(deps, bucket, steps);
        const { oldest, published } = await statsOf(deps);
        const asOf = oldest - 1 + (at % (published - oldest + 2));
        if (model.wholeAt(asOf) + 1 < oldest) return;
        const before = await stateOf(deps, bucket);
        await restore(mortal(deps, crash), { asOf, prefix }).catch(() => undefined);
        await restore(deps, { asOf, prefix });
        const expected = new Map([...before].filter(([key]) => !key.startsWith(prefix)));
        for (const [key, size] of model.at(asOf))
          if (key.startsWith(prefix)) expected.set(key, size);
        expect(new Map([...(await stateOf(deps, bucket))].sort())).toEqual(
          new Map([...expected].sort()),
        );
        const again = await restore(deps, { asOf, prefix });
        expect(again).toMatchObject([{ restored: 0, deleted: 0, failed: [] }]);
        await publishChanges(deps, BUCKET, { fillAllGaps: true });
        await restore(deps, { asOf: published, prefix });
        expect(await stateOf(deps, bucket)).toEqual(before);
        if (oldest === 1) await repairAndCheck(deps, later(deps), BUCKET, []);
      },
    ),
    { numRuns: 150 },
  );
});

/** The janitor two days later, when what a crash left is removed. */
function later(deps: World): World {
  const clock = Object.assign(Object.create(deps.clock) as World['clock'], {
    now: () => deps.clock.now() + 2 * DAY,
  });
  return { ...deps, clock };
}

test('a restored object has the bytes, type, headers and metadata that it had, and its own writer', async () => {
  const { deps, bucket } = await openBucket();
  const old = await put(deps, 'a', 'one', { n: '1' });
  await put(deps, 'a', 'two', { n: '2' });
  await publishChanges(deps, BUCKET);
  const [done] = await restore(deps, { asOf: 1 });
  expect(done).toMatchObject({ restored: 1, deleted: 0, unchanged: 0, from: 3, to: 3 });
  const restored = await deps.objects.get(bucket.id, 'a');
  if (restored?.state !== 'live' || old.state !== 'live') throw new Error('not live');
  const { etag, size, contentType, metadata, checksumSha256 } = old;
  expect(restored).toMatchObject({ etag, size, contentType, metadata, checksumSha256 });
  expect(restored).toMatchObject({ version: 3, cursor: 3, by: 'restorer' });
  expect(restored.blob).not.toBe(old.blob);
  expect(deps.state.blobs.has(restored.blob)).toBe(true);
});

test('an object of which only headers or metadata changed is restored without a copy', async () => {
  const { deps, bucket } = await openBucket();
  const old = await put(deps, 'a', 'one', { n: '1' });
  await commitObjects(
    deps,
    {
      bucket: BUCKET,
      changes: [{ op: 'patch', key: 'a', content: { headers: {}, metadata: {} } }],
    },
    { by: 'k', conditions: () => undefined, mayCommit: async () => true },
  );
  await publishChanges(deps, BUCKET);
  const blobs = deps.state.blobs.size;
  await restore(deps, { asOf: 1 });
  expect(deps.state.blobs.size).toBe(blobs);
  expect(await deps.objects.get(bucket.id, 'a')).toMatchObject({
    ...{ version: 3, metadata: { n: '1' } },
    blob: old.state === 'live' && old.blob,
  });
});

test('a key that is written while it is restored is compared again, and no version is lost', async () => {
  const { deps, bucket } = await openBucket();
  await put(deps, 'a', 'one');
  await put(deps, 'b', 'one');
  await put(deps, 'a', 'three');
  await put(deps, 'b', 'three');
  await publishChanges(deps, BUCKET);
  let writes = 0;
  const blobs = Object.assign(Object.create(deps.blobs) as World['blobs'], {
    copy: async (...parameters: Parameters<World['blobs']['copy']>) => {
      // A competing writer of each key: one ends with what is wanted, the other does not.
      const n = ++writes;
      if (n === 1) await put(deps, 'a', 'one');
      if (n === 2) await put(deps, 'b', 'seven!!');
      return deps.blobs.copy(...parameters);
    },
  });
  const [done] = await restore({ ...deps, blobs }, { asOf: 2 });
  expect(done).toMatchObject({ restored: 1, deleted: 0 });
  const sizes = new Map([
    ['a', 3],
    ['b', 3],
  ]);
  expect(await stateOf(deps, bucket)).toEqual(sizes);
  expect((await deps.objects.get(bucket.id, 'a'))?.version).toBe(3);
  expect((await deps.objects.get(bucket.id, 'b'))?.version).toBe(4);
});

test('a dry run names what a restore would change, and changes nothing', async () => {
  const { deps, bucket } = await openBucket();
  for (const key of KEYS.slice(0, 3)) await put(deps, key, 'one');
  await put(deps, 'a/1', 'two!');
  await remove(deps, 'a/2');
  await put(deps, 'new', 'x');
  await publishChanges(deps, BUCKET);
  const { cursor } = (await deps.buckets.get(BUCKET)) ?? { cursor: 0 };
  const [done] = await restore(deps, { asOf: 3, isDryRun: true });
  expect(done).toMatchObject({ restored: 2, deleted: 1, unchanged: 1 });
  const named = done?.differences.map(({ key, was }) => [key, was?.version]);
  expect(named).toEqual([
    ['a/1', 1],
    ['a/2', 1],
    ['new', undefined],
  ]);
  expect((await deps.buckets.get(BUCKET))?.cursor).toBe(cursor);
  expect(await stateOf(deps, bucket)).toEqual(
    new Map([
      ['a', 3],
      ['a/1', 4],
      ['new', 1],
    ]),
  );
});

test('a call changes LIMITS.restoresPerCall keys, and the next one continues', async () => {
  const { deps, bucket } = await openBucket();
  const count = LIMITS.restoresPerCall + 40;
  for (let n = 0; n < count; n++) await put(deps, String(n).padStart(4, '0'), 'x');
  while ((await statsOf(deps)).published < count) await publishChanges(deps, BUCKET);
  const calls = await restore(deps, { asOf: 0 });
  expect(calls.map(({ deleted }) => deleted)).toEqual([LIMITS.restoresPerCall, 40]);
  expect(calls.map(({ from, to }) => [from, to])).toEqual([
    [count + 1, count + LIMITS.restoresPerCall],
    [count + LIMITS.restoresPerCall + 1, 2 * count],
  ]);
  expect(await stateOf(deps, bucket)).toEqual(new Map());
});

test('a restore stops with cursor_expired when trimming has passed the cursor', async () => {
  const { deps, bucket } = await openBucket();
  await put(deps, 'a', 'one');
  await put(deps, 'a', 'two');
  await publishChanges(deps, BUCKET);
  const place = await openAsOf(deps, BUCKET, 1);
  deps.clock.advance(8 * DAY);
  await trimBucket(deps, bucket, await statsOf(deps), { entries: 100 });
  const late = restoreObjects(
    deps,
    { bucket: place.bucket, by: 'k' },
    { prefix: '', start: '', asOf: 1, isDryRun: false, beforeCommit: async (changes) => changes },
  );
  expect(await late.catch(codeOf)).toBe('cursor_expired');
  expect((await deps.objects.get(bucket.id, 'a'))?.version).toBe(2);
});
