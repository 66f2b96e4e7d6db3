import { it, needing } from '../support/behaviour';
import {
  BUCKETS,
  bucketCursor,
  createBucket,
  listBuckets,
  uniqueName,
  useBucket,
  useBucketName,
} from '../support/buckets';
import { TIMESTAMP } from '../support/descriptor';
import { call, callJson } from '../support/http';
import { useKey } from '../support/keys';
import { keysOf } from '../support/listing';
import { expectBytes, put, remove } from '../support/objects';
import { expectError, expectStatus, headerOf, integerHeader, jsonOf } from '../support/responses';
import { apiKey } from '../support/target';
import { until } from '../support/wait';

/** The whole resource: a field more or less is a failure. */
const EMPTY_BUCKET = {
  bucket_id: expect.stringMatching(/^[0-9A-Za-z]{12}$/),
  created_at: expect.stringMatching(TIMESTAMP),
  cursor: 0,
  object_count: 0,
  total_size: 0,
};

needing(['restricted-keys'], () => {
  describe('A key that is confined to prefixes', () => {
    const bucket = useBucket('counted');
    const confined = useKey({ buckets: [bucket], prefix: 'mine/', actions: ['read', 'list'] });
    const whole = useKey({ buckets: [bucket], actions: ['sync'] });

    it('sees the bucket without object_count and total_size', async () => {
      const views = async (key: string) => [
        jsonOf(expectStatus(await call('GET', `${BUCKETS}/${bucket}`, { key }), 200)),
        ...(jsonOf(expectStatus(await call('GET', BUCKETS, { key }), 200)).buckets as object[]),
      ];
      const { object_count: _, total_size: __, ...seen } = { name: bucket, ...EMPTY_BUCKET };
      expect(await views(confined())).toEqual([seen, seen]);
      const all = { name: bucket, ...EMPTY_BUCKET };
      expect(await views(whole())).toEqual([all, all]);
    });
  });
});

describe('POST /api/v2/storage/buckets', () => {
  const name = useBucketName('made');

  it('creates a bucket: 201, the bucket with exactly its five fields, and Location', async () => {
    const response = expectStatus(await callJson('POST', BUCKETS, { name }), 201);
    expect(jsonOf(response)).toEqual({ name, ...EMPTY_BUCKET });
    expect(integerHeader(response, 'x-object-cursor')).toBe(0);
    expect(headerOf(response, 'location')).toMatch(new RegExp(`${BUCKETS}/${name}$`));
    const found = expectStatus(await call('GET', `${BUCKETS}/${name}`), 200);
    expect(jsonOf(found)).toEqual(jsonOf(response));
  });

  it('returns 409 when the name is in use', async () => {
    const taken = uniqueName('taken');
    await createBucket(taken);
    expectError(await callJson('POST', BUCKETS, { name: taken }), 409);
    expectStatus(await call('DELETE', `${BUCKETS}/${taken}`), 204);
  });

  const longest = uniqueName('long').padEnd(63, 'x');
  for (const [what, valid] of [
    ['of 63 characters', longest],
    ['that begins and ends with a digit', `0${uniqueName('digit')}9`],
    ['with several hyphens in a row', uniqueName('a---b')],
  ] as const) {
    it(`accepts a name ${what}`, async () => {
      expectStatus(await callJson('POST', BUCKETS, { name: valid }), 201);
      expectStatus(await call('DELETE', `${BUCKETS}/${valid}`), 204);
    });
  }

  for (const [what, invalid] of [
    ['of 2 characters', 'ab'],
    ['of 64 characters', 'a'.repeat(64)],
    ['that is empty', ''],
    ['that begins with a hyphen', '-abc'],
    ['that ends with a hyphen', 'abc-'],
    ['with an upper-case letter', 'aBc'],
    ['with an underscore', 'a_b_c'],
    ['with a dot', 'a.b.c'],
    ['with a space', 'a b c'],
    ['with a slash', 'a/b/c'],
    ['with a number sign', 'abc#stats'],
    ['with a letter outside ASCII', 'bücher'],
    ['that ends with a line feed', 'abcd\n'],
    ['that is a number', 12345],
    ['that is null', null],
    ['that is a list', ['abc']],
    ['that is missing', undefined],
  ] as const) {
    it(`refuses a name ${what} with 400 that names the field`, async () => {
      expectError(await callJson('POST', BUCKETS, { name: invalid }), 400, { field: 'name' });
    });
  }

  for (const [what, body] of [
    ['malformed JSON', '{"name": "abc"'],
    ['no body', ''],
    ['a JSON list', '["abc"]'],
    ['a JSON text', '"abc"'],
    ['JSON null', 'null'],
    ['bytes that are not UTF-8', Buffer.from('7b226e616d65223a22fffe227d', 'hex')],
  ] as const) {
    it(`returns 400 to ${what}`, async () => {
      const headers = { 'content-type': 'application/json' };
      expectError(await call('POST', BUCKETS, { headers, body }), 400);
    });
  }
});

