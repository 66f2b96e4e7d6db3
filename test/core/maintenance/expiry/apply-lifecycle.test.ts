import fc from 'fast-check';
import { createBucket, deleteBucket } from '../../../../core/buckets/buckets';
import { isExpiredBy, nextRuledRange, parseLifecycle } from '../../../../core/buckets/lifecycle';
import { applyLifecycle } from '../../../../core/maintenance/apply-lifecycle';
import { NEVER_STOP, stopWhen } from '../../../../core/stop-signal';
import type { LifecycleRule } from '../../../../core/store/buckets';
import type { LiveObject } from '../../../../core/store/objects';
import { BUCKET, DAY, openBucket, put, type World } from '../../../support/bucket-world';
import { createFakes } from '../../../support/fakes/fakes';
import { readLog, repairAndCheck } from '../../../support/invariants';
import { liveKeys, MINUTE } from './world';

async function openWith(...rules: readonly LifecycleRule[]) {
  const opened = await openBucket();
  await opened.deps.buckets.setLifecycle({ name: BUCKET, rules }, opened.deps.clock.iso());
  return opened;
}

const afterDays = (expireAfterDays: number, prefix = '') => ({ prefix, expireAfterDays });

/** A walk and the day until the next one. */
async function walk(deps: World, days = 1): Promise<void> {
  deps.clock.advance(days * DAY + MINUTE);
  await applyLifecycle(deps, NEVER_STOP);
}

describe('lifecycle rules', () => {
  test('delete the objects of their prefix within a day after their age, and never before', async () => {
    const { deps, bucket } = await openWith(afterDays(3, 'tmp/'), afterDays(5));
    await applyLifecycle(deps, NEVER_STOP);
    for (const key of ['a', 'tmp/a', 'tmpfile']) await put(deps, key, 'x');
    await walk(deps, 2);
    expect(liveKeys(deps, bucket.id)).toEqual(['a', 'tmp/a', 'tmpfile']);
    await walk(deps);
    expect(liveKeys(deps, bucket.id)).toEqual(['a', 'tmpfile']);
    await walk(deps, 2);
    expect(liveKeys(deps, bucket.id)).toEqual([]);
    const log = await readLog(deps.changeLog, { ...bucket, cursor: 6 });
    const deleted = log.filter(({ type }) => type === 'delete');
    expect(deleted).toHaveLength(3);
    for (const entry of deleted) expect(entry).toMatchObject({ object: { cause: 'expired' } });
  });

  test('count from the version, so that an object that is written again stays', async () => {
    const { deps, bucket } = await openWith(afterDays(3));
    await put(deps, 'a', 'x');
    deps.clock.advance(2 * DAY);
    await put(deps, 'a', 'y');
    await walk(deps, 2);
    expect(liveKeys(deps, bucket.id)).toEqual(['a']);
  });

  /** Found by the simulation, seed 508574. */
  test('are applied by the run that ends a walk of more than a day ago', async () => {
    const { deps, bucket } = await openWith(afterDays(1));
    await put(deps, 'a', 'x');
    const before = deps.state.service.get('lifecycle');
    await applyLifecycle(
      deps,
      stopWhen(() => deps.state.service.get('lifecycle') !== before),
    );
    await walk(deps, 2);
    expect(liveKeys(deps, bucket.id)).toEqual([]);
  });

  test('delete nothing more once they are removed', async () => {
    const { deps, bucket } = await openWith(afterDays(1));
    await applyLifecycle(deps, NEVER_STOP);
    await put(deps, 'a', 'x');
    await deps.buckets.setLifecycle({ name: BUCKET, rules: [] }, deps.clock.iso());
    await walk(deps, 2);
    expect(liveKeys(deps, bucket.id)).toEqual(['a']);
  });

  test('leave a bucket that was created again under the name alone', async () => {
    const { deps } = await openWith(afterDays(1));
    const first = await deps.buckets.get(BUCKET);
    if (!first) throw new Error('no bucket');
    await deleteBucket(deps, first);
    const again = await createBucket(deps, BUCKET);
    await deps.bucketIds.refresh(BUCKET);
    await put(deps, 'a', 'x');
    await walk(deps, 2);
    expect(liveKeys(deps, again?.id ?? '')).toEqual(['a']);
  });

  test('of a failing bucket do not stop those of the next one', async () => {
    const { deps, bucket } = await openWith(afterDays(1));
    await put(deps, 'a', 'x');
    const other = await createBucket(deps, 'zebra');
    const rules = [afterDays(1)];
    await deps.buckets.setLifecycle({ name: 'zebra', rules }, deps.clock.iso());
    const list = deps.objects.list.bind(deps.objects);
    const listed: string[] = [];
    jest.spyOn(deps.objects, 'list').mockImplementation(async (id, range, limit) => {
      listed.push(id);
      if (id === bucket.id) throw new Error('throttled');
      return list(id, range, limit);
    });
    deps.clock.advance(2 * DAY);
    await expect(applyLifecycle(deps, NEVER_STOP)).rejects.toThrow('failed for photos');
    expect(listed).toEqual([bucket.id, other?.id]);
    jest.restoreAllMocks();
    await walk(deps);
    expect(liveKeys(deps, bucket.id)).toEqual([]);
  });

  test('are applied to many objects in several runs, each of which may crash', async () => {
    const { deps, bucket } = await openWith(afterDays(1));
    for (let n = 0; n < 2300; n++) {
      const key = `k${String(n).padStart(4, '0')}`;
      deps.state.objectsOf(bucket.id).set(key, await copyOf(deps, key, n + 1));
    }
    deps.state.buckets.set(BUCKET, { ...bucket, cursor: 2300 });
    deps.clock.advance(2 * DAY);
    let runs = 0;
    for (; liveKeys(deps, bucket.id).length > 0; runs++) {
      expect(runs).toBeLessThan(200);
      let operations = 0;
      const dying = createFakes({
        ...deps,
        yieldPoint: () => {
          operations += 1;
          if (runs % 2 === 0 && operations > 60) throw new Error('killed');
        },
      });
      let asked = 0;
      const signal = stopWhen(() => ++asked > 12);
      await applyLifecycle({ ...deps, ...dying }, signal).catch(() => undefined);
      // What a killed run leaves of its bucket is left to the next walk.
      deps.clock.advance(DAY);
    }
    expect(runs).toBeGreaterThan(3);
  });
});

