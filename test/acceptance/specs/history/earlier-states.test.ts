import { it } from '../../support/behaviour';
import { bucketCursor, createBucket, useBucket, useBucketName } from '../../support/buckets';
import { readDescriptor, TIMESTAMP } from '../../support/descriptor';
import { call } from '../../support/http';
import { keysOf, listAll, listPage, listPages, listPath } from '../../support/listing';
import { expectObjectHeaders, objectPath, put, remove } from '../../support/objects';
import { expectError, expectStatus, isJson, jsonOf } from '../../support/responses';

describe('?as_of of an object', () => {
  const bucket = useBucket('as-of');
  const at = (key: string, query: string, method = 'GET') =>
    call(method, `${objectPath(bucket, key)}?${query}`);

  it('returns the object as it was at each cursor, its bytes, headers and descriptor', async () => {
    const first = await put(bucket, 'note', 'one', { headers: { 'x-object-meta-n': '1' } });
    const second = await put(bucket, 'note', 'two');
    const deleted = jsonOf(expectStatus(await remove(bucket, 'note'), 200));
    const fourth = await put(bucket, 'note', 'four');

    const old = expectStatus(await at('note', `as_of=${first.cursor}`), 200);
    expect(old.body.toString()).toBe('one');
    expect(old.headers['x-object-meta-n']).toBe('1');
    expectObjectHeaders(old, first);
    expectObjectHeaders(
      expectStatus(await at('note', `as_of=${second.cursor}`, 'HEAD'), 200),
      second,
    );
    expectError(await at('note', `as_of=${deleted.cursor}`), 404);
    expectError(await at('note', `as_of=${first.cursor - 1}`), 404);
    const view = await at('note', `as_of=${fourth.cursor}&view=descriptor`);
    expect(readDescriptor(jsonOf(expectStatus(view, 200)))).toEqual(fourth);
  });

  it('keeps returning it when other keys have changed since', async () => {
    const { cursor } = await put(bucket, 'still', 'one');
    for (const key of ['other/1', 'other/2']) await put(bucket, key);
    const now = await bucketCursor(bucket);
    expect(now).toBeGreaterThan(cursor);
    const found = expectStatus(await at('still', `as_of=${now}`), 200);
    expect(found.body.toString()).toBe('one');
  });

  it('takes ranges and conditions', async () => {
    const { cursor, etag } = await put(bucket, 'ranged', '0123456789');
    await put(bucket, 'ranged', 'abcdefghij');
    const path = `${objectPath(bucket, 'ranged')}?as_of=${cursor}`;
    const part = await call('GET', path, { headers: { range: 'bytes=2-4' } });
    expect(expectStatus(part, 206).body.toString()).toBe('234');
    const known = { headers: { 'if-none-match': `"${etag}"` } };
    expectStatus(await call('GET', path, known), 304);
  });

  it('returns 400 for a cursor that the bucket has not reached, with the newest in details', async () => {
    await put(bucket, 'ahead');
    const now = await bucketCursor(bucket);
    const { details } = expectError(await at('ahead', `as_of=${now + 1000}`), 400, {
      field: 'as_of',
    });
    expect(Number(isJson(details) && details.head)).toBeGreaterThanOrEqual(now);
  });

  for (const query of ['as_of=', 'as_of=-1', 'as_of=1.5', 'as_of=now', 'as_of=1&as_of=1']) {
    it(`returns 400 to ?${query}`, async () => {
      await put(bucket, 'asked');
      expectError(await at('asked', query), 400, { field: 'as_of' });
    });
  }

  it('returns 400 to as_of together with version', async () => {
    await put(bucket, 'both');
    expectError(await at('both', 'as_of=1&version=1'), 400, { field: 'as_of' });
  });

  it('returns 404 for a bucket that does not exist', async () => {
    expectError(await call('GET', `${objectPath('acc-none-such', 'a')}?as_of=0`), 404);
  });
});

