import { it, needing } from '../support/behaviour';
import { BUCKETS, bucketCursor, useBucket, useBucketName } from '../support/buckets';
import type { Descriptor } from '../support/descriptor';
import type { HttpResponse } from '../support/exchange';
import { call, callJson } from '../support/http';
import { listAll } from '../support/listing';
import { describeObject, descriptorOf, expectBytes, objectPath, put } from '../support/objects';
import { demand, expectError, expectStatus, jsonOf } from '../support/responses';

const WRITERS = 16;

/** One request per writer, all at once. */
function together(request: (n: number) => Promise<HttpResponse>): Promise<HttpResponse[]> {
  return Promise.all(Array.from({ length: WRITERS }, (_, n) => request(n)));
}

const count = (responses: readonly HttpResponse[], status: number) =>
  responses.filter((response) => response.status === status).length;

needing(['concurrency'], () => {
  describe('Concurrency', () => {
    const bucket = useBucket('race');
    const contested = useBucketName('contested');

    it('16 PUTs on one key at once: versions 1 to 16, cursors in their order, the last one stays', async () => {
      const path = objectPath(bucket, 'one key');
      const responses = await together((n) => call('PUT', path, { body: `writer ${n}` }));
      const made = responses
        .map((response, n) => ({
          n,
          status: response.status,
          ...descriptorOf(expectStatus(response, 200, 201)),
        }))
        .sort((a, b) => a.version - b.version);
      expect(made.map((each) => each.version)).toEqual(made.map((_, n) => n + 1));
      const cursors = made.map((each) => each.cursor);
      expect(cursors).toEqual([...new Set(cursors)].sort((a, b) => a - b));
      expect(made.map((each) => each.status)).toEqual([201, ...Array(WRITERS - 1).fill(200)]);

      const last = made.at(-1);
      const current = await describeObject(bucket, 'one key');
      expect(current).toMatchObject({ version: WRITERS, cursor: last?.cursor, etag: last?.etag });
      await expectBytes(bucket, 'one key', `writer ${last?.n}`);
      for (const { version, n } of made) {
        const response = expectStatus(await call('GET', `${path}?version=${version}`), 200);
        expect(response.body.toString()).toBe(`writer ${n}`);
      }
      expect(await bucketCursor(bucket)).toBeGreaterThanOrEqual(last?.cursor ?? 0);
    });

    it('16 creates with If-None-Match: * at once: exactly one 201, the others 412', async () => {
      const path = objectPath(bucket, 'create once');
      const headers = { 'if-none-match': '*' };
      const responses = await together((n) => call('PUT', path, { headers, body: `writer ${n}` }));
      expect([count(responses, 201), count(responses, 412)]).toEqual([1, WRITERS - 1]);
      for (const response of responses) if (response.status === 412) expectError(response, 412);
      const winner = responses.findIndex((response) => response.status === 201);
      await expectBytes(bucket, 'create once', `writer ${winner}`);
      expect((await describeObject(bucket, 'create once')).version).toBe(1);
    });

    it('16 replacements with If-Match of the same etag at once: exactly one succeeds', async () => {
      const { etag } = await put(bucket, 'match once', 'before');
      const path = objectPath(bucket, 'match once');
      const headers = { 'if-match': `"${etag}"` };
      const responses = await together((n) => call('PUT', path, { headers, body: `writer ${n}` }));
      expect([count(responses, 200), count(responses, 412)]).toEqual([1, WRITERS - 1]);
      expect((await describeObject(bucket, 'match once')).version).toBe(2);
    });

    it('16 DELETEs of one object at once: exactly one 200, the others 404', async () => {
      await put(bucket, 'delete once');
      const responses = await together(() => call('DELETE', objectPath(bucket, 'delete once')));
      expect([count(responses, 200), count(responses, 404)]).toEqual([1, WRITERS - 1]);
    });

    it('PUTs and DELETEs of one key at once: every change has its own version, dense and in cursor order', async () => {
      const path = objectPath(bucket, 'mixed');
      const responses = await together((n) => call(n % 2 ? 'DELETE' : 'PUT', path));
      const changes = responses.filter(
        (response) => expectStatus(response, 200, 201, 404).status !== 404,
      );
      const made = changes.map(jsonOf).sort((a, b) => Number(a.version) - Number(b.version));
      expect(made.map((each) => each.version)).toEqual(made.map((_, n) => n + 1));
      const cursors = made.map((each) => Number(each.cursor));
      expect(cursors).toEqual([...new Set(cursors)].sort((a, b) => a - b));
      const deletes = made.map((each) => 'deleted_at' in each);
      for (const [n, isDelete] of deletes.entries()) {
        demand(
          !(isDelete && (n === 0 || deletes[n - 1] === true)),
          'no delete of nothing',
          changes[0] ?? NONE,
        );
      }
    });

    it('16 PUTs on 16 keys at once: each its own cursor, all of them listed', async () => {
      const responses = await together((n) =>
        call('PUT', objectPath(bucket, `keys/${String(n).padStart(2, '0')}`), { body: `${n}` }),
      );
      const made: Descriptor[] = responses.map((response) =>
        descriptorOf(expectStatus(response, 201)),
      );
      expect(new Set(made.map((each) => each.cursor)).size).toBe(WRITERS);
      const { objects } = await listAll(bucket, { prefix: 'keys/' });
      expect(objects).toEqual(made);
      const highest = Math.max(...made.map((each) => each.cursor));
      expect(await bucketCursor(bucket)).toBeGreaterThanOrEqual(highest);
    });

    it('16 creations of one bucket at once: exactly one 201, the others 409', async () => {
      const responses = await together(() => callJson('POST', BUCKETS, { name: contested }));
      expect([count(responses, 201), count(responses, 409)]).toEqual([1, WRITERS - 1]);
    });

    it('reads during writes return bytes, etag and version of the same version', async () => {
      const body = (n: number) => `${n} `.repeat(20_000);
      const versions = [await put(bucket, 'whole', body(1))];
      const path = objectPath(bucket, 'whole');
      const write = async () => {
        for (let n = 2; n <= 6; n++) versions.push(await put(bucket, 'whole', body(n)));
      };
      const seen: HttpResponse[] = [];
      const read = async () => {
        for (let n = 0; n < 12; n++) seen.push(expectStatus(await call('GET', path), 200));
      };
      await Promise.all([write(), read(), read(), read()]);
      for (const response of seen) {
        const version = Number(response.headers['x-object-version']);
        expect(response.body.toString()).toBe(body(version));
        expect(response.headers.etag).toBe(`"${versions[version - 1]?.etag}"`);
      }
    });
  });
});

