import { it, needing } from '../support/behaviour';
import { BUCKETS, createBucket, useBucket, useBucketName } from '../support/buckets';
import { page, sync } from '../support/changes';
import { call } from '../support/http';
import { useKey } from '../support/keys';
import { listAll, listPages } from '../support/listing';
import { put, remove } from '../support/objects';
import { expectError, expectStatus } from '../support/responses';

describe('GET /api/v2/storage/sync', () => {
  const bucket = useBucket('changes');
  const last = { cursor: 0 };

  beforeAll(async () => {
    await put(bucket, 'a/1', 'one');
    await put(bucket, 'b/1', 'two');
    await put(bucket, 'a/1', 'three');
    expectStatus(await remove(bucket, 'b/1'), 200);
    last.cursor = (await put(bucket, 'a/2', 'four')).cursor;
  });

  it('returns every change after the cursor, in order, each once', async () => {
    const found = await page({ bucket, cursor: '0' });
    expect(found.from).toBe(0);
    expect(found.to).toBeGreaterThanOrEqual(last.cursor);
    expect(found.changes.map(({ type, object }) => [type, object.key, object.version])).toEqual([
      ['put', 'a/1', 1],
      ['put', 'b/1', 1],
      ['put', 'a/1', 2],
      ['delete', 'b/1', 2],
      ['put', 'a/2', 1],
    ]);
  });

  it('returns the descriptor of a put, and what DELETE returned for a delete', async () => {
    const { changes } = await page({ bucket, cursor: '0' });
    const [first] = changes;
    expect(first?.object).toMatchObject({ bucket, size: 3, cursor: first?.cursor, metadata: {} });
    const deleted = changes.find(({ type }) => type === 'delete');
    expect(Object.keys(deleted?.object ?? {}).sort()).toEqual(
      ['bucket', 'cursor', 'deleted_at', 'key', 'version'].sort(),
    );
  });

  it('covers `limit` cursors: `to` is where to continue, `has_more` says whether to', async () => {
    const cursors: number[] = [];
    let position = 0;
    for (let more = true; more; ) {
      const found = await page({ bucket, cursor: String(position), limit: '2' });
      expect(found.from).toBe(position);
      expect(found.to - found.from).toBeLessThanOrEqual(2);
      cursors.push(...found.changes.map(({ cursor }) => cursor));
      position = found.to;
      more = found.has_more;
    }
    const whole = await page({ bucket, cursor: '0' });
    expect(cursors).toEqual(whole.changes.map(({ cursor }) => cursor));
  });

  it('omits the changes of other keys with `prefix`, and covers their cursors', async () => {
    const found = await page({ bucket, cursor: '0', prefix: 'b/' });
    expect(found.changes.map(({ object }) => object.key)).toEqual(['b/1', 'b/1']);
    expect(found.to).toBeGreaterThanOrEqual(last.cursor);
  });

  it('begins with the next change without a cursor', async () => {
    const now = await page({ bucket });
    expect([now.from, now.changes]).toEqual([now.to, []]);
    const { cursor } = await put(bucket, 'later');
    const found = await page({ bucket, cursor: String(now.to) });
    expect(found.changes.map((change) => change.cursor)).toEqual([cursor]);
  });

  it('returns 304 to If-None-Match with the head, until something changes', async () => {
    const { head, to } = await page({ bucket });
    const headers = { 'if-none-match': `"${head}"` };
    const unchanged = expectStatus(await sync({ bucket, cursor: String(to) }, { headers }), 304);
    expect([unchanged.headers.etag, unchanged.body.length]).toEqual([`"${head}"`, 0]);
    await put(bucket, 'news');
    expectStatus(await sync({ bucket, cursor: String(to) }, { headers }), 200);
  });

  it('returns at the first change with `wait`', async () => {
    const { to } = await page({ bucket });
    const waiting = page({ bucket, cursor: String(to), wait: '20' });
    const { cursor } = await put(bucket, 'awaited');
    expect((await waiting).changes.map((change) => change.cursor)).toEqual([cursor]);
  });

  it('returns an empty page at the end of `wait` when nothing changes', async () => {
    const { to } = await page({ bucket });
    const before = Date.now();
    const found = await page({ bucket, cursor: String(to), wait: '1' });
    expect([found.to, found.changes]).toEqual([to, []]);
    expect(Date.now() - before).toBeGreaterThanOrEqual(900);
  });

  it('responds to HEAD as to GET, without a body', async () => {
    const response = await call('HEAD', `/api/v2/storage/sync?bucket=${bucket}&cursor=0`);
    expectStatus(response, 200);
    expect(response.body.length).toBe(0);
    expect(response.headers.etag).toMatch(/^"\d+"$/);
  });

  for (const [what, query, field] of [
    ['no bucket', { bucket: '' }, 'bucket'],
    ['a bad name', { bucket: 'X' }, 'bucket'],
    ['a cursor ahead of the bucket', { cursor: '999999' }, 'cursor'],
    ['a negative cursor', { cursor: '-1' }, 'cursor'],
    ['a cursor with a fraction', { cursor: '1.5' }, 'cursor'],
    ['a limit of 0', { limit: '0' }, 'limit'],
    ['a limit of 1001', { limit: '1001' }, 'limit'],
    ['a wait of 21 seconds', { wait: '21' }, 'wait'],
    ['a prefix of 901 bytes', { prefix: 'x'.repeat(901) }, 'prefix'],
    ['an unknown bucket_id', { bucket_id: 'x' }, 'bucket_id'],
  ] as const) {
    it(`returns 400 that names ${field} to ${what}`, async () => {
      const response = await sync({ bucket, ...query });
      expectError(response, 400, { field });
    });
  }

  it('returns 400 to a parameter given twice', async () => {
    const response = await call('GET', `/api/v2/storage/sync?bucket=${bucket}&cursor=0&cursor=1`);
    expectError(response, 400, { field: 'cursor' });
  });

  it('returns 404 for a bucket that does not exist', async () => {
    expectError(await sync({ bucket: 'acc-there-is-no-such-bucket' }), 404);
  });

  it('returns 405 to another method', async () => {
    expectError(await call('POST', '/api/v2/storage/sync'), 405);
  });

  it('accepts the bucket_id of this incarnation, and returns 410 to that of another', async () => {
    const { bucket_id, to } = await page({ bucket });
    await page({ bucket, cursor: String(to), bucket_id });
    const response = await sync({ bucket, cursor: '0', bucket_id: 'AAAAAAAAAAAA' });
    expectError(response, 410);
  });

  needing(['restricted-keys'], () => {
    const reader = useKey({ buckets: ['acc-*'], actions: ['read', 'list'] });
    const narrow = useKey({ buckets: ['acc-*'], prefix: 'a/', actions: ['sync'] });

    it('returns 403 to a key without `sync`, whether or not the bucket exists', async () => {
      for (const name of [bucket, 'acc-there-is-no-such-bucket']) {
        expectError(await sync({ bucket: name }, { key: reader() }), 403);
      }
    });

    it('lets a key for a prefix follow that prefix, and nothing wider', async () => {
      const found = await page({ bucket, cursor: '0', prefix: 'a/' }, { key: narrow() });
      expect(found.changes.length).toBeGreaterThan(0);
      for (const prefix of ['', 'a', 'b/']) {
        expectError(await sync({ bucket, prefix }, { key: narrow() }), 403);
      }
    });
  });
});