describe('?as_of of a list', () => {
  const bucket = useBucket('list-as-of');

  it('returns the objects and prefixes of each cursor', async () => {
    const one = await put(bucket, 'l/a', 'one');
    const folder = await put(bucket, 'l/f/1');
    const two = await put(bucket, 'l/a', 'three');
    const gone = jsonOf(expectStatus(await remove(bucket, 'l/f/1'), 200));
    await put(bucket, 'l/b');
    const list = (asOf: unknown) =>
      listAll(bucket, { prefix: 'l/', delimiter: '/', as_of: Number(asOf) });
    expect(await list(one.cursor - 1)).toEqual({ objects: [], prefixes: [] });
    expect(await list(one.cursor)).toEqual({ objects: [one], prefixes: [] });
    expect(await list(folder.cursor)).toEqual({ objects: [one], prefixes: ['l/f/'] });
    expect(await list(two.cursor)).toEqual({ objects: [two], prefixes: ['l/f/'] });
    expect(await list(gone.cursor)).toEqual({ objects: [two], prefixes: [] });
  });

  it('returns the cursor that was asked for, and the same list on every page while keys change', async () => {
    const keys = ['p/1', 'p/2', 'p/3', 'p/4'];
    for (const key of keys) await put(bucket, key);
    const asOf = await bucketCursor(bucket);
    const first = await listPage(bucket, { prefix: 'p/', limit: 2, as_of: asOf });
    for (const key of keys) await remove(bucket, key);
    const rest = await listPages(bucket, {
      ...{ prefix: 'p/', limit: 2, as_of: asOf },
      page_token: first.next_page_token,
    });
    const pages = [first, ...rest];
    expect(pages.flatMap(({ objects }) => objects.map(({ key }) => key))).toEqual(keys);
    expect(new Set(pages.map(({ cursor }) => cursor))).toEqual(new Set([asOf]));
    expect(await keysOf(bucket, { prefix: 'p/' })).toEqual([]);
  });

  it('refuses the page token of another as_of', async () => {
    for (const key of ['t/1', 't/2', 't/3']) await put(bucket, key);
    const asOf = await bucketCursor(bucket);
    const options = { prefix: 't/', limit: 1 };
    const { next_page_token: token } = await listPage(bucket, { ...options, as_of: asOf });
    for (const other of [{ as_of: asOf - 1 }, {}]) {
      const path = listPath(bucket, { ...options, ...other, page_token: token });
      expectError(await call('GET', path), 400, { field: 'page_token' });
    }
  });

  it('returns 400 for a cursor that the bucket has not reached, and for no cursor', async () => {
    for (const value of ['999999999', 'x', '-1']) {
      expectError(await call('GET', listPath(bucket, { as_of: value })), 400, { field: 'as_of' });
    }
  });
});

describe('?view=versions', () => {
  const bucket = useBucket('versions-view');
  const versionsOf = async (key: string, query = '') => {
    const response = await call('GET', `${objectPath(bucket, key)}?view=versions${query}`);
    const page = jsonOf(expectStatus(response, 200));
    expect(page).toMatchObject({ bucket, key });
    if (!Array.isArray(page.versions)) throw new Error('no versions');
    return { ...page, versions: page.versions.filter(isJson) };
  };

  it('lists versions newest first, deletions included, with what each was and who made it', async () => {
    const first = await put(bucket, 'listed', 'one', { headers: { 'content-type': 'text/a' } });
    const deleted = jsonOf(expectStatus(await remove(bucket, 'listed'), 200));
    const third = await put(bucket, 'listed', 'three');
    const { versions } = await versionsOf('listed');
    const { version, cursor, size, etag } = third;
    expect(versions[0]).toMatchObject({ version, cursor, size, etag, type: 'put' });
    expect(versions[1]).toMatchObject({ version: 2, cursor: deleted.cursor, type: 'delete' });
    expect(versions[1]?.at).toBe(deleted.deleted_at);
    expect(versions[2]).toMatchObject({
      ...{ version: 1, cursor: first.cursor, size: 3, etag: first.etag, type: 'put' },
      ...{ content_type: 'text/a', at: first.updated_at },
    });
    expect(versions).toHaveLength(3);
    expect(new Set(versions.map(({ by }) => by)).size).toBe(1);
    for (const { at } of versions) expect(at).toMatch(TIMESTAMP);
  });

  it('lists the versions of a deleted key, and returns 404 for a key that never was', async () => {
    await put(bucket, 'gone');
    await remove(bucket, 'gone');
    const { versions } = await versionsOf('gone');
    expect(versions.map(({ type }) => type)).toEqual(['delete', 'put']);
    expectError(await call('GET', `${objectPath(bucket, 'never')}?view=versions`), 404);
  });

  it('lists every version exactly once by pages', async () => {
    for (let n = 1; n <= 11; n++) await put(bucket, 'many', `version ${n}`);
    const seen: unknown[] = [];
    let before = '';
    do {
      const page = await versionsOf('many', `&limit=4${before}`);
      seen.push(...page.versions.map(({ version }) => version));
      before = 'next_before' in page ? `&before=${String(page.next_before)}` : '';
    } while (before !== '');
    expect(seen).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });

  for (const query of ['before=0', 'before=x', 'limit=0', 'version=1', 'as_of=1']) {
    it(`returns 400 to ?view=versions&${query}`, async () => {
      await put(bucket, 'asked');
      const response = await call('GET', `${objectPath(bucket, 'asked')}?view=versions&${query}`);
      expectError(response, 400, { field: query.split('=')[0] });
    });
  }
});

describe('The past of a bucket that was created again', () => {
  const bucket = useBucketName('again');

  it('begins at cursor 0, without the objects of the earlier bucket', async () => {
    await createBucket(bucket);
    await put(bucket, 'a');
    await remove(bucket, 'a');
    expectStatus(await call('DELETE', `/api/v2/storage/buckets/${bucket}`), 204);
    await createBucket(bucket);
    expect(await keysOf(bucket, { as_of: 0 })).toEqual([]);
    expectError(await call('GET', `${objectPath(bucket, 'a')}?as_of=1`), 400, { field: 'as_of' });
    expectError(await call('GET', `${objectPath(bucket, 'a')}?view=versions`), 404);
  });
});
