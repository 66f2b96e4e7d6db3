/** Runs of a restore: which buckets, above which cursor, and what they read. */
import { publishChanges } from '../../../../core/log/publish';
import type { Upload } from '../../../../core/store/uploads';
import { BUCKET, DAY, openBucket, put, storeBlob, type World } from '../../../support/bucket-world';
import type { Step } from '../../../support/fakes/interleaved';
import { EMPTY, putBack, runRestore } from '../../../support/restore-world';
import { changesSinceBackup, HOUR, setUp } from './scenario';

/** Counts the operations of a run. */
function counter() {
  const calls: string[] = [];
  const watch = ({ port, operation, when }: Step) => {
    if (when === 'before') calls.push(`${port}.${operation}`);
  };
  const count = (call: string) => calls.filter((one) => one === call).length;
  return { watch, count };
}

const reconciler = ({ state }: World) => JSON.parse(state.service.get('reconcile') ?? 'null');

describe('a run', () => {
  test('pauses the reconciler for a day, and logs nothing of what it recovers', async () => {
    const { deps: before, moment, backup } = await setUp(changesSinceBackup);
    const deps = putBack(before, backup);
    await runRestore(deps, { moment, apply: false });
    expect(reconciler(deps)).toBeNull();
    const until = deps.clock.now() + DAY;
    await runRestore(deps, { moment });
    expect(reconciler(deps)).toEqual({ part: 'rest', until });
    expect(deps.log.lines).toEqual([]);
  });

  test('with another moment moves the cursors again, one with the same does not', async () => {
    const { deps: before, moment, backup } = await setUp(changesSinceBackup);
    const deps = putBack(before, backup);
    const heads: unknown[] = [];
    const times: unknown[] = [];
    for (const at of [moment, moment, moment - 1]) {
      deps.clock.advance(HOUR);
      times.push(deps.clock.now());
      heads.push((await runRestore(deps, { moment: at }))[0]?.head);
    }
    expect(heads).toEqual([times[0], times[0], times[2]]);
  });

  test('of one bucket leaves the others alone', async () => {
    const { deps: before } = await openBucket();
    for (const [n, name] of ['films', BUCKET, 'songs'].entries()) {
      await storeBlob(before, `objects/${name}.OTHERBUCKET${n}/a/${before.ids.ulid()}`);
    }
    const deps = putBack(before, EMPTY);
    const restored = await runRestore(deps, { bucket: 'films' });
    expect(restored.map(({ bucket }) => bucket)).toEqual(['films']);
    expect([...deps.state.buckets.keys()]).toEqual(['films']);
  });

  test('reports the objects of a bucket without `apply`, known or not', async () => {
    const { deps: before, moment, backup } = await setUp(changesSinceBackup);
    const known = putBack(before, backup);
    const [first] = await runRestore(known, { moment, apply: false });
    expect(first).toMatchObject({ made: false, recovered: 3, live: 4, lost: 0 });
    const [second] = await runRestore(putBack(before, EMPTY), { apply: false });
    expect(second).toMatchObject({ made: true, recovered: 6, live: 6, lost: 0 });
  });

  test('reports no key whose blob is recorded as one to recover', async () => {
    const { deps: before } = await openBucket();
    await put(before, 'a', 'x');
    before.clock.advance(1000);
    const moment = before.clock.now();
    const options = { moment, apply: false };
    expect(await runRestore(before, options)).toMatchObject([{ keys: 1, recovered: 0, live: 1 }]);
  });
});

describe('the cursor of a bucket', () => {
  const AHEAD = 1000;

  /** A bucket whose cursor is above the present time, with a log from there on. */
  async function openAhead(oldest: number) {
    const { deps, bucket } = await openBucket();
    const to = deps.clock.now();
    deps.state.buckets.set(BUCKET, { ...bucket, cursor: to + AHEAD });
    await deps.buckets.raiseOldest(bucket, to + oldest);
    const resume = () => {
      const run = { moment: String(Number.NEGATIVE_INFINITY), to };
      return deps.serviceState.save('restore', JSON.stringify(run));
    };
    return { deps, resume };
  }

  test('that is above the time already ends a new run', async () => {
    const { deps } = await openAhead(AHEAD);
    await expect(runRestore(deps, {})).rejects.toThrow(`bucket ${BUCKET} is above cursor`);
  });

  test.each([
    [1, true],
    [0, false],
    [-1, false],
  ])(
    'is found moved by a run that continues, when the log begins %j above: %j',
    async (...drawn) => {
      const [oldest, isMoved] = drawn;
      const { deps, resume } = await openAhead(oldest);
      await resume();
      const run = runRestore(deps, {});
      if (isMoved) expect(await run).toHaveLength(1);
      else await expect(run).rejects.toThrow('is above cursor');
    },
  );
});

