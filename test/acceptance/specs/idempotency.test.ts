import { randomUUID } from 'node:crypto';
import { it, needing } from '../support/behaviour';
import { BUCKETS, bucketCursor, useBucket, useBucketName } from '../support/buckets';
import { call, callJson } from '../support/http';
import { useKey } from '../support/keys';
import {
  describeObject,
  descriptorOf,
  expectBytes,
  get,
  objectPath,
  put,
} from '../support/objects';
import { expectError, expectStatus, headerOf, jsonOf } from '../support/responses';
import { signUrl } from '../support/signed';

const fresh = () => ({ 'idempotency-key': randomUUID() });

describe('Idempotency-Key', () => {
  const bucket = useBucket('retry');
  const made = useBucketName('retry-made');
  const raced = useBucketName('retry-race');

  it('PUT: a retry gets the response of the first call, with no second change', async () => {
    const path = objectPath(bucket, 'put');
    const headers = { ...fresh(), 'content-type': 'text/plain' };
    const first = expectStatus(await call('PUT', path, { headers, body: 'once' }), 201);
    const retry = expectStatus(await call('PUT', path, { headers, body: 'once' }), 201);
    expect(descriptorOf(retry)).toEqual(descriptorOf(first));
    expect(headerOf(retry, 'x-object-cursor')).toBe(headerOf(first, 'x-object-cursor'));
    expect(await describeObject(bucket, 'put')).toEqual(descriptorOf(first));
    expect(await bucketCursor(bucket)).toBe(descriptorOf(first).cursor);
  });

  it('PUT: a retry gets the response of the first call after the object was changed, and does not change it back', async () => {
    const path = objectPath(bucket, 'late');
    const headers = fresh();
    const first = expectStatus(await call('PUT', path, { headers, body: 'first' }), 201);
    const second = await put(bucket, 'late', 'second');
    const retry = expectStatus(await call('PUT', path, { headers, body: 'first' }), 201);
    expect(descriptorOf(retry)).toEqual(descriptorOf(first));
    expect(await describeObject(bucket, 'late')).toEqual(second);
  });

  it('PUT: a retry of a conditional create returns 201 again, not 412', async () => {
    const path = objectPath(bucket, 'create');
    const headers = { ...fresh(), 'if-none-match': '*' };
    expectStatus(await call('PUT', path, { headers, body: 'x' }), 201);
    expectStatus(await call('PUT', path, { headers, body: 'x' }), 201);
    const other = { ...fresh(), 'if-none-match': '*' };
    expectError(await call('PUT', path, { headers: other, body: 'x' }), 412);
  });

  it('PUT: the same key with another body is refused with 400, and changes nothing', async () => {
    const path = objectPath(bucket, 'other-body');
    const headers = fresh();
    const first = expectStatus(await call('PUT', path, { headers, body: 'one' }), 201);
    expectError(await call('PUT', path, { headers, body: 'two' }), 400, {
      field: 'Idempotency-Key',
    });
    expect(await describeObject(bucket, 'other-body')).toEqual(descriptorOf(first));
    await expectBytes(bucket, 'other-body', 'one');
  });

  it('PUT: the same key with another path is refused with 400, and stores nothing', async () => {
    const headers = fresh();
    expectStatus(await call('PUT', objectPath(bucket, 'path/1'), { headers, body: 'x' }), 201);
    const other = await call('PUT', objectPath(bucket, 'path/2'), { headers, body: 'x' });
    expectError(other, 400, { field: 'Idempotency-Key' });
    expectError(await get(bucket, 'path/2'), 404);
  });

  it('DELETE: a retry returns 200 as the first call did, and does not delete what came after', async () => {
    await put(bucket, 'delete', 'one');
    const path = objectPath(bucket, 'delete');
    const headers = fresh();
    const first = expectStatus(await call('DELETE', path, { headers }), 200);
    const retry = expectStatus(await call('DELETE', path, { headers }), 200);
    expect(jsonOf(retry)).toEqual(jsonOf(first));
    await put(bucket, 'delete', 'two');
    expect(jsonOf(expectStatus(await call('DELETE', path, { headers }), 200))).toEqual(
      jsonOf(first),
    );
    await expectBytes(bucket, 'delete', 'two');
  });

  it('POST of a bucket: a retry returns 201 again, not 409', async () => {
    const headers = fresh();
    const first = expectStatus(await callJson('POST', BUCKETS, { name: made }, { headers }), 201);
    const retry = expectStatus(await callJson('POST', BUCKETS, { name: made }, { headers }), 201);
    expect(jsonOf(retry)).toEqual(jsonOf(first));
    expect(headerOf(retry, 'location')).toBe(headerOf(first, 'location'));
    expectError(await callJson('POST', BUCKETS, { name: made }, { headers: fresh() }), 409);
  });

  it('POST of a signed URL: a retry returns the same URL', async () => {
    const wish = { bucket, key: 'signed', method: 'PUT' };
    const headers = fresh();
    const first = await signUrl(wish, { headers });
    const retry = await signUrl(wish, { headers });
    const other = await signUrl(wish, { headers: fresh() });
    expect(retry.url).toBe(first.url);
    expect(other.url).not.toBe(first.url);
  });

  it('accepts 1 and 64 visible ASCII characters', async () => {
    // The one-character key is shared by all runs of a day: a replay of an earlier one is refused,
    // not an error of form.
    const long = `!~${randomUUID()}`.padEnd(64, 'x');
    const path = objectPath(bucket, 'forms');
    expectStatus(await call('PUT', path, { headers: { 'idempotency-key': long }, body: 'x' }), 201);
    const short = await call('PUT', path, { headers: { 'idempotency-key': 'k' }, body: bucket });
    if (expectStatus(short, 200, 400).status === 400)
      expectError(short, 400, { message: /other|another|different|before|already|used/i });
  });

  for (const [what, value] of [
    ['65 characters', 'k'.repeat(65)],
    ['a space', 'two words'],
    ['a letter outside ASCII', 'sch\u00fcssel'],
  ] as const) {
    it(`refuses a key with ${what} with 400, and stores nothing`, async () => {
      const headers = { 'idempotency-key': value };
      const response = await call('PUT', objectPath(bucket, 'never'), { headers, body: 'x' });
      expectError(response, 400, { field: 'Idempotency-Key' });
      expectError(await get(bucket, 'never'), 404);
    });
  }

  needing(['concurrency'], () => {
    it('PUT: retries at the same time make one change and get the same response', async () => {
      const path = objectPath(bucket, 'race');
      const headers = fresh();
      const responses = await Promise.all(
        Array.from({ length: 4 }, () => call('PUT', path, { headers, body: 'x' })),
      );
      for (const response of responses) expectStatus(response, 201);
      const [first, ...others] = responses.map(descriptorOf);
      for (const other of others) expect(other).toEqual(first);
      expect(await describeObject(bucket, 'race')).toEqual(first);
      expect(first?.version).toBe(1);
    });

    it('DELETE: retries at the same time make one change and get the same response', async () => {
      for (let round = 0; round < 5; round++) {
        const { cursor } = await put(bucket, `race/delete/${round}`);
        const path = objectPath(bucket, `race/delete/${round}`);
        const headers = fresh();
        const responses = await Promise.all(
          Array.from({ length: 4 }, () => call('DELETE', path, { headers })),
        );
        const [first, ...others] = responses.map((response) => jsonOf(expectStatus(response, 200)));
        expect(first).toMatchObject({ version: 2 });
        expect(Number(first?.cursor)).toBeGreaterThan(cursor);
        for (const other of others) expect(other).toEqual(first);
      }
    });

    it('PUT with If-None-Match: *: retries at the same time all return 201', async () => {
      for (let round = 0; round < 5; round++) {
        const path = objectPath(bucket, `race/create/${round}`);
        const headers = { ...fresh(), 'if-none-match': '*' };
        const responses = await Promise.all(
          Array.from({ length: 4 }, () => call('PUT', path, { headers, body: 'x' })),
        );
        for (const response of responses)
          expect(descriptorOf(expectStatus(response, 201)).version).toBe(1);
      }
    });

    it('POST of a bucket: retries at the same time all return 201', async () => {
      const headers = fresh();
      const responses = await Promise.all(
        Array.from({ length: 4 }, () => callJson('POST', BUCKETS, { name: raced }, { headers })),
      );
      for (const response of responses)
        expect(jsonOf(expectStatus(response, 201)).name).toBe(raced);
    });
  });

  needing(['restricted-keys'], () => {
    const writer = useKey({ buckets: [bucket], actions: ['read', 'write'] });

    it("is its API key's own: the same value of another API key is no retry", async () => {
      const headers = fresh();
      const path = objectPath(bucket, 'whose');
      expectStatus(await call('PUT', path, { headers, body: 'mine' }), 201);
      expectStatus(await call('PUT', path, { headers, body: 'theirs', key: writer() }), 200);
      await expectBytes(bucket, 'whose', 'theirs');
    });
  });
});