const NONE: HttpResponse = { request: 'none', status: 0, headers: {}, body: Buffer.alloc(0) };

describe('Reading your own writes', () => {
  const bucket = useBucket('ryw');

  it('GET, HEAD and the list show each PUT at once, 25 times over', async () => {
    for (let n = 1; n <= 25; n++) {
      const written = await put(bucket, 'again', `${n}`);
      expect(written.version).toBe(n);
      await expectBytes(bucket, 'again', `${n}`);
      const headed = expectStatus(await call('HEAD', objectPath(bucket, 'again')), 200);
      expect(headed.headers.etag).toBe(`"${written.etag}"`);
      expect((await listAll(bucket, { prefix: 'again' })).objects).toEqual([written]);
    }
  });

  it('GET, HEAD and the list no longer show what was deleted, 15 times over', async () => {
    for (let n = 0; n < 15; n++) {
      await put(bucket, `gone/${n}`);
      expectStatus(await call('DELETE', objectPath(bucket, `gone/${n}`)), 200);
      expectError(await call('GET', objectPath(bucket, `gone/${n}`)), 404);
      expectStatus(await call('HEAD', objectPath(bucket, `gone/${n}`)), 404);
      expect((await listAll(bucket, { prefix: 'gone/' })).objects).toEqual([]);
    }
  });

  it('every new key is in the list at once, and the cursor of the list is that of the write', async () => {
    for (let n = 0; n < 15; n++) {
      const written = await put(bucket, `new/${n}`);
      const { objects } = await listAll(bucket, { prefix: 'new/' });
      expect(objects).toHaveLength(n + 1);
      expect(await bucketCursor(bucket)).toBe(written.cursor);
    }
  });
});