describe('a bucket that was deleted and made again', () => {
  const bucket = useBucketName('lives');

  it('is a new incarnation to a client with a cursor of the first', async () => {
    await createBucket(bucket);
    await put(bucket, 'a');
    expectStatus(await remove(bucket, 'a'), 200);
    const { bucket_id, to } = await page({ bucket, cursor: '0' });
    expectStatus(await call('DELETE', `${BUCKETS}/${bucket}`), 204);
    await createBucket(bucket);
    for (let n = 0; n < 3; n++) await put(bucket, `again-${n}`);
    const response = await sync({ bucket, cursor: String(to), bucket_id });
    expectError(response, 410);
    const again = await page({ bucket, cursor: '0' });
    expect(again.bucket_id).not.toBe(bucket_id);
    expect(again.changes).toHaveLength(3);
  });
});

describe('listing, then following', () => {
  const bucket = useBucket('list-follow');

  it('leads to exactly what is stored while others write', async () => {
    const keys = Array.from({ length: 12 }, (_, n) => `k${n}`);
    const writer = async (n: number) => {
      for (let round = 0; round < 6; round++) {
        const key = keys[(n * 5 + round * 7) % keys.length] ?? 'k0';
        if (round % 3 === 2) expectStatus(await remove(bucket, key), 200, 404);
        else await put(bucket, key, `${n}.${round}`);
      }
    };
    const writing = Promise.all([0, 1, 2, 3].map(writer));
    const pages = await listPages(bucket, { limit: 3 });
    await writing;
    const listed = pages.flatMap(({ objects }) => objects);
    const copy = new Map(listed.map(({ key, cursor }) => [key, cursor]));
    let position = pages[0]?.cursor ?? 0;
    for (let more = true; more; ) {
      const found = await page({ bucket, cursor: String(position), limit: '5' });
      for (const { type, object } of found.changes) {
        if (type === 'put') copy.set(String(object.key), Number(object.cursor));
        else copy.delete(String(object.key));
      }
      position = found.to;
      more = found.has_more;
    }
    const stored = (await listAll(bucket, {})).objects;
    expect([...copy].sort()).toEqual(stored.map(({ key, cursor }) => [key, cursor]).sort());
  });
});