/** A record without an entry: this test only counts deletions. */
async function copyOf(deps: World, key: string, cursor: number): Promise<LiveObject> {
  const at = deps.clock.iso();
  return {
    ...{ state: 'live', bucket: BUCKET, key, size: 1, etag: 'e', version: 1, cursor },
    ...{ createdAt: at, updatedAt: at, contentType: 'a/b', headers: {}, metadata: {} },
    ...{ blob: `objects/${key}`, ancestors: [] },
  };
}

test('concurrent janitors, and killed ones, delete each version once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'tmp/a', 'tmp/b'), days: fc.nat(3) }), {
        maxLength: 12,
      }),
      fc.nat(25),
      async (steps, crash) => {
        const { deps, bucket } = await openWith(afterDays(1, 'tmp/'), afterDays(3));
        for (const { key, days } of steps) {
          await put(deps, key, 'x');
          deps.clock.advance(days * DAY);
          let operations = 0;
          const dying = createFakes({
            ...deps,
            yieldPoint: () => {
              operations += 1;
              if (operations > crash) throw new Error('killed');
            },
          });
          await applyLifecycle({ ...deps, ...dying }, NEVER_STOP).catch(() => undefined);
          await Promise.all([applyLifecycle(deps, NEVER_STOP), applyLifecycle(deps, NEVER_STOP)]);
        }
        await walk(deps, 2);
        await walk(deps, 2);
        expect(liveKeys(deps, bucket.id)).toEqual([]);
        const log = await repairAndCheck(deps, deps, BUCKET, []);
        for (const entry of log) {
          if (entry.type !== 'delete') continue;
          const { previous, object } = entry;
          if (previous?.state !== 'live') throw new Error('deleted what did not exist');
          const age = Date.parse(entry.at) - Date.parse(previous.updatedAt);
          expect(age).toBeGreaterThanOrEqual((object.key.startsWith('tmp/') ? 1 : 3) * DAY);
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('the ranges of rules cover exactly the keys of their prefixes, each once', () => {
  const text = fc.array(fc.constantFrom('a', 'b', '/', '😀'), { maxLength: 3 });
  const name = text.map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(fc.array(name, { maxLength: 5 }), name, (prefixes, key) => {
      const rules = prefixes.map((prefix) => afterDays(1, prefix));
      let times = 0;
      for (let from: string | undefined = ''; from !== undefined; ) {
        const range = nextRuledRange(rules, from);
        const bytes = (value: string) => Buffer.from(value);
        const isIn =
          range !== undefined &&
          Buffer.compare(bytes(range.from), bytes(key)) <= 0 &&
          (range.before === undefined || Buffer.compare(bytes(key), bytes(range.before)) < 0);
        if (isIn) times += 1;
        from = range?.before;
      }
      expect(times).toBe(prefixes.some((prefix) => key.startsWith(prefix)) ? 1 : 0);
      const old = { key, updatedAt: new Date(0).toISOString() } as LiveObject;
      expect(isExpiredBy(rules, old, DAY)).toBe(times === 1);
      expect(isExpiredBy(rules, old, DAY - 1)).toBe(false);
    }),
  );
});

test.each([
  ['no rules', {}, 'lifecycle'],
  ['an unknown field', { lifecycle: [], name: 'a' }, 'name'],
  ['no list', { lifecycle: {} }, 'lifecycle'],
  ['too many rules', { lifecycle: Array(21).fill({ expire_after_days: 1 }) }, 'lifecycle'],
  ['a rule that is no object', { lifecycle: [1] }, 'lifecycle[0]'],
  ['an unknown field of a rule', { lifecycle: [{ days: 1 }] }, 'lifecycle[0].days'],
  ['no days', { lifecycle: [{ prefix: 'a' }] }, 'lifecycle[0].expire_after_days'],
  ['no day', { lifecycle: [{ expire_after_days: 0 }] }, 'lifecycle[0].expire_after_days'],
  ['half a day', { lifecycle: [{ expire_after_days: 0.5 }] }, 'lifecycle[0].expire_after_days'],
  ['days as a text', { lifecycle: [{ expire_after_days: '1' }] }, 'lifecycle[0].expire_after_days'],
  [
    'a prefix that is no text',
    { lifecycle: [{ prefix: 1, expire_after_days: 1 }] },
    'lifecycle[0].prefix',
  ],
])('a request is refused with %s', (_, body, field) => {
  expect(() => parseLifecycle(body)).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      details: expect.objectContaining({ field }),
    }),
  );
});
