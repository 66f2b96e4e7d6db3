import { it } from '../support/behaviour';
import { uniqueName, useBucket } from '../support/buckets';
import { readDescriptor, sha256, TIMESTAMP } from '../support/descriptor';
import { call } from '../support/http';
import {
  describeObject,
  descriptorOf,
  expectBytes,
  expectObjectHeaders,
  get,
  head,
  objectPath,
  put,
  remove,
} from '../support/objects';
import {
  expectError,
  expectHeadError,
  expectStatus,
  integerHeader,
  jsonOf,
} from '../support/responses';

describe('PUT /api/v2/storage/objects/{bucket}/{key}', () => {
  const bucket = useBucket('put');

  it('returns 201 with the descriptor for a new key, 200 for a replaced one', async () => {
    const path = objectPath(bucket, 'status');
    const created = expectStatus(await call('PUT', path, { body: 'one' }), 201);
    const first = descriptorOf(created);
    expect(first).toMatchObject({ bucket, key: 'status', size: 3, version: 1, metadata: {} });
    expect(first.created_at).toBe(first.updated_at);
    expect(integerHeader(created, 'x-object-cursor')).toBe(first.cursor);

    const replaced = expectStatus(await call('PUT', path, { body: 'three' }), 200);
    expect(descriptorOf(replaced)).toMatchObject({ size: 5, version: 2, cursor: first.cursor + 1 });
  });

  it('preserves created_at and changes updated_at when a key is replaced', async () => {
    const first = await put(bucket, 'dates', 'one');
    const second = await put(bucket, 'dates', 'two');
    expect(second.created_at).toBe(first.created_at);
    expect(Date.parse(second.updated_at)).toBeGreaterThanOrEqual(Date.parse(first.updated_at));
  });

  it('dates a new object with the present time', async () => {
    const { created_at: createdAt } = await put(bucket, 'now');
    expect(Math.abs(Date.parse(createdAt) - Date.now())).toBeLessThan(5 * 60_000);
  });

  it('gives the same bytes the same etag, and other bytes another one', async () => {
    const [one, same, other] = [
      await put(bucket, 'etag/1', 'same'),
      await put(bucket, 'etag/2', 'same'),
      await put(bucket, 'etag/3', 'other'),
    ];
    expect(same.etag).toBe(one.etag);
    expect(other.etag).not.toBe(one.etag);
  });

  it('returns the SHA-256 of the bytes wherever it returns a checksum', async () => {
    const body = Buffer.from([0, 255, 1, 254]);
    const { checksum_sha256: checksum } = await put(bucket, 'checksum', body);
    expect([undefined, sha256(body)]).toContain(checksum);
  });

  it('returns 404 when the bucket does not exist', async () => {
    expectError(await call('PUT', objectPath(uniqueName('none'), 'a'), { body: 'x' }), 404);
  });

  it('returns 400 when the name of the bucket is not valid', async () => {
    expectError(await call('PUT', objectPath('Not_a_bucket', 'a'), { body: 'x' }), 400);
  });

  it('stores nothing under an empty key', async () => {
    const response = await call('PUT', `/api/v2/storage/objects/${bucket}/`, { body: 'x' });
    expect([400, 404, 405]).toContain(response.status);
    expectError(response, response.status);
  });
});

