import { it, needing } from '../support/behaviour';
import {
  BUCKETS,
  createBucket,
  destroyBucket,
  listBuckets,
  uniqueName,
  useBucket,
} from '../support/buckets';
import type { HttpResponse } from '../support/exchange';
import { call, callJson } from '../support/http';
import { useKey } from '../support/keys';
import { keysOf, listAll, listPage, listPath } from '../support/listing';
import { expectBytes, objectPath, put } from '../support/objects';
import { demand, expectError, expectHeadError, expectStatus, jsonOf } from '../support/responses';
import { SIGNED_URL } from '../support/signed';

const sign = (key: string, method: string, bucket: string, name: string) =>
  callJson('POST', SIGNED_URL, { bucket, key: name, method }, { key });

/** 403 in every respect but the name like 403 for something that does not exist. */
function expectSameRefusal(method: string, one: HttpResponse, other: HttpResponse): void {
  if (method === 'HEAD') {
    expectHeadError(one, 403);
    expectHeadError(other, 403);
    return;
  }
  const [first, second] = [one, other].map((response) =>
    JSON.stringify({ ...expectError(response, 403), request_id: '' }).replace(/acc-[\w-]+/g, ''),
  );
  expect(first).toBe(second);
}

needing(['restricted-keys'], () => {
  describe('Permissions: each action opens its requests and nothing else', () => {
    const bucket = useBucket('act');
    beforeAll(() => put(bucket, 'a', 'content'));

    const requests = {
      read: (key: string) => call('GET', objectPath(bucket, 'a'), { key }),
      'read (HEAD)': (key: string) => call('HEAD', objectPath(bucket, 'a'), { key }),
      'read (descriptor)': (key: string) =>
        call('GET', `${objectPath(bucket, 'a')}?view=descriptor`, { key }),
      write: (key: string) => call('PUT', objectPath(bucket, 'w'), { key, body: 'x' }),
      list: (key: string) => call('GET', listPath(bucket, {}), { key }),
      delete: async (key: string) => {
        await put(bucket, 'd');
        return call('DELETE', objectPath(bucket, 'd'), { key });
      },
      'sign and read': (key: string) => sign(key, 'GET', bucket, 'a'),
      sync: (key: string) => call('GET', `/api/v2/storage/sync?bucket=${bucket}`, { key }),
      'sign and sync': (key: string) =>
        callJson('POST', SIGNED_URL, { bucket, method: 'SYNC' }, { key }),
      'sign and write': (key: string) => sign(key, 'PUT', bucket, 'new'),
      create_bucket: (key: string) => callJson('POST', BUCKETS, { name: bucket }, { key }),
      delete_bucket: (key: string) => call('DELETE', `${BUCKETS}/${bucket}`, { key }),
    };
    /**
     * Beyond the permission: the bucket exists, so creating it is 409; it holds objects, so
     * deleting it is 409.
     */
    const allowed = [200, 201, 204, 409];

    for (const actions of [
      ['read'],
      ['write'],
      ['delete'],
      ['list'],
      ['sign'],
      ['sync'],
      ['create_bucket'],
      ['delete_bucket'],
      ['sign', 'read'],
      ['sign', 'write'],
      ['sign', 'sync'],
    ]) {
      const key = useKey({ buckets: [bucket], actions });
      it(`a key that may [${actions.join(', ')}]`, async () => {
        for (const [need, request] of Object.entries(requests)) {
          const may = need
            .replace(/ \(.*/, '')
            .split(' and ')
            .every((each) => actions.includes(each));
          const response = await request(key());
          if (may) expectStatus(response, ...allowed);
          else if (need === 'read (HEAD)') expectHeadError(response, 403);
          else expectError(response, 403);
        }
        await expectBytes(bucket, 'a', 'content');
      });
    }
  });

  describe('Permissions: a key for one bucket', () => {
    const mine = useBucket('mine');
    const theirs = useBucket('theirs');
    const absent = uniqueName('absent');
    const actions = ['read', 'write', 'delete', 'list', 'sign', 'create_bucket', 'delete_bucket'];
    const key = useKey({ buckets: [mine], actions });
    beforeAll(async () => {
      await put(mine, 'a', 'mine');
      await put(theirs, 'a', 'theirs');
    });

    const requests = [
      ['GET', (bucket: string) => `${BUCKETS}/${bucket}`],
      ['DELETE', (bucket: string) => `${BUCKETS}/${bucket}`],
      ['GET', (bucket: string) => listPath(bucket, {})],
      ['GET', (bucket: string) => objectPath(bucket, 'a')],
      ['GET', (bucket: string) => `${objectPath(bucket, 'a')}?view=descriptor`],
      ['GET', (bucket: string) => `${objectPath(bucket, 'a')}?version=1`],
      ['HEAD', (bucket: string) => objectPath(bucket, 'a')],
      ['PUT', (bucket: string) => objectPath(bucket, 'a')],
      ['DELETE', (bucket: string) => objectPath(bucket, 'a')],
    ] as const;

    for (const [method, pathOf] of requests) {
      it(`${method} ${pathOf('{bucket}')} of another bucket: 403, the same whether or not it exists`, async () => {
        const body = method === 'PUT' ? 'overwritten' : undefined;
        const [existing, missing] = [
          await call(method, pathOf(theirs), { key: key(), body }),
          await call(method, pathOf(absent), { key: key(), body }),
        ];
        expectSameRefusal(method, existing, missing);
        await expectBytes(theirs, 'a', 'theirs');
      });
    }

    for (const method of ['GET', 'PUT']) {
      it(`a signed URL to ${method} in another bucket: 403, the same whether or not it exists`, async () => {
        const existing = await sign(key(), method, theirs, 'a');
        expectSameRefusal(method, existing, await sign(key(), method, absent, 'a'));
      });
    }

    it('creating another bucket: 403, the same whether or not the name is in use', async () => {
      const existing = await callJson('POST', BUCKETS, { name: theirs }, { key: key() });
      const missing = await callJson('POST', BUCKETS, { name: absent }, { key: key() });
      expectSameRefusal('POST', existing, missing);
      expectError(await call('GET', `${BUCKETS}/${absent}`), 404);
    });

    it('does everything in its own bucket, and 404 there means missing', async () => {
      expectStatus(await call('GET', `${BUCKETS}/${mine}`, { key: key() }), 200);
      expectStatus(await call('GET', objectPath(mine, 'a'), { key: key() }), 200);
      expectError(await call('GET', objectPath(mine, 'missing'), { key: key() }), 404);
      expectStatus(await call('PUT', objectPath(mine, 'b'), { key: key(), body: 'x' }), 201);
      expect(await keysOf(mine, {}, { key: key() })).toContain('b');
      expectStatus(await sign(key(), 'GET', mine, 'a'), 201);
      expectStatus(await call('DELETE', objectPath(mine, 'b'), { key: key() }), 200);
    });

    it('sees no other bucket in the list', async () => {
      expect(await listBuckets(1, key())).toEqual([mine]);
      expect(await listBuckets(1000, key())).toEqual([mine]);
    });

    it('gets nothing more by a page token of a key that sees everything', async () => {
      const page = jsonOf(expectStatus(await call('GET', `${BUCKETS}?limit=1`), 200));
      const token = String(page.next_page_token);
      const response = await call('GET', `${BUCKETS}?limit=1000&page_token=${token}`, {
        key: key(),
      });
      if (expectStatus(response, 200, 400).status === 200) {
        const names = JSON.stringify(jsonOf(response).buckets);
        demand(!names.includes(theirs), 'no other bucket', response);
      }
    });
  });

  describe('Permissions: a key for a pattern of buckets', () => {
    const stem = uniqueName('team');
    const outside = uniqueName('other');
    const key = useKey({
      buckets: [`${stem}-*`],
      actions: ['read', 'create_bucket', 'delete_bucket'],
    });
    const inside = [`${stem}-a`, `${stem}-b`];
    beforeAll(async () => {
      for (const name of [...inside, stem, outside]) await createBucket(name);
    });
    afterAll(() => Promise.all([...inside, stem, outside, `${stem}-new`].map(destroyBucket)));

    it('sees what matches, and nothing else', async () => {
      expect(await listBuckets(1, key())).toEqual(inside);
      for (const name of [stem, outside]) {
        expectError(await call('GET', `${BUCKETS}/${name}`, { key: key() }), 403);
      }
    });

    it('creates and deletes what matches, and nothing else', async () => {
      const make = (name: string) => callJson('POST', BUCKETS, { name }, { key: key() });
      expectStatus(await make(`${stem}-new`), 201);
      expectStatus(await call('DELETE', `${BUCKETS}/${stem}-new`, { key: key() }), 204);
      expectError(await make(uniqueName('other')), 403);
      expectError(await call('DELETE', `${BUCKETS}/${outside}`, { key: key() }), 403);
    });
  });

  describe('Permissions: a key for a prefix', () => {
    const bucket = useBucket('prefix');
    const actions = ['read', 'write', 'delete', 'list', 'sign', 'create_bucket', 'delete_bucket'];
    const key = useKey({ buckets: [bucket], prefix: 'team/', actions });
    const inside = ['team/', 'team/a', 'team/b/c'];
    const outside = ['a', 'team', 'team0', 'teams/a', 'Team/a', 'z/team/a'];
    beforeAll(async () => {
      for (const name of [...inside, ...outside]) await put(bucket, name, name);
    });

    it('reads, writes, deletes and signs below its prefix', async () => {
      expectStatus(await call('GET', objectPath(bucket, 'team/a'), { key: key() }), 200);
      expectStatus(await call('PUT', objectPath(bucket, 'team/n'), { key: key(), body: 'x' }), 201);
      expectStatus(await call('DELETE', objectPath(bucket, 'team/n'), { key: key() }), 200);
      for (const method of ['GET', 'PUT']) {
        expectStatus(await sign(key(), method, bucket, 'team/a'), 201);
      }
    });

    for (const name of [...outside, 'missing', 'team%2Fa']) {
      it(`is refused with 403 for the key "${name}" outside its prefix, for every operation`, async () => {
        for (const method of ['GET', 'PUT', 'DELETE']) {
          const body = method === 'PUT' ? 'overwritten' : undefined;
          expectError(await call(method, objectPath(bucket, name), { key: key(), body }), 403);
        }
        expectHeadError(await call('HEAD', objectPath(bucket, name), { key: key() }), 403);
        for (const method of ['GET', 'PUT']) {
          expectError(await sign(key(), method, bucket, name), 403);
        }
        if (outside.includes(name)) await expectBytes(bucket, name, name);
      });
    }

    it('sees only what lies below its prefix in lists, whatever it asks for', async () => {
      expect(await keysOf(bucket, { prefix: 'team/' }, { key: key() })).toEqual(inside);
      for (const options of [{}, { prefix: 't' }, { prefix: 'team' }, { limit: 1 }]) {
        expect(await keysOf(bucket, options, { key: key() })).toEqual(inside);
      }
      expect(await keysOf(bucket, { start_after: 'team/a' }, { key: key() })).toEqual(['team/b/c']);
    });

    it('sees only its own folder with a delimiter', async () => {
      const folders = await listAll(bucket, { delimiter: '/' }, { key: key() });
      expect(folders).toEqual({ objects: [], prefixes: ['team/'] });
      const within = await listAll(bucket, { delimiter: '/', prefix: 'team/' }, { key: key() });
      expect(within.prefixes).toEqual(['team/b/']);
    });

    it('learns nothing of other prefixes: empty or 403', async () => {
      for (const prefix of ['teams/', 'a', 'z/']) {
        const response = await call('GET', listPath(bucket, { prefix }), { key: key() });
        if (expectStatus(response, 200, 403).status === 403) expectError(response, 403);
        else expect(jsonOf(response)).toMatchObject({ objects: [], prefixes: [] });
      }
    });

    it('gets nothing more by a page token of a key that sees everything', async () => {
      const { next_page_token: token } = await listPage(bucket, { limit: 1 });
      const options = { limit: 1000, page_token: token };
      const response = await call('GET', listPath(bucket, options), { key: key() });
      if (expectStatus(response, 200, 400).status === 200) {
        demand(!response.body.includes('"teams/a"'), 'nothing beside its prefix', response);
      }
    });

    it('does not delete the bucket, in which others have objects', async () => {
      expectError(await call('DELETE', `${BUCKETS}/${bucket}`, { key: key() }), 403);
    });
  });

  describe('Permissions: several in one key', () => {
    const one = useBucket('one');
    const two = useBucket('two');
    const key = useKey(
      { buckets: [one], actions: ['read'] },
      { buckets: [two], actions: ['write'] },
      { buckets: [two], prefix: 'pub/', actions: ['list'] },
      { buckets: [two], prefix: 'also/', actions: ['list'] },
    );
    beforeAll(async () => {
      for (const bucket of [one, two]) {
        for (const name of ['also/1', 'between', 'pub/1', 'zz']) await put(bucket, name, 'x');
      }
    });

    it('add up, without mixing the actions of one bucket into another', async () => {
      expectStatus(await call('GET', objectPath(one, 'zz'), { key: key() }), 200);
      expectStatus(await call('PUT', objectPath(two, 'zz'), { key: key(), body: 'x' }), 200);
      expectError(await call('PUT', objectPath(one, 'zz'), { key: key(), body: 'x' }), 403);
      expectError(await call('GET', objectPath(two, 'zz'), { key: key() }), 403);
      expectError(await call('GET', listPath(one, {}), { key: key() }), 403);
    });

    it('list the union of their prefixes in key order', async () => {
      expect(await keysOf(two, {}, { key: key() })).toEqual(['also/1', 'pub/1']);
      expect(await keysOf(two, { limit: 1 }, { key: key() })).toEqual(['also/1', 'pub/1']);
    });
  });
});
