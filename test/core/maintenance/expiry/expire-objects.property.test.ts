/** Random histories of objects that expire, with concurrent janitors that crash. */
import fc from 'fast-check';
import { CLOCK_SKEW_MS, expireObjects } from '../../../../core/maintenance/expire-objects';
import { prefixRange } from '../../../../core/names';
import type { Page } from '../../../../core/pages';
import { NEVER_STOP } from '../../../../core/stop-signal';
import type { DueObject } from '../../../../core/store/objects';
import { ObjectsAsOf, openAsOf } from '../../../../core/versions/as-of';
import { BUCKET, DAY, openBucket, remove, type World } from '../../../support/bucket-world';
import { createFakes } from '../../../support/fakes/fakes';
import { readLog, repairAndCheck } from '../../../support/invariants';
import { inFuture, MINUTE, patchExpiry, putExpiring } from './world';

const RUN_EVERY = 15 * MINUTE;
const LAG = 60 * MINUTE;
const KEYS = ['a', 'b', 'c', 'd', 'e'];

const key = fc.constantFrom(...KEYS);
/** In minutes; negative: an upload that was committed late. */
const minutes = fc.oneof(fc.integer({ min: -200, max: 400 }), fc.constant(null));
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('put' as const), key, minutes }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('patch' as const), key, minutes }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), key }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('tick' as const),
      runs: fc.integer({ min: 1, max: 20 }),
      /** The janitor dies before or after its operation of this number. */
      crash: fc.option(fc.nat(60), { nil: undefined }),
      beside: fc.boolean(),
      lags: fc.boolean(),
    }),
  },
);

/** Another process, which dies before its operation number `at`. */
function mortal(deps: World, at: number): World {
  let operations = 0;
  const fakes = createFakes({
    ...deps,
    yieldPoint: async () => {
      operations += 1;
      if (operations >= at) throw new Error('killed');
    },
  });
  return { ...deps, ...fakes };
}

/** The index shows nothing of the commits of the last hour yet. */
function lagging(deps: World): World {
  const isShown = ({ bucketId, key }: DueObject) => {
    const record = deps.state.objectsOf(bucketId).get(key);
    return record?.state === 'live' && Date.parse(record.updatedAt) < deps.clock.now() - LAG;
  };
  const due = async (...args: Parameters<World['objects']['due']>): Promise<Page<DueObject>> => {
    const page = await deps.objects.due(...args);
    return { items: page.items.filter(isShown), more: page.more };
  };
  const objects = Object.assign(Object.create(deps.objects) as World['objects'], { due });
  return { ...deps, objects };
}

const overdue = (deps: World, bucketId: string, at: number) =>
  [...deps.state.objectsOf(bucketId).values()].filter(
    (record) =>
      record.state === 'live' &&
      record.expiresAt !== undefined &&
      Date.parse(record.expiresAt) <= at - CLOCK_SKEW_MS,
  );

const at = (deps: World, offset: number | null) =>
  offset === null ? undefined : inFuture(deps, offset * MINUTE);

test('an object is deleted once, never early and within two runs, whatever crashes or overtakes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 20 }), async (steps) => {
      const { deps, bucket } = await openBucket();
      // The first run comes before anything expires: minutes after the deployment.
      await expireObjects(deps, NEVER_STOP);
      for (const one of steps) {
        if (one.kind === 'put') await putExpiring(deps, one.key, at(deps, one.minutes));
        else if (one.kind === 'patch') {
          await patchExpiry(deps, one.key, at(deps, one.minutes) ?? null).catch(() => undefined);
        } else if (one.kind === 'delete') await remove(deps, one.key).catch(() => undefined);
        else {
          deps.clock.advance(one.runs * RUN_EVERY);
          const seen = deps.clock.now();
          if (one.crash !== undefined) {
            await expireObjects(mortal(deps, one.crash), NEVER_STOP).catch(() => undefined);
          }
          const first = one.lags ? lagging(deps) : deps;
          const beside = one.beside ? expireObjects(deps, NEVER_STOP) : undefined;
          // A new put or patch overtakes the janitor.
          await Promise.all([
            beside,
            expireObjects(first, NEVER_STOP),
            patchExpiry(deps, 'a', inFuture(deps, 90 * MINUTE)).catch(() => undefined),
          ]);
          deps.clock.advance(RUN_EVERY);
          await expireObjects(deps, NEVER_STOP);
          expect(overdue(deps, bucket.id, seen)).toEqual([]);
        }
      }
      const clock = Object.assign(Object.create(deps.clock) as World['clock'], {
        now: () => deps.clock.now() + 2 * DAY,
      });
      await repairAndCheck(deps, { ...deps, clock }, BUCKET, []);
      await checkHistory(deps, bucket.id);
    }),
    { numRuns: 150 },
  );
});

/** Never early, with the cause, and every earlier state as the log has it. */
async function checkHistory(deps: World, bucketId: string): Promise<void> {
  const record = await deps.buckets.get(BUCKET);
  if (!record) throw new Error('no bucket');
  const state = new Map<string, number>();
  for (const entry of await readLog(deps.changeLog, record)) {
    if (entry.type === 'noop') continue;
    const { object, previous } = entry;
    if (object.state === 'live') state.set(object.key, object.cursor);
    else state.delete(object.key);
    if (object.state === 'deleted' && object.cause !== undefined) {
      if (previous?.state !== 'live') throw new Error('deleted what did not exist');
      expect(Date.parse(previous.expiresAt ?? '9999')).toBeLessThanOrEqual(
        Date.parse(entry.at) - CLOCK_SKEW_MS,
      );
    }
    if (entry.commit && entry.commit.last !== entry.cursor) continue;
    if (entry.cursor % 3 === 0)
      expect(await stateAsOf(deps, bucketId, entry.cursor)).toEqual(state);
  }
}

async function stateAsOf(deps: World, bucketId: string, cursor: number) {
  const { asOf } = await openAsOf(deps, BUCKET, cursor);
  const pairs = await new ObjectsAsOf(deps, asOf).pairs(bucketId, prefixRange(''), 100);
  return new Map(
    pairs.items.flatMap(({ was }) => (was.state === 'live' ? [[was.key, was.cursor]] : [])),
  );
}