describe('GET /api/v2/storage/objects/{bucket}/{key}', () => {
  const bucket = useBucket('get');

  it('returns the bytes with ETag, Last-Modified, Accept-Ranges, Content-Type, version and cursor', async () => {
    const descriptor = await put(bucket, 'headers', 'text', {
      headers: { 'content-type': 'text/x-special' },
    });
    expect(descriptor.content_type).toBe('text/x-special');
    expectObjectHeaders(await expectBytes(bucket, 'headers', 'text'), descriptor);
  });

  it('has a content type for an object that was sent without one', async () => {
    const descriptor = await put(bucket, 'untyped', 'text');
    expectObjectHeaders(await expectBytes(bucket, 'untyped', 'text'), descriptor);
  });

  it('returns 404 for a missing object and for a missing bucket', async () => {
    expectError(await get(bucket, 'missing'), 404);
    expectError(await get(uniqueName('none'), 'missing'), 404);
  });

  it('returns the descriptor as JSON with ?view=descriptor, equal to what PUT returned', async () => {
    const descriptor = await put(bucket, 'view', 'text', { headers: { 'x-object-meta-a': 'b' } });
    expect(await describeObject(bucket, 'view')).toEqual(descriptor);
  });

  it('returns 404 with ?view=descriptor for a missing object', async () => {
    expectError(await call('GET', `${objectPath(bucket, 'missing')}?view=descriptor`), 404);
  });

  for (const query of ['view=', 'view=bytes', 'view=descriptor&view=descriptor']) {
    it(`returns 400 to ?${query}`, async () => {
      await put(bucket, 'queried');
      expectError(await call('GET', `${objectPath(bucket, 'queried')}?${query}`), 400, {
        field: 'view',
      });
    });
  }
});

describe('HEAD /api/v2/storage/objects/{bucket}/{key}', () => {
  const bucket = useBucket('head');

  it('returns the headers of GET and no body', async () => {
    const descriptor = await put(bucket, 'a', 'text', { headers: { 'x-object-meta-a': 'b' } });
    const response = expectStatus(await head(bucket, 'a'), 200);
    expect(response.body).toHaveLength(0);
    expectObjectHeaders(response, descriptor);
    expect(response.headers['x-object-meta-a']).toBe('b');
  });

  it('returns x-object-size equal to the size', async () => {
    await put(bucket, 'sized', 'seventeen letters');
    await put(bucket, 'empty', '');
    expect(integerHeader(await head(bucket, 'sized'), 'x-object-size')).toBe(17);
    expect(integerHeader(await head(bucket, 'empty'), 'x-object-size')).toBe(0);
  });

  it('returns 404 for a missing object and for a missing bucket', async () => {
    expectHeadError(await head(bucket, 'missing'), 404);
    expectHeadError(await head(uniqueName('none'), 'missing'), 404);
  });
});

describe('DELETE /api/v2/storage/objects/{bucket}/{key}', () => {
  const bucket = useBucket('delete');

  it('returns 200 with bucket, key, version, cursor and deleted_at, then the object is gone', async () => {
    const { cursor } = await put(bucket, 'a');
    const response = expectStatus(await remove(bucket, 'a'), 200);
    expect(jsonOf(response)).toEqual({
      bucket,
      key: 'a',
      version: 2,
      cursor: cursor + 1,
      deleted_at: expect.stringMatching(TIMESTAMP),
    });
    expect(integerHeader(response, 'x-object-cursor')).toBe(cursor + 1);
    expectError(await get(bucket, 'a'), 404);
    expectHeadError(await head(bucket, 'a'), 404);
  });

  it('returns 404 for what was deleted, was never there, or lies in a missing bucket', async () => {
    await put(bucket, 'twice');
    expectStatus(await remove(bucket, 'twice'), 200);
    expectError(await remove(bucket, 'twice'), 404);
    expectError(await remove(bucket, 'never'), 404);
    expectError(await remove(uniqueName('none'), 'a'), 404);
  });

  it('takes no cursor when there was nothing to delete', async () => {
    const { cursor } = await put(bucket, 'before');
    expectError(await remove(bucket, 'never'), 404);
    expect((await put(bucket, 'after')).cursor).toBe(cursor + 1);
  });
});

