import { it, needing } from '../support/behaviour';
import { BUCKETS, createBucket, listBuckets, uniqueName } from '../support/buckets';
import { call, callJson } from '../support/http';
import { useKey } from '../support/keys';
import { expectStatus, jsonOf } from '../support/responses';

/**
 * A key that sees only this run's buckets, so that pages are exact whatever else the target holds.
 */
needing(['restricted-keys'], () => {
  describe('GET /api/v2/storage/buckets', () => {
    const shared = uniqueName('pages');
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((letter) => `${shared}-${letter}`);
    const key = useKey({
      buckets: [`${shared}*`],
      actions: ['list', 'create_bucket', 'delete_bucket'],
    });
    beforeAll(() => Promise.all(names.map(createBucket)));
    afterAll(() => Promise.all(names.map((name) => call('DELETE', `${BUCKETS}/${name}`))));

    for (const limit of [1, 2, 3, 6, 7, 8]) {
      it(`pages of ${limit} add up to the full list`, async () => {
        expect(await listBuckets(limit, key())).toEqual(names);
      });
    }

    it('has no next_page_token when everything is on the page', async () => {
      const page = jsonOf(
        expectStatus(await call('GET', `${BUCKETS}?limit=7`, { key: key() }), 200),
      );
      expect(page).toEqual({ buckets: expect.any(Array) });
    });

    it('shows a bucket at once when it was created, and no longer when it was deleted', async () => {
      const name = `${shared}-now`;
      expectStatus(await callJson('POST', BUCKETS, { name }, { key: key() }), 201);
      expect(await listBuckets(1000, key())).toContain(name);
      expectStatus(await call('DELETE', `${BUCKETS}/${name}`, { key: key() }), 204);
      expect(await listBuckets(1000, key())).not.toContain(name);
    });
  });
});
