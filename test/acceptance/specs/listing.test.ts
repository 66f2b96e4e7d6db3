import { it } from '../support/behaviour';
import { bucketCursor, uniqueName, useBucket } from '../support/buckets';
import { call, send } from '../support/http';
import {
  byUtf8,
  expectedListing,
  keysOf,
  type ListOptions,
  listAll,
  listPage,
  listPages,
  listPath,
} from '../support/listing';
import { describeObject, put, remove } from '../support/objects';
import { expectError, expectStatus, jsonOf } from '../support/responses';
import { apiKey, baseUrl } from '../support/target';

/**
 * Names where UTF-8 and UTF-16 order differ, folders in folders, delimiters of several characters.
 */
const KEYS = [
  'a',
  'a!',
  'a/',
  'a/1',
  'a/2',
  'a/b/1',
  'a/b/2',
  'a/b/c/d',
  'a0',
  'A/upper',
  'b--1',
  'b--2--x',
  'b--2--y',
  'b/1',
  'c+d e',
  'é/1',
  'é/2',
  'e\u0301/1',
  'z/%2F',
  'z/?',
  '\uff5e/full',
  '\uff5e',
  '😀',
  '😀/1',
  '😀/2',
  '\u{10ffff}',
];

async function putAll(bucket: string, keys: readonly string[]): Promise<void> {
  const rest = [...keys];
  const worker = async () => {
    for (let key = rest.pop(); key !== undefined; key = rest.pop()) await put(bucket, key, key);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

/**
 * Collects the list page by page and compares it, and its order across pages, with the definition.
 */
async function expectListing(bucket: string, keys: readonly string[], options: ListOptions) {
  const expected = expectedListing(keys, options);
  const pages = await listPages(bucket, options);
  expect(pages.flatMap((page) => page.objects.map((object) => object.key))).toEqual(expected.keys);
  expect(pages.flatMap((page) => page.prefixes)).toEqual(expected.prefixes);
  const ends = pages.map((page) =>
    [...page.objects.map((object) => object.key), ...page.prefixes].sort(byUtf8),
  );
  const merged = ends.flat();
  expect(merged).toEqual([...merged].sort(byUtf8));
  expect(new Set(pages.map((page) => page.cursor)).size).toBe(1);
}

describe('GET /api/v2/storage/objects/{bucket}', () => {
  const bucket = useBucket('list');
  beforeAll(() => putAll(bucket, KEYS));

  it('lists every object in the order of UTF-8 bytes', async () => {
    expect(await keysOf(bucket, {})).toEqual([...KEYS].sort(byUtf8));
  });

  it('lists the descriptors that the objects have', async () => {
    const { objects } = await listAll(bucket, { prefix: 'a/' });
    for (const object of objects) expect(object).toEqual(await describeObject(bucket, object.key));
  });

  it('returns the cursor of the bucket, and no next_page_token when everything is on the page', async () => {
    const page = await listPage(bucket, { limit: 1000 });
    expect(page.cursor).toBe(await bucketCursor(bucket));
    expect(page).not.toHaveProperty('next_page_token');
  });

  for (const limit of [1, 2, 3, 5, KEYS.length - 1, KEYS.length, KEYS.length + 1]) {
    it(`pages of ${limit} add up to the full list`, async () => {
      await expectListing(bucket, KEYS, { limit });
    });
  }

  for (const delimiter of ['/', '--', 'é/', 'no such', 'a']) {
    it(`folds by the delimiter "${delimiter}", prefixes counted in the limit, for any prefix and limit`, async () => {
      for (const prefix of ['', 'a', 'b--']) {
        for (const limit of [1, 3, 1000]) {
          await expectListing(bucket, KEYS, { delimiter, prefix, limit });
        }
      }
    });
  }

  it('never shows a prefix twice, however small the pages', async () => {
    const pages = await listPages(bucket, { delimiter: '/', limit: 1 });
    const prefixes = pages.flatMap((page) => page.prefixes);
    expect(new Set(prefixes).size).toBe(prefixes.length);
    expect(prefixes).toContain('a/');
  });

  for (const prefix of [
    'a',
    'a/',
    'a/b/',
    'é',
    'e\u0301',
    '\uff5e',
    '😀',
    '\u{10ffff}',
    'c+d e',
    'z/%2F',
    'x',
  ]) {
    it(`lists what begins with "${prefix}"`, async () => {
      await expectListing(bucket, KEYS, { prefix });
      await expectListing(bucket, KEYS, { prefix, limit: 1 });
    });
  }

  for (const after of ['', 'a', 'a/1', 'a/1\u0001', 'a/zzz', 'b--', '\uff5e', '😀', '\u{10ffff}']) {
    it(`starts after ${JSON.stringify(after)}, whether or not that is a key`, async () => {
      await expectListing(bucket, KEYS, { start_after: after });
      await expectListing(bucket, KEYS, { start_after: after, limit: 3 });
      await expectListing(bucket, KEYS, { start_after: after, prefix: 'a' });
    });
  }

  it('has 100 entries on a page by default', async () => {
    const keys = Array.from({ length: 103 }, (_, n) => `default/${String(n).padStart(3, '0')}`);
    await putAll(many, keys);
    const first = await listPage(many, {});
    expect(first.objects.map((object) => object.key)).toEqual(keys.slice(0, 100));
    const next = await listPage(many, { page_token: first.next_page_token ?? '' });
    expect(next.objects.map((object) => object.key)).toEqual(keys.slice(100));
  });

  const many = useBucket('list-many');

  it('returns an empty list for an empty bucket, at cursor 0', async () => {
    expect(await listPage(empty, {})).toEqual({ objects: [], prefixes: [], cursor: 0 });
  });

  const empty = useBucket('list-empty');

  it('returns 404 for a bucket that does not exist', async () => {
    expectError(await call('GET', `/api/v2/storage/objects/${uniqueName('none')}`), 404);
  });

  for (const limit of ['0', '-1', '1001', '1.5', 'ten', '', '1e2', '%2010']) {
    it(`returns 400 to limit=${limit}`, async () => {
      const path = `/api/v2/storage/objects/${bucket}?limit=${limit}`;
      expectError(await call('GET', path), 400, { field: 'limit' });
    });
  }

  it('lists by a prefix with ; | { } in percent-encoding', async () => {
    const odd = '{odd};|key';
    await put(bucket, odd);
    await expectListing(bucket, [...KEYS, odd], { prefix: '{odd};|' });
    expectStatus(await remove(bucket, odd), 200);
  });

  it('ends a value of the query at a raw ; and refuses raw | { }', ['raw-query'], async () => {
    const path = `/api/v2/storage/objects/${bucket}?limit=1;prefix=`;
    const { objects } = jsonOf(expectStatus(await call('GET', path), 200));
    expect(objects).toHaveLength(1);
    for (const raw of ['|', '{', '}']) {
      const headers = { authorization: `Bearer ${apiKey()}` };
      const url = `${baseUrl()}/api/v2/storage/objects/${bucket}?prefix=${raw}`;
      expect((await send('GET', url, { headers })).status).toBe(400);
    }
  });

  for (const name of ['prefix', 'delimiter', 'start_after', 'limit', 'page_token']) {
    it(`returns 400 to ${name} given twice`, async () => {
      const path = `/api/v2/storage/objects/${bucket}?${name}=1&${name}=2`;
      expectError(await call('GET', path), 400, { field: name });
    });
  }

  it('returns 400 to a page token that was made up or altered', async () => {
    const token = (await listPage(bucket, { limit: 1 })).next_page_token ?? '';
    const middle = Math.floor(token.length / 2);
    const other = token[middle] === 'A' ? 'B' : 'A';
    const altered = token.slice(0, middle) + other + token.slice(middle + 1);
    for (const wrong of ['nonsense', altered, token.slice(0, -3), 'AAAA', '{}']) {
      const response = await call('GET', listPath(bucket, { limit: 1, page_token: wrong }));
      expectError(response, 400, { field: 'page_token' });
    }
    for (const list of [`/api/v2/storage/objects/${bucket}`, '/api/v2/storage/buckets']) {
      expectError(await call('GET', `${list}?page_token=`), 400, { field: 'page_token' });
    }
  });

  it('returns 400 to a page token of another bucket, prefix or delimiter', async () => {
    const token = (await listPage(bucket, { limit: 1, prefix: 'a' })).next_page_token;
    for (const path of [
      listPath(many, { limit: 1, prefix: 'a', page_token: token }),
      listPath(bucket, { limit: 1, prefix: 'b', page_token: token }),
      listPath(bucket, { limit: 1, page_token: token }),
      listPath(bucket, { limit: 1, prefix: 'a', delimiter: '/', page_token: token }),
      `/api/v2/storage/buckets?${new URLSearchParams({ page_token: token ?? '' })}`,
    ]) {
      expectError(await call('GET', path), 400, { field: 'page_token' });
    }
  });
});

describe('Listing while the bucket changes', () => {
  const bucket = useBucket('moving');

  it('does not show deleted objects, and shows them when they are created again', async () => {
    await putAll(bucket, ['d/1', 'd/2', 'd/3']);
    await remove(bucket, 'd/2');
    expect(await keysOf(bucket, { prefix: 'd/' })).toEqual(['d/1', 'd/3']);
    await remove(bucket, 'd/1');
    await remove(bucket, 'd/3');
    expect(await listAll(bucket, { prefix: 'd', delimiter: '/' })).toEqual({
      objects: [],
      prefixes: [],
    });
    await put(bucket, 'd/2');
    expect(await keysOf(bucket, { prefix: 'd/' })).toEqual(['d/2']);
  });

  it('has the cursor from before the first page on every page', async () => {
    const keys = ['p/1', 'p/3', 'p/5', 'p/7'];
    await putAll(bucket, keys);
    const first = await listPage(bucket, { prefix: 'p/', limit: 2 });
    await put(bucket, 'p/0');
    await put(bucket, 'p/6');
    await remove(bucket, 'p/7');
    const second = await listPage(bucket, {
      prefix: 'p/',
      limit: 2,
      page_token: first.next_page_token,
    });
    expect(first.objects.map((object) => object.key)).toEqual(['p/1', 'p/3']);
    expect(second.objects.map((object) => object.key)).toEqual(['p/5', 'p/6']);
    expect(second.cursor).toBe(first.cursor);
    expect(await bucketCursor(bucket)).toBe(first.cursor + 3);
  });

  it('shows every object that stays exactly once, whatever is created and deleted between pages', async () => {
    const stay = Array.from({ length: 12 }, (_, n) => `s/${String.fromCharCode(97 + n)}`);
    await putAll(bucket, stay);
    const seen: string[] = [];
    let token: string | undefined;
    let turn = 0;
    do {
      const options = { prefix: 's/', limit: 2, ...(token !== undefined && { page_token: token }) };
      const page = await listPage(bucket, options);
      seen.push(...page.objects.map((object) => object.key));
      const last = seen.at(-1) ?? '';
      await put(bucket, `${last}-new-${turn}`);
      await put(bucket, last);
      await put(bucket, `s/0-${turn}`);
      await remove(bucket, `s/0-${turn}`);
      token = page.next_page_token;
      turn += 1;
    } while (token !== undefined && turn < 40);
    expect(turn).toBeLessThan(40);
    expect(seen.filter((key) => stay.includes(key))).toEqual(stay);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('skips long runs of deleted keys', async () => {
    const run = Array.from({ length: 60 }, (_, n) => `run/${String(n).padStart(2, '0')}`);
    await putAll(bucket, [...run, 'run/zz']);
    for (const key of run) await remove(bucket, key);
    expect(await keysOf(bucket, { prefix: 'run/', limit: 2 })).toEqual(['run/zz']);
  });
});
