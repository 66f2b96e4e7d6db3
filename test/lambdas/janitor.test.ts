/** The janitor's tasks in the time of its function, on the fakes. */
import type { Context } from 'aws-lambda';
import { createJanitor } from '../../lambdas/janitor/app';
import { liveKeys, MINUTE, putExpiring } from '../core/maintenance/expiry/world';
import {
  BUCKET,
  blobsOf,
  DAY,
  openBucket,
  put,
  storeBlob,
  type World,
} from '../support/bucket-world';
import { createFakes } from '../support/fakes/fakes';

const FUNCTION_MS = 15 * MINUTE;

/** The time that is left of an invocation that begins now. */
function contextOf({ clock }: World): Context {
  const began = clock.now();
  const getRemainingTimeInMillis = () => began + FUNCTION_MS - clock.now();
  return { getRemainingTimeInMillis } as Context;
}

const run = (deps: World, task: unknown) => createJanitor(deps)({ task }, contextOf(deps));

/** A bucket whose objects expire after a day by a rule, and one object of two days. */
async function openRuled() {
  const { deps, bucket } = await openBucket();
  const rules = [{ prefix: '', expireAfterDays: 1 }];
  await deps.buckets.setLifecycle({ name: BUCKET, rules }, deps.clock.iso());
  await put(deps, 'a', 'x');
  deps.clock.advance(2 * DAY);
  return { deps, bucket };
}

test('lifecycle rules are applied although a run has too little time for all expired objects', async () => {
  const { deps, bucket } = await openRuled();
  const began = deps.clock.now();
  const due = deps.objects.due.bind(deps.objects);
  let last = 0;
  jest.spyOn(deps.objects, 'due').mockImplementation((...parameters) => {
    last = deps.clock.now() - began;
    deps.clock.advance(MINUTE);
    return due(...parameters);
  });
  await run(deps, 'expiry');
  jest.restoreAllMocks();
  expect(liveKeys(deps, bucket.id)).toEqual([]);
  // What has expired gets nine minutes: the last hour begins before, and has eight parts.
  expect(last).toBe(8 * MINUTE);
});

test('lifecycle rules are applied although the deletion of expired objects fails', async () => {
  const { deps, bucket } = await openRuled();
  const fakes = createFakes({
    ...deps,
    yieldPoint: ({ operation }) => {
      if (operation === 'due') throw new Error('throttled');
    },
  });
  await expect(run({ ...deps, ...fakes }, 'expiry')).rejects.toThrow('throttled');
  expect(liveKeys(deps, bucket.id)).toEqual([]);
});

test('the janitor begins nothing in the last half minute of the function', async () => {
  const { deps, bucket } = await openRuled();
  await putExpiring(deps, 'b', deps.clock.iso());
  deps.clock.advance(2 * MINUTE);
  const context = { getRemainingTimeInMillis: () => 29_999 } as Context;
  await createJanitor(deps)({ task: 'expiry' }, context);
  expect(liveKeys(deps, bucket.id)).toEqual(['a', 'b']);
  const enough = { getRemainingTimeInMillis: () => 30_000 } as Context;
  await createJanitor(deps)({ task: 'expiry' }, enough);
  expect(liveKeys(deps, bucket.id)).toEqual([]);
});

describe('the task', () => {
  /** A bucket with something to do for each task. */
  async function openDirty() {
    const { deps, bucket } = await openBucket();
    await put(deps, 'a', 'x');
    await putExpiring(deps, 'b', deps.clock.iso());
    await storeBlob(deps, `objects/${BUCKET}.${bucket.id}/c/${deps.ids.ulid()}`);
    const id = deps.ids.ulid();
    const blob = `uploads/${BUCKET}.${bucket.id}/d/${id}`;
    const upload = { id, bucket: BUCKET, bucketId: bucket.id, key: 'd', blob, ttl: 9e9 };
    const expiresAt = deps.clock.iso();
    await deps.uploads.create({ ...upload, state: 'pending', expiresAt });
    await deps.pendingCopies.begin({ ...upload, id: 'copy', state: 'committed', expiresAt });
    deps.clock.advance(2 * DAY);
    const state = async () => ({
      published: (await deps.buckets.stats(BUCKET))?.published,
      live: liveKeys(deps, bucket.id).length,
      blobs: blobsOf(deps).length,
      upload: (await deps.uploads.get(id))?.state,
      copies: (await deps.pendingCopies.list()).length,
    });
    return { deps, state };
  }

  const DIRTY = { published: 0, live: 2, blobs: 3, upload: 'pending', copies: 1 };

  test.each([
    ['logs', { published: 2 }],
    ['copies', { copies: 0 }],
    ['uploads', { upload: 'refused' }],
    ['expiry', { live: 1 }],
    ['reconcile', { blobs: 2 }],
  ])('%s does its part and nothing else: %j', async (task, change) => {
    const { deps, state } = await openDirty();
    expect(await state()).toEqual(DIRTY);
    await run(deps, task);
    expect(await state()).toEqual({ ...DIRTY, ...change });
    expect(deps.log.lines.at(-1)).toEqual({
      ...{ level: 'info', event: 'task_ended', fields: { task } },
    });
  });

  test.each([[undefined], ['log'], ['toString'], [{}]])('%j is refused', async (task) => {
    const { deps, state } = await openDirty();
    await expect(run(deps, task)).rejects.toThrow('logs, copies, uploads, expiry, reconcile');
    expect(await state()).toEqual(DIRTY);
    expect(deps.log.lines).toEqual([]);
  });
});
