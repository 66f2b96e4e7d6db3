import { it } from '../../support/behaviour';
import { useBucket } from '../../support/buckets';
import { call } from '../../support/http';
import { listAll } from '../../support/listing';
import { put } from '../../support/objects';
import { expectError, expectStatus, jsonOf } from '../../support/responses';

describe('DELETE by prefix', () => {
  const bucket = useBucket('delete-prefix');

  const remove = (query: string) => call('DELETE', `/api/v2/storage/objects/${bucket}?${query}`);

  it('deletes the keys that begin with the prefix, and returns their number', async () => {
    const keys = Array.from({ length: 40 }, (_, n) => `a/${n}`);
    await Promise.all(['b', ...keys].map((key) => put(bucket, key)));
    const response = jsonOf(expectStatus(await remove('prefix=a/'), 200));
    expect(response).toMatchObject({ deleted: 40, has_more: false });
    const { objects } = await listAll(bucket, {});
    expect(objects.map(({ key }) => key)).toEqual(['b']);
  });

  it('deletes every object with an empty prefix, and returns 400 without one', async () => {
    await put(bucket, 'c');
    expectError(await remove(''), 400, { field: 'prefix' });
    expect((await listAll(bucket, {})).objects.length).toBeGreaterThan(0);
    expectStatus(await remove('prefix='), 200);
    expect((await listAll(bucket, {})).objects).toEqual([]);
  });
});