describe('GET /api/v2/storage/buckets/{bucket}', () => {
  const name = useBucket('one');
  const counted = useBucketName('counted');

  it('returns 404 for a bucket that does not exist', async () => {
    expectError(await call('GET', `${BUCKETS}/${uniqueName('none')}`), 404);
  });

  it('returns a cursor that is the one of the latest change', async () => {
    const { cursor } = await put(name, 'first');
    expect(await bucketCursor(name)).toBe(cursor);
    const deleted = jsonOf(expectStatus(await remove(name, 'first'), 200));
    expect(await bucketCursor(name)).toBe(deleted.cursor);
  });

  it('counts objects and bytes, within seconds', ['change-stream'], async () => {
    await createBucket(counted);
    await put(counted, 'a', 'four');
    await put(counted, 'b', 'replaced, so not counted');
    await put(counted, 'b', 'sixsix');
    await put(counted, 'c', 'deleted, so not counted');
    await remove(counted, 'c');
    await until('the counters', async () => {
      const bucket = jsonOf(await call('GET', `${BUCKETS}/${counted}`));
      return bucket.object_count === 2 && bucket.total_size === 10 ? bucket : undefined;
    });
  });
});

describe('DELETE /api/v2/storage/buckets/{bucket}', () => {
  const full = useBucket('full');
  const reborn = useBucketName('reborn');

  it('deletes an empty bucket: 204 without a body, then 404', async () => {
    const name = uniqueName('empty');
    await createBucket(name);
    const { cursor } = await put(name, 'a');
    await remove(name, 'a');
    const response = expectStatus(await call('DELETE', `${BUCKETS}/${name}`), 204);
    expect(response.body).toHaveLength(0);
    expect(integerHeader(response, 'x-object-cursor')).toBeGreaterThan(cursor);
    expectError(await call('GET', `${BUCKETS}/${name}`), 404);
    expectError(await call('DELETE', `${BUCKETS}/${name}`), 404);
  });

  it('returns 409 while the bucket holds an object, and leaves it usable', async () => {
    await put(full, 'keeps/it', 'kept');
    expectError(await call('DELETE', `${BUCKETS}/${full}`), 409);
    await expectBytes(full, 'keeps/it', 'kept');
    await put(full, 'another');
  });

  it('begins a new incarnation under the same name: no objects, version 1, cursor 1, no old history', async () => {
    await createBucket(reborn);
    await put(reborn, 'a', 'old');
    await put(reborn, 'a', 'older');
    await remove(reborn, 'a');
    expectStatus(await call('DELETE', `${BUCKETS}/${reborn}`), 204);

    const made = expectStatus(await callJson('POST', BUCKETS, { name: reborn }), 201);
    expect(jsonOf(made)).toEqual({ name: reborn, ...EMPTY_BUCKET });
    expect(await keysOf(reborn, {})).toEqual([]);
    expect(await put(reborn, 'a', 'new')).toMatchObject({ version: 1, cursor: 1 });
    await expectBytes(reborn, 'a', 'new');
  });
});

describe('GET /api/v2/storage/buckets', () => {
  const shared = uniqueName('list');
  const names = ['a', 'b', 'c', 'd', 'e'].map((letter) => `${shared}-${letter}`);
  beforeAll(() => Promise.all(names.map(createBucket)));
  afterAll(() => Promise.all(names.map((name) => call('DELETE', `${BUCKETS}/${name}`))));

  it('lists every bucket once, as GET of the bucket returns it, with the default limit', async () => {
    const listed = await listBuckets(1000, apiKey());
    expect(listed.filter((name) => name.startsWith(shared))).toEqual(names);
    expect(new Set(listed).size).toBe(listed.length);
    const page = jsonOf(expectStatus(await call('GET', BUCKETS), 200));
    expect(Array.isArray(page.buckets) && page.buckets.length).toBeLessThanOrEqual(100);
    const [name] = names;
    const one = jsonOf(await call('GET', `${BUCKETS}/${name}`));
    expect(one).toEqual({ name, ...EMPTY_BUCKET });
  });

  for (const limit of ['0', '-1', '1001', '1.5', 'ten', '', '1e2']) {
    it(`returns 400 to limit=${limit}`, async () => {
      expectError(await call('GET', `${BUCKETS}?limit=${limit}`), 400, { field: 'limit' });
    });
  }

  it('returns 400 to a limit given twice', async () => {
    expectError(await call('GET', `${BUCKETS}?limit=1&limit=2`), 400, { field: 'limit' });
  });

  it('returns 400 to a page token that was made up, altered or empty', async () => {
    const first = jsonOf(expectStatus(await call('GET', `${BUCKETS}?limit=1`), 200));
    const token = String(first.next_page_token);
    const middle = Math.floor(token.length / 2);
    const altered =
      token.slice(0, middle) + (token[middle] === 'A' ? 'B' : 'A') + token.slice(middle + 1);
    for (const wrong of ['nonsense', altered, token.slice(0, -2), 'AAAA', '%00']) {
      const response = await call('GET', `${BUCKETS}?limit=1&page_token=${wrong}`);
      expectError(response, 400, { field: 'page_token' });
    }
  });
});