describe('Versions and cursors', () => {
  const bucket = useBucket('versions');
  const at = (key: string, query: string) => call('GET', `${objectPath(bucket, key)}?${query}`);

  it('counts versions and cursors densely across put, delete and put again', async () => {
    const first = await put(bucket, 'dense', 'one');
    const second = await put(bucket, 'dense', 'two');
    const deleted = jsonOf(expectStatus(await remove(bucket, 'dense'), 200));
    const fourth = await put(bucket, 'dense', 'four');
    expect([first.version, second.version, deleted.version, fourth.version]).toEqual([1, 2, 3, 4]);
    expect([second.cursor, deleted.cursor, fourth.cursor]).toEqual(
      [1, 2, 3].map((n) => first.cursor + n),
    );
    expect(fourth.created_at >= second.updated_at).toBe(true);
  });

  it('returns 201 when a deleted key is created again', async () => {
    await put(bucket, 'again');
    await remove(bucket, 'again');
    expectStatus(await call('PUT', objectPath(bucket, 'again'), { body: 'x' }), 201);
  });

  it('numbers the changes of different keys of a bucket in one row', async () => {
    const cursors: number[] = [];
    for (const key of ['row/a', 'row/b', 'row/c']) cursors.push((await put(bucket, key)).cursor);
    expect(cursors).toEqual([0, 1, 2].map((n) => Number(cursors[0]) + n));
  });

  it('returns an older version with ?version=N: its bytes, headers and descriptor', async () => {
    const headers = { 'content-type': 'text/plain', 'x-object-meta-n': '1' };
    const first = await put(bucket, 'old', 'the first', { headers });
    await put(bucket, 'old', 'the second');
    await remove(bucket, 'old');
    const fourth = await put(bucket, 'old', 'the fourth');

    const old = expectStatus(await at('old', 'version=1'), 200);
    expect(old.body.toString()).toBe('the first');
    expectObjectHeaders(old, first);
    expect(old.headers['x-object-meta-n']).toBe('1');
    expect(expectStatus(await at('old', 'version=2'), 200).body.toString()).toBe('the second');
    expect(expectStatus(await at('old', 'version=4'), 200).body.toString()).toBe('the fourth');
    const described = expectStatus(await at('old', 'version=1&view=descriptor'), 200);
    expect(readDescriptor(jsonOf(described))).toEqual(first);
    expect(await describeObject(bucket, 'old')).toEqual(fourth);
    const headed = await call('HEAD', `${objectPath(bucket, 'old')}?version=1`);
    expectObjectHeaders(expectStatus(headed, 200), first);
  });

  it('returns 404 that names the newest version for one that was a delete or does not exist yet', async () => {
    await put(bucket, 'holes', 'one');
    await remove(bucket, 'holes');
    await put(bucket, 'holes', 'three');
    expectError(await at('holes', 'version=2'), 404);
    const { details } = expectError(await at('holes', 'version=4'), 404);
    expect(details).toEqual({ bucket, key: 'holes', version: 4, newest: 3 });
    expectError(await at('no such key', 'version=1'), 404);
  });

  it('still returns an older version by number when the object is deleted', async () => {
    await put(bucket, 'gone', 'one');
    await remove(bucket, 'gone');
    expect(expectStatus(await at('gone', 'version=1'), 200).body.toString()).toBe('one');
  });

  it('returns a range of an older version', async () => {
    await put(bucket, 'ranged', '0123456789');
    await put(bucket, 'ranged', 'abcdefghij');
    const response = await call('GET', `${objectPath(bucket, 'ranged')}?version=1`, {
      headers: { range: 'bytes=2-4' },
    });
    expect(expectStatus(response, 206).body.toString()).toBe('234');
  });

  it('finds any of many versions', async () => {
    for (let n = 1; n <= 20; n++) await put(bucket, 'many', `version ${n}`);
    for (const n of [1, 2, 3, 7, 8, 15, 16, 19, 20]) {
      const response = expectStatus(await at('many', `version=${n}`), 200);
      expect(response.body.toString()).toBe(`version ${n}`);
      expect(integerHeader(response, 'x-object-version')).toBe(n);
    }
  });

  for (const version of ['0', '-1', '1.5', 'latest', '', '1e1', '99999999999999999999']) {
    it(`returns 400 or 404 to version=${version}, never another version`, async () => {
      await put(bucket, 'asked');
      const response = expectStatus(await at('asked', `version=${version}`), 400, 404);
      expectError(response, response.status);
    });
  }

  it('returns 400 to a version given twice', async () => {
    await put(bucket, 'asked');
    expectError(await at('asked', 'version=1&version=2'), 400, { field: 'version' });
  });
});