test('a bucket that S3 alone knows is as old as its first blob', async () => {
  const { deps: before, bucket } = await openBucket();
  before.clock.advance(HOUR);
  const createdAt = before.clock.iso();
  for (const key of ['m', 'a', 'z']) {
    await put(before, key, 'x');
    before.clock.advance(HOUR);
  }
  await put(before, 'a', 'y');
  const deps = putBack(before, EMPTY);
  await runRestore(deps, {});
  expect(await deps.buckets.get(BUCKET)).toMatchObject({ id: bucket.id, createdAt });
});

test('of two buckets that S3 alone knows the one with the newest blob of all is made', async () => {
  const { deps: before } = await openBucket();
  const store = async (id: string, key: string) => {
    before.clock.advance(HOUR);
    await storeBlob(before, `objects/films.${id}/${key}/${before.ids.ulid()}`);
  };
  await store('AAAAAAAAAAA1', 'z');
  await store('BBBBBBBBBBB2', 'a');
  await store('AAAAAAAAAAA1', 'a');
  const deps = putBack(before, EMPTY);
  const restored = await runRestore(deps, { bucket: 'films' });
  expect(restored.map(({ id }) => id)).toEqual(['AAAAAAAAAAA1']);
});

test('a newer incarnation of a known bucket is logged with both ids', async () => {
  const { deps, bucket } = await openBucket();
  deps.clock.advance(HOUR);
  await storeBlob(deps, `objects/${BUCKET}.NEWBUCKETID1/a/${deps.ids.ulid()}`);
  await runRestore(deps, { moment: deps.clock.now() });
  const fields = { bucket: BUCKET, present: bucket.id, in_s3: 'NEWBUCKETID1' };
  expect(deps.log.lines).toEqual([{ level: 'error', event: 'newer_incarnation', fields }]);
});

test('the open uploads of all pages count as ones of the moment', async () => {
  const { deps, bucket } = await openBucket();
  const uploads: Upload[] = [];
  for (let n = 0; n < 30; n++) {
    const id = deps.ids.ulid();
    const key = `k${n}`;
    const blob = `uploads/${BUCKET}.${bucket.id}/${key}/${id}`;
    const names = { id, bucket: BUCKET, bucketId: bucket.id, key, blob };
    uploads.push({ ...names, state: 'staged', expiresAt: deps.clock.iso(), ttl: 9e9 });
  }
  for (const upload of uploads) {
    await deps.uploads.create(upload);
    await storeBlob(deps, upload.blob);
  }
  deps.clock.advance(DAY);
  const [restored] = await runRestore(deps, { moment: deps.clock.now() });
  expect(restored).toMatchObject({ recovered: 30, live: 30 });
});

describe('the reads of a run', () => {
  test('are one for each hundred keys with new blobs, and none for the others', async () => {
    const { deps: before } = await openBucket();
    for (let n = 0; n < 30; n++) await put(before, `old${n}`, 'x');
    await publishChanges(before, BUCKET);
    before.clock.advance(HOUR);
    const moment = before.clock.now();
    const { watch, count } = counter();
    await runRestore(before, { moment }, watch);
    expect(count('objects.getMany')).toBe(0);
    expect(count('buckets.create')).toBe(0);
    before.clock.advance(HOUR);
    for (let n = 0; n < 150; n++) {
      const record = await before.buckets.get(BUCKET);
      await storeBlob(before, `objects/${BUCKET}.${record?.id}/new${n}/${before.ids.ulid()}`);
    }
    const later = counter();
    const [restored] = await runRestore(before, { moment, apply: false }, later.watch);
    expect(restored).toMatchObject({ recovered: 150 });
    expect(later.count('objects.getMany')).toBe(2);
  });
});
