import { it, needing } from '../../support/behaviour';
import { bucketCursor, useBucket } from '../../support/buckets';
import { callJson } from '../../support/http';
import { useKey } from '../../support/keys';
import { listAll } from '../../support/listing';
import { describeObject, expectBytes, get, put, remove } from '../../support/objects';
import { expectError, expectStatus, isJson, type Json, jsonOf } from '../../support/responses';

const RESTORE = '/api/v2/storage/restore';

async function restore(body: Json): Promise<Json> {
  return jsonOf(expectStatus(await callJson('POST', RESTORE, body), 200));
}

describe('POST /api/v2/storage/restore', () => {
  const bucket = useBucket('restore');

  it('brings changed, deleted and new keys back by changes of their own', async () => {
    const type = { headers: { 'content-type': 'text/a', 'x-object-meta-n': '1' } };
    const changed = await put(bucket, 'one/changed', 'before', type);
    await put(bucket, 'one/deleted', 'kept');
    await put(bucket, 'one/same', 'same');
    const asOf = await bucketCursor(bucket);
    await put(bucket, 'one/changed', 'after');
    await remove(bucket, 'one/deleted');
    const added = await put(bucket, 'one/new');

    const done = await restore({ bucket, prefix: 'one/', as_of: asOf });
    expect(done).toMatchObject({
      ...{ bucket, as_of: asOf, restored: 2, deleted: 1, unchanged: 1 },
      ...{ from: added.cursor + 1, to: added.cursor + 3, has_more: false },
    });
    const { size, content_type, metadata } = changed;
    expect(await describeObject(bucket, 'one/changed')).toMatchObject({
      ...{ size, content_type, metadata, version: 3 },
    });
    await expectBytes(bucket, 'one/changed', 'before');
    await expectBytes(bucket, 'one/deleted', 'kept');
    expectError(await get(bucket, 'one/new'), 404);
  });

  it('leaves other prefixes alone', async () => {
    const asOf = await bucketCursor(bucket);
    await put(bucket, 'two/mine');
    await put(bucket, 'twofold', 'kept');
    expect(await restore({ bucket, prefix: 'two/', as_of: asOf })).toMatchObject({ deleted: 1 });
    await expectBytes(bucket, 'twofold', 'kept');
  });

  it('changes nothing when it is repeated, and can be undone', async () => {
    await put(bucket, 'three/a', 'first');
    const asOf = await bucketCursor(bucket);
    await put(bucket, 'three/a', 'second');
    const before = await bucketCursor(bucket);
    const wanted = { bucket, prefix: 'three/', as_of: asOf };
    expect(await restore(wanted)).toMatchObject({ restored: 1 });
    expect(await restore(wanted)).toMatchObject({ restored: 0, deleted: 0, unchanged: 1 });
    await expectBytes(bucket, 'three/a', 'first');
    expect(await restore({ ...wanted, as_of: before })).toMatchObject({ restored: 1 });
    await expectBytes(bucket, 'three/a', 'second');
  });

  it('says with dry_run what it would change, and changes nothing', async () => {
    const old = await put(bucket, 'four/a', 'first');
    const asOf = await bucketCursor(bucket);
    await put(bucket, 'four/a', 'second');
    await put(bucket, 'four/b');
    const cursor = await bucketCursor(bucket);
    const wanted = { bucket, prefix: 'four/', as_of: asOf, dry_run: true };
    expect(await restore(wanted)).toMatchObject({
      ...{ restored: 1, deleted: 1, unchanged: 0, dry_run: true, has_more: false },
      changes: [
        { key: 'four/a', type: 'put', version: old.version, size: 5 },
        { key: 'four/b', type: 'delete' },
      ],
    });
    expect(await bucketCursor(bucket)).toBe(cursor);
    const { objects } = await listAll(bucket, { prefix: 'four/' });
    expect(objects.map(({ size }) => size)).toEqual([6, 7]);
  });

  for (const [what, body, field] of [
    ['no bucket', { as_of: 1 }, 'bucket'],
    ['no as_of', {}, 'as_of'],
    ['as_of as a text', { as_of: '1' }, 'as_of'],
    ['a negative as_of', { as_of: -1 }, 'as_of'],
    ['an as_of ahead of the bucket', { as_of: 1_000_000 }, 'as_of'],
    ['a prefix that is no text', { as_of: 0, prefix: 1 }, 'prefix'],
    ['a dry_run that is no boolean', { as_of: 0, dry_run: 'yes' }, 'dry_run'],
    ['a page_token of another list', { as_of: 0, page_token: 'x' }, 'page_token'],
    ['an unknown field', { as_of: 0, dryrun: true }, 'dryrun'],
  ] as const) {
    it(`returns 400 to ${what}`, async () => {
      const sent = what === 'no bucket' ? body : { bucket, ...body };
      expectError(await callJson('POST', RESTORE, sent), 400, { field });
    });
  }

  it('returns 404 for a bucket that does not exist', async () => {
    expectError(await callJson('POST', RESTORE, { bucket: 'acc-none-such', as_of: 0 }), 404);
  });

  needing(['restricted-keys'], () => {
    for (const missing of ['list', 'read', 'write', 'delete']) {
      const actions = ['list', 'read', 'write', 'delete'].filter((action) => action !== missing);
      const key = useKey({ buckets: [bucket], actions });
      it(`returns 403 to a key without ${missing}`, async () => {
        const body = { bucket, as_of: 0, dry_run: true };
        const refused = expectError(await callJson('POST', RESTORE, body, { key: key() }), 403);
        expect(isJson(refused.details) && refused.details.action).toBe(missing);
      });
    }

    const inside = useKey({
      ...{ buckets: [bucket], prefix: 'p/' },
      actions: ['list', 'read', 'write', 'delete'],
    });
    it('serves a key within its prefix only', async () => {
      const body = { bucket, as_of: 0, dry_run: true };
      expectError(await callJson('POST', RESTORE, body, { key: inside() }), 403);
      const within = { ...body, prefix: 'p/x' };
      expectStatus(await callJson('POST', RESTORE, within, { key: inside() }), 200);
    });
  });
});
