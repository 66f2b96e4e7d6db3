import { randomUUID } from 'node:crypto';
import { it, needing } from '../../support/behaviour';
import { BUCKETS, bucketCursor, useBucket } from '../../support/buckets';
import { call, callJson, send } from '../../support/http';
import { useKey } from '../../support/keys';
import { listAll } from '../../support/listing';
import { describeObject, expectBytes, get, objectPath, put } from '../../support/objects';
import { demand, expectError, expectStatus, isJson, jsonOf } from '../../support/responses';

const COMMITS = '/api/v2/storage/commits';
const base64 = (text: string) => Buffer.from(text).toString('base64');

type Change = Readonly<Record<string, unknown>>;

const commit = (bucket: string, changes: readonly Change[], more: Change = {}) =>
  callJson('POST', COMMITS, { bucket, changes, ...more });

/** The changes of a successful commit, which must have consecutive cursors. */
async function committed(bucket: string, changes: readonly Change[], more: Change = {}) {
  const response = expectStatus(await commit(bucket, changes, more), 201);
  const { from, to, changes: made } = jsonOf(response);
  if (!Array.isArray(made)) throw new Error('no changes');
  const cursors = made.map((one) => (isJson(one) ? Number(one.cursor) : 0));
  const first = Number(from);
  demand(
    cursors.every((cursor, index) => cursor === first + index) && cursors.at(-1) === Number(to),
    'consecutive cursors from `from` to `to`',
    response,
  );
  return made;
}

describe('Commits', () => {
  const bucket = useBucket('commit');
  const other = useBucket('commit-source');

  it('take consecutive cursors for their changes, which all appear', async () => {
    for (const key of ['1/source', '1/moved', '1/patched', '1/deleted'])
      await put(bucket, key, key);
    await committed(bucket, [
      { op: 'put', key: '1/new', content: base64('new'), content_type: 'text/plain' },
      { op: 'copy', key: '1/copy', from: { key: '1/source' } },
      { op: 'move', key: '1/there', from: { key: '1/moved' } },
      { op: 'patch', key: '1/patched', metadata: { a: 'b' } },
      { op: 'delete', key: '1/deleted' },
    ]);
    const { objects } = await listAll(bucket, { prefix: '1/' });
    expect(objects.map(({ key }) => key)).toEqual([
      '1/copy',
      '1/new',
      '1/patched',
      '1/source',
      '1/there',
    ]);
    await expectBytes(bucket, '1/new', 'new');
    await expectBytes(bucket, '1/copy', '1/source');
    await expectBytes(bucket, '1/there', '1/moved');
    expect((await describeObject(bucket, '1/patched')).metadata).toEqual({ a: 'b' });
  });

  it('take the metadata that an object has, also with an empty value', async () => {
    const headers = { 'x-object-meta-empty': '', 'x-object-meta-a': 'b' };
    const { metadata } = await put(bucket, 'metadata', 'x', { headers });
    expect(metadata).toEqual({ empty: '', a: 'b' });
    await committed(bucket, [
      { op: 'patch', key: 'metadata', metadata },
      { op: 'put', key: 'metadata/new', content: base64('x'), metadata },
      { op: 'copy', key: 'metadata/copy', from: { bucket, key: 'metadata' }, metadata },
    ]);
    for (const key of ['metadata', 'metadata/new', 'metadata/copy']) {
      expect((await describeObject(bucket, key)).metadata).toEqual(metadata);
    }
  });

  it('change nothing when one change is refused, and the error names it', async () => {
    await put(bucket, '2/a', 'a');
    const before = await bucketCursor(bucket);
    const changes = [
      { op: 'put', key: '2/b', content: base64('b') },
      { op: 'delete', key: '2/a' },
      { op: 'delete', key: '2/none' },
    ];
    expectError(await commit(bucket, changes), 404, { message: /^changes\[2\]: / });
    const condition = { op: 'put', key: '2/a', content: '', if_none_match: '*' };
    expectError(await commit(bucket, [condition]), 412, { message: /^changes\[0\]: / });
    expectError(await get(bucket, '2/b'), 404);
    await expectBytes(bucket, '2/a', 'a');
    expect(await bucketCursor(bucket)).toBe(before);
  });

  it('with the same if_cursor succeed exactly once', async () => {
    await put(bucket, '3/a', 'a');
    const cursor = await bucketCursor(bucket);
    const racing = await Promise.all(
      Array.from({ length: 5 }, (_, n) => {
        const change = { op: 'put', key: `3/${n}`, content: '' };
        return commit(bucket, [change], { if_cursor: cursor });
      }),
    );
    const statuses = racing.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 412, 412, 412, 412]);
  });

  it('with a bucket_id succeed in that incarnation of the bucket only', async () => {
    const view = jsonOf(expectStatus(await call('GET', `${BUCKETS}/${bucket}`), 200));
    const change = { op: 'put', key: '3/id', content: '' };
    const another = { bucket_id: 'x'.repeat(12) };
    const refused = expectError(await commit(bucket, [change], another), 412);
    expect(refused.details).toEqual({ field: 'bucket_id' });
    const present = { bucket_id: view.bucket_id };
    expectStatus(await commit(bucket, [change], present), 201);
  });

  it('return their first response to a retry with the same Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const body = {
      bucket,
      changes: [
        { op: 'put', key: '4/a', content: '' },
        { op: 'put', key: '4/b', content: '' },
      ],
    };
    const first = jsonOf(expectStatus(await callJson('POST', COMMITS, body, { headers }), 201));
    const retry = jsonOf(expectStatus(await callJson('POST', COMMITS, body, { headers }), 201));
    expect(retry).toEqual(first);
  });

  it('copy the bytes of another bucket or an older version, and the copy outlives its source', async () => {
    await put(other, 'a', 'one', { headers: { 'content-type': 'text/x-one' } });
    await put(other, 'a', 'two');
    await committed(bucket, [
      { op: 'copy', key: '5/two', from: { bucket: other, key: 'a' } },
      { op: 'copy', key: '5/one', from: { bucket: other, key: 'a', version: 1 } },
    ]);
    expectStatus(await call('DELETE', objectPath(other, 'a')), 200);
    await expectBytes(bucket, '5/two', 'two');
    await expectBytes(bucket, '5/one', 'one');
    expect((await describeObject(bucket, '5/one')).content_type).toBe('text/x-one');
  });

  it('patch headers without changing bytes and etag, and a signed URL serves the new headers', async () => {
    const before = await put(bucket, '6/a', 'bytes', { headers: { 'content-language': 'de' } });
    await committed(bucket, [
      { op: 'patch', key: '6/a', content_type: 'text/css', cache_control: 'no-store' },
    ]);
    const after = await describeObject(bucket, '6/a');
    expect(after).toMatchObject({ version: 2, etag: before.etag, content_type: 'text/css' });
    const path = `${objectPath(bucket, '6/a')}?redirect=false`;
    const { url } = jsonOf(expectStatus(await call('GET', path), 200));
    const response = expectStatus(await send('GET', String(url)), 200);
    expect(response.headers).toMatchObject({
      ...{ 'content-type': 'text/css', 'cache-control': 'no-store', 'content-language': 'de' },
    });
    expect(response.body.toString()).toBe('bytes');
    await expectBytes(bucket, '6/a', 'bytes');
    expectStatus(await call('GET', `${objectPath(bucket, '6/a')}?version=1`), 200);
  });

  for (const [what, changes, field] of [
    [
      '33 changes',
      Array.from({ length: 33 }, (_, n) => ({ op: 'delete', key: `${n}` })),
      'changes',
    ],
    [
      'a key twice',
      [
        { op: 'delete', key: 'a' },
        { op: 'delete', key: 'a' },
      ],
      'changes[1].key',
    ],
    ['an unknown field', [{ op: 'delete', key: 'a', force: true }], 'changes[0].force'],
  ] as const) {
    it(`get 400 that names the field for ${what}`, async () => {
      expectError(await commit(bucket, changes), 400, { field });
    });
  }

  it('get 413 for more than 256 KiB of contents', async () => {
    const content = base64('x'.repeat(256 * 1024 + 1));
    expectError(await commit(bucket, [{ op: 'put', key: 'large', content }]), 413);
  });
});

