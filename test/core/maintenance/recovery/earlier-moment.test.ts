import { deleteBucket } from '../../../../core/buckets/buckets';
import { changesPage } from '../../../../core/channel/changes-page';
import { NEVER_WAITS } from '../../../../core/channel/long-poll';
import { sha256Base64 } from '../../../../core/http/digests';
import { CursorExpired } from '../../../../core/log/cursor-reads';
import { publishChanges } from '../../../../core/log/publish';
import { reconcile } from '../../../../core/maintenance/reconcile';
import { settleUploads } from '../../../../core/maintenance/settle-uploads';
import { NEVER_STOP } from '../../../../core/stop-signal';
import { ingestBlob } from '../../../../core/uploads/uploads';
import { BUCKET, DAY, openBucket, put, remove, storeBlob } from '../../../support/bucket-world';
import { backUp, putBack, runRestore } from '../../../support/restore-world';
import { changesSinceBackup, checkInvariants, HOUR, liveObjects, setUp } from './scenario';

describe('a restore of tables from an earlier moment', () => {
  test('recovers objects written since then and brings back objects deleted since then', async () => {
    const { deps: before, bucket, moment, backup } = await setUp(changesSinceBackup);
    const after = liveObjects(before, bucket.id);
    const deps = putBack(before, backup);
    const [restored] = await runRestore(deps, { moment });
    expect(restored).toMatchObject({
      made: false,
      keys: 6,
      blobs: 8,
      recovered: 3,
      lost: 0,
      live: 5,
    });
    const now = liveObjects(deps, bucket.id);
    expect(Object.keys(now).sort()).toEqual(['changed', 'deleted', 'kept', 'new', 'recreated']);
    for (const key of ['changed', 'kept', 'new', 'recreated'])
      expect([key, now[key]?.[0]]).toEqual([key, after[key]?.[0]]);
    expect(now.kept).toEqual(after.kept);
    expect(now.changed?.[1]).toBe(2);
    await checkInvariants(deps, bucket.id, restored?.head ?? 0);
  });

  test('leaves objects written since then to the reconciler when `dropNewer` is set', async () => {
    const { deps: before, bucket, moment, backup } = await setUp(changesSinceBackup);
    const deps = putBack(before, backup);
    const [restored] = await runRestore(deps, { moment, dropNewer: true });
    expect(restored).toMatchObject({ recovered: 0, live: 4 });
    expect(Object.keys(liveObjects(deps, bucket.id))).toEqual([
      'kept',
      'changed',
      'deleted',
      'recreated',
    ]);
    await checkInvariants(deps, bucket.id, restored?.head ?? 0);
    deps.clock.advance(3 * DAY);
    await reconcile(deps, NEVER_STOP);
    await checkInvariants(deps, bucket.id, restored?.head ?? 0);
    expect(deps.state.blobs.size).toBe(4);
  });

  test('makes every earlier cursor expire', async () => {
    const { deps: before, bucket, moment, backup } = await setUp(changesSinceBackup);
    const last = (await before.buckets.get(BUCKET))?.cursor ?? 0;
    const deps = putBack(before, backup);
    await runRestore(deps, { moment });
    for (const cursor of [0, 1, last, last + 1, deps.clock.now() - 1]) {
      for (const bucketId of [undefined, bucket.id]) {
        const request = {
          bucket: BUCKET,
          bucketId,
          cursor,
          limit: 100,
          wait: 0,
          prefix: '',
        };
        const page = changesPage(deps, request, NEVER_WAITS);
        await expect(page).rejects.toBeInstanceOf(CursorExpired);
      }
    }
  });

  test('deletes and logs a record whose blob is missing', async () => {
    const { deps: before, bucket, moment, backup } = await setUp(async () => undefined);
    const deps = putBack(before, backup);
    const record = deps.state.objectsOf(bucket.id).get('kept');
    deps.state.blobs.delete(record?.state === 'live' ? record.blob : '');
    const [restored] = await runRestore(deps, { moment });
    expect(restored).toMatchObject({ lost: 1, live: 3 });
    expect(deps.state.objectsOf(bucket.id).get('kept')).toMatchObject({
      state: 'deleted',
      version: 2,
    });
    expect(deps.log.lines.map(({ event, fields }) => [event, fields.key])).toEqual([
      ['bytes_lost', 'kept'],
    ]);
    await checkInvariants(deps, bucket.id, restored?.head ?? 0);
  });

  test('recovers a write in flight at that moment, but not an object deleted before it', async () => {
    const { deps: before, bucket } = await openBucket();
    await put(before, 'deleted', 'x');
    before.clock.advance(500);
    await remove(before, 'deleted');
    const backup = backUp(before.state);
    // Its blob was stored before the moment, its commit was to follow.
    await storeBlob(before, `objects/${BUCKET}.${bucket.id}/late/${before.ids.ulid()}`);
    before.clock.advance(10_000);
    const moment = before.clock.now();
    const deps = putBack(before, backup);
    await runRestore(deps, { moment });
    expect(Object.keys(liveObjects(deps, bucket.id))).toEqual(['late']);
  });

  test('commits the newest pending upload of a key and refuses the older ones', async () => {
    const { deps: before, bucket } = await openBucket();
    const createUpload = async () => {
      const id = before.ids.ulid();
      const blob = `uploads/${BUCKET}.${bucket.id}/a/${id}`;
      const expiresAt = new Date(before.clock.now() + HOUR).toISOString();
      const row = { id, bucket: BUCKET, bucketId: bucket.id, key: 'a', blob, expiresAt, ttl: 9e9 };
      await before.uploads.create({ ...row, state: 'pending' });
      return { id, blob };
    };
    const [first, second] = [await createUpload(), await createUpload()];
    const backup = backUp(before.state);
    const moment = before.clock.now();
    before.clock.advance(5_000);
    await storeBlob(before, first.blob, 'first');
    before.clock.advance(5_000);
    await storeBlob(before, second.blob, 'second');
    const deps = putBack(before, backup);
    await runRestore(deps, { moment });
    const states = [first, second].map(({ id }) => deps.state.uploads.get(id)?.state);
    expect(states).toEqual(['refused', 'committed']);
    expect(deps.state.objectsOf(bucket.id).get('a')).toMatchObject({
      blob: second.blob,
      version: 1,
    });
  });

  test.each([
    ['what it was asked for', { askedHeaders: ['content-language'] }, ['content-language']],
    ['all, when nobody knows any more', {}, ['cache-control', 'content-language']],
  ])('leaves a pending upload of its content headers %s', async (_name, asked, kept) => {
    const { deps: before, bucket } = await openBucket();
    const id = before.ids.ulid();
    const blob = `uploads/${BUCKET}.${bucket.id}/a/${id}`;
    const expiresAt = new Date(before.clock.now() + HOUR).toISOString();
    const row = { id, bucket: BUCKET, bucketId: bucket.id, key: 'a', blob, expiresAt, ttl: 9e9 };
    await before.uploads.create({ ...row, state: 'pending', ...asked });
    const backup = backUp(before.state);
    const moment = before.clock.now();
    before.clock.advance(5_000);
    await before.blobs.put(blob, Buffer.from('x'), {
      contentType: 'text/plain',
      headers: { 'cache-control': 'public', 'content-language': 'de' },
      metadata: {},
      checksumSha256: sha256Base64(Buffer.from('x')),
    });
    const deps = putBack(before, backup);
    await runRestore(deps, { moment });
    const object = deps.state.objectsOf(bucket.id).get('a');
    expect(object?.state === 'live' && Object.keys(object.headers)).toEqual(kept);
  });

  test('makes an object of a staged upload, which a commit may have named since', async () => {
    const { deps: before, bucket } = await openBucket();
    const id = before.ids.ulid();
    const blob = `uploads/${BUCKET}.${bucket.id}/a/${id}`;
    const expiresAt = new Date(before.clock.now() + HOUR).toISOString();
    const row = { id, bucket: BUCKET, bucketId: bucket.id, key: 'a', blob, expiresAt, ttl: 9e9 };
    await before.uploads.create({ ...row, state: 'pending', awaitsCommit: true });
    before.clock.advance(5_000);
    await storeBlob(before, blob, 'staged');
    await ingestBlob(before, blob);
    const backup = backUp(before.state);
    const moment = before.clock.now() - 1000;
    const deps = putBack(before, backup);
    await runRestore(deps, { moment });
    expect(deps.state.uploads.get(id)?.state).toBe('committed');
    expect(deps.state.objectsOf(bucket.id).get('a')).toMatchObject({ blob, version: 1 });
  });

  test.each([
    ['staged', true],
    ['not yet committed', undefined],
  ] as const)(
    'keeps the bytes of an upload that was %s hours before that moment',
    async (_name, awaitsCommit) => {
      const { deps: before, bucket } = await openBucket();
      const id = before.ids.ulid();
      const blob = `uploads/${BUCKET}.${bucket.id}/a/${id}`;
      const expiresAt = new Date(before.clock.now() + HOUR).toISOString();
      const row = { id, bucket: BUCKET, bucketId: bucket.id, key: 'a', blob, expiresAt, ttl: 9e9 };
      await before.uploads.create({ ...row, state: 'pending', awaitsCommit });
      await storeBlob(before, blob, 'uploaded');
      if (awaitsCommit) await ingestBlob(before, blob);
      before.clock.advance(2 * HOUR);
      const written = await put(before, 'a', 'written since it arrived');
      before.clock.advance(HOUR);
      const moment = before.clock.now();
      const deps = putBack(before, backUp(before.state));
      // A commit named it here, and the tables have lost that.
      deps.clock.advance(3 * DAY);
      const [restored] = await runRestore(deps, { moment });
      const expected = { state: 'live', blob, version: 2 };
      expect(deps.state.objectsOf(bucket.id).get('a')).toMatchObject(expected);
      expect(deps.state.uploads.get(id)?.state).toBe('committed');
      const [entry] = [...deps.state.changesOf(bucket.id).values()];
      expect(entry).toMatchObject({ previous: written });
      await settleUploads(deps, NEVER_STOP);
      deps.clock.advance(3 * DAY);
      await reconcile(deps, NEVER_STOP);
      await checkInvariants(deps, bucket.id, restored?.head ?? 0);
    },
  );

  test('restores buckets created or deleted since then, but not buckets deleted before', async () => {
    const { deps: before, bucket, moment, backup } = await setUp(async () => undefined);
    const record = await before.buckets.get(BUCKET);
    for (const key of ['kept', 'changed', 'deleted', 'recreated']) await remove(before, key);
    await publishChanges(before, BUCKET, { fillAllGaps: true });
    if (record) await deleteBucket(before, record);
    await storeBlob(before, `objects/later.NEWBUCKETID1/a/${before.ids.ulid()}`);
    const deps = putBack(before, backup);
    deps.state.deletedBuckets.set('DEADBUCKETID', {
      name: 'dead',
      id: 'DEADBUCKETID',
      cursor: 1,
      trimmed: 1,
      deletedAt: deps.clock.iso(),
    });
    await storeBlob(deps, `objects/dead.DEADBUCKETID/a/${deps.ids.ulid()}`);
    const restored = await runRestore(deps, { moment });
    expect(restored.map(({ bucket: name, made, live }) => [name, made, live])).toEqual([
      [BUCKET, false, 4],
      ['later', true, 1],
    ]);
    expect((await deps.buckets.get('later'))?.id).toBe('NEWBUCKETID1');
    expect(liveObjects(deps, bucket.id)).toHaveProperty('kept');
  });

  test('logs a newer incarnation of a known bucket and does not restore it', async () => {
    const { deps: before, bucket, moment, backup } = await setUp(async () => undefined);
    await storeBlob(before, `objects/${BUCKET}.NEWBUCKETID1/a/${before.ids.ulid()}`);
    const deps = putBack(before, backup);
    expect(await runRestore(deps, { moment })).toHaveLength(1);
    expect((await deps.buckets.get(BUCKET))?.id).toBe(bucket.id);
    expect(deps.log.lines.map(({ event }) => event)).toEqual(['newer_incarnation']);
  });
});
