import { it, needing } from '../../support/behaviour';
import { useBucket } from '../../support/buckets';
import { call, callJson } from '../../support/http';
import { useKey } from '../../support/keys';
import { expectError, expectStatus, type Json, jsonOf } from '../../support/responses';

describe('PATCH /api/v2/storage/buckets/{bucket}', () => {
  const bucket = useBucket('lifecycle');
  const path = (name = bucket) => `/api/v2/storage/buckets/${name}`;
  const rules = [{ prefix: 'tmp/', expire_after_days: 7 }, { expire_after_days: 365 }];
  const describeBucket = async (): Promise<Json> =>
    jsonOf(expectStatus(await call('GET', path()), 200));

  it('sets the lifecycle rules, which GET returns, and removes them', async () => {
    const set = await callJson('PATCH', path(), { lifecycle: rules });
    expect(jsonOf(expectStatus(set, 200))).toMatchObject({ name: bucket, lifecycle: rules });
    expect(await describeBucket()).toMatchObject({ name: bucket, lifecycle: rules });
    const removed = await callJson('PATCH', path(), { lifecycle: [] });
    expect(jsonOf(expectStatus(removed, 200))).not.toHaveProperty('lifecycle');
    expect(await describeBucket()).not.toHaveProperty('lifecycle');
  });

  it('returns the first response to a repeated request, and changes nothing', async () => {
    const how = { headers: { 'idempotency-key': `lifecycle-${bucket}` } };
    const first = await callJson('PATCH', path(), { lifecycle: rules }, how);
    expectStatus(await callJson('PATCH', path(), { lifecycle: [] }), 200);
    const second = await callJson('PATCH', path(), { lifecycle: rules }, how);
    expect(jsonOf(second)).toEqual(jsonOf(expectStatus(first, 200)));
    expect(await describeBucket()).not.toHaveProperty('lifecycle');
  });

  it('returns 400 to no rules, too many rules, an unknown field and half a day', async () => {
    for (const body of [
      {},
      { lifecycle: Array(21).fill({ expire_after_days: 1 }) },
      { lifecycle: [], name: 'a' },
      { lifecycle: [{ expire_after_days: 0.5 }] },
    ]) {
      expectError(await callJson('PATCH', path(), body), 400);
    }
  });

  it('returns 404 for a bucket that does not exist', async () => {
    expectError(await callJson('PATCH', path(`${bucket}-none`), { lifecycle: [] }), 404);
  });

  needing(['restricted-keys'], () => {
    const below = useKey({ buckets: [bucket], prefix: 'tmp/', actions: ['delete', 'list'] });
    const reader = useKey({ buckets: [bucket], actions: ['read', 'list', 'write'] });

    it('returns 403 to a key without `delete` for the whole bucket, and shows no rules to a key for a prefix', async () => {
      expectStatus(await callJson('PATCH', path(), { lifecycle: rules }), 200);
      for (const key of [below(), reader()]) {
        expectError(await callJson('PATCH', path(), { lifecycle: [] }, { key }), 403);
      }
      expect(jsonOf(await call('GET', path(), { key: reader() }))).toHaveProperty('lifecycle');
      expect(jsonOf(await call('GET', path(), { key: below() }))).not.toHaveProperty('lifecycle');
    });
  });
});