needing(['restricted-keys'], () => {
  describe('Commits: permissions', () => {
    const bucket = useBucket('commit-may');
    const mine = { buckets: [bucket], prefix: 'mine/' };
    const key = useKey({ ...mine, actions: ['read', 'write', 'delete'] });
    const needs = [
      [{ op: 'put', key: 'a', content: '' }, 'write'],
      [{ op: 'copy', key: 'mine/b', from: { key: 'a' } }, 'read'],
      [{ op: 'move', key: 'mine/b', from: { key: 'a' } }, 'read'],
      [{ op: 'patch', key: 'a', metadata: {} }, 'write'],
      [{ op: 'delete', key: 'a' }, 'delete'],
    ] as const;
    for (const [change, action] of needs) {
      it(`${change.op} of a key outside the prefix gets 403, and no change of the commit is made`, async () => {
        await put(bucket, 'a', 'theirs');
        const changes = [{ op: 'put', key: 'mine/a', content: '' }, change];
        const response = await callJson('POST', COMMITS, { bucket, changes }, { key: key() });
        expectError(response, 403, { message: new RegExp(`"${action}" is missing`) });
        await expectBytes(bucket, 'a', 'theirs');
        expectError(await get(bucket, 'mine/a'), 404);
      });
    }

    it('DELETE by a prefix wider than the permission gets 403', async () => {
      await put(bucket, 'a');
      const path = `/api/v2/storage/objects/${bucket}?prefix=mi`;
      expectError(await call('DELETE', path, { key: key() }), 403);
      expectStatus(await call('DELETE', `${path}ne/`, { key: key() }), 200);
    });
  });
});
