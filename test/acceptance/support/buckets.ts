/** Buckets of a run: unique names, and removal after the tests. */
import { randomBytes } from 'node:crypto';
import { call, callJson } from './http';
import { listAll } from './listing';
import { remove } from './objects';
import { expectStatus, isJson, jsonOf } from './responses';

export const BUCKETS = '/api/v2/storage/buckets';

/** Returns a name that no other test and no other run uses. */
export function uniqueName(label: string): string {
  return `acc-${label}-${randomBytes(5).toString('hex')}`;
}

export async function createBucket(name: string): Promise<void> {
  expectStatus(await callJson('POST', BUCKETS, { name }), 201);
}

/** Removes the bucket with its objects; succeeds when it does not exist. */
export async function destroyBucket(name: string): Promise<void> {
  const found = await call('GET', `${BUCKETS}/${name}`);
  if (found.status === 404) return;
  const { objects } = await listAll(name, {});
  const keys = objects.map((object) => object.key);
  const worker = async () => {
    for (let key = keys.pop(); key !== undefined; key = keys.pop()) {
      expectStatus(await remove(name, key), 200, 404);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  expectStatus(await call('DELETE', `${BUCKETS}/${name}`), 204, 404);
}

/** A name that may become a bucket during the tests, and is removed after them. */
export function useBucketName(label: string): string {
  const name = uniqueName(label);
  afterAll(() => destroyBucket(name));
  return name;
}

/** A bucket for all tests of the surrounding `describe`; each test uses its own keys. */
export function useBucket(label: string): string {
  const name = useBucketName(label);
  beforeAll(() => createBucket(name));
  return name;
}

/** Returns the cursor of the bucket's latest change. */
export async function bucketCursor(name: string): Promise<number> {
  const bucket = jsonOf(expectStatus(await call('GET', `${BUCKETS}/${name}`), 200));
  return Number(bucket.cursor);
}

/** Returns every page of the bucket list, with `limit` buckets a page; checks their form. */
export async function listBuckets(limit: number, key: string): Promise<readonly string[]> {
  const names: string[] = [];
  let token: string | undefined;
  do {
    const query = new URLSearchParams({ limit: String(limit) });
    if (token !== undefined) query.set('page_token', token);
    const page = jsonOf(expectStatus(await call('GET', `${BUCKETS}?${query}`, { key }), 200));
    if (!Array.isArray(page.buckets)) throw new Error(`no buckets in ${JSON.stringify(page)}`);
    if (page.buckets.length > limit) throw new Error(`more than ${limit} buckets in a page`);
    for (const bucket of page.buckets) names.push(String(isJson(bucket) ? bucket.name : bucket));
    token = page.next_page_token === undefined ? undefined : String(page.next_page_token);
    if (names.length > 10_000) throw new Error('the list of buckets does not end');
  } while (token !== undefined);
  return names;
}
