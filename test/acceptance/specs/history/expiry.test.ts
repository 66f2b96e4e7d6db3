import { it, needing } from '../../support/behaviour';
import { useBucket } from '../../support/buckets';
import { call, callJson } from '../../support/http';
import { listAll } from '../../support/listing';
import { describeObject, get, head, objectPath, put } from '../../support/objects';
import { expectError, expectStatus, headerOf, isJson, jsonOf } from '../../support/responses';
import { SIGNED_URL, signUrl, uploadState, useUrl } from '../../support/signed';

const HEADER = 'x-object-expires-at';
const PAST = '2026-01-01T00:00:00Z';

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

describe('The expiry of an object', () => {
  const bucket = useBucket('expiry');
  const commit = (...changes: readonly object[]) =>
    callJson('POST', '/api/v2/storage/commits', { bucket, changes });
  const expiryOf = async (key: string) => (await describeObject(bucket, key)).expires_at;

  it('is shown by PUT, GET, HEAD, lists and changes, in UTC', async () => {
    const headers = { [HEADER]: '2999-12-31T23:30:00+02:00' };
    const wanted = '2999-12-31T21:30:00.000Z';
    const { expires_at, cursor } = await put(bucket, 'shown', 'x', { headers });
    expect(expires_at).toBe(wanted);
    expect(headerOf(expectStatus(await get(bucket, 'shown'), 200), HEADER)).toBe(wanted);
    expect(headerOf(expectStatus(await head(bucket, 'shown'), 200), HEADER)).toBe(wanted);
    const { objects } = await listAll(bucket, { prefix: 'shown' });
    expect(objects).toMatchObject([{ expires_at: wanted }]);
    const page = await call('GET', `/api/v2/storage/sync?bucket=${bucket}&cursor=${cursor - 1}`);
    const { changes } = jsonOf(expectStatus(page, 200));
    expect(changes).toMatchObject([{ type: 'put', object: { expires_at: wanted } }]);
  });

  it('is not carried over to a replacement', async () => {
    await put(bucket, 'replaced', 'x', { headers: { [HEADER]: inDays(1) } });
    expect((await put(bucket, 'replaced', 'y')).expires_at).toBeUndefined();
    expect((await head(bucket, 'replaced')).headers).not.toHaveProperty(HEADER);
  });

  it('is refused with 400 when it is in the past, or is not a time with a zone', async () => {
    const refused = [PAST, 'tomorrow', '2999-12-31T23:30:00', '2999-13-01T00:00:00Z'];
    for (const value of refused) {
      const headers = { [HEADER]: value };
      const response = await call('PUT', objectPath(bucket, 'refused'), { headers, body: 'x' });
      expectError(response, 400, { message: value === PAST ? /future/ : /with its zone/ });
    }
    expectError(await get(bucket, 'refused'), 404);
  });

  it('is set, changed and removed by a commit, and a copy has none of its own', async () => {
    const [first, second] = [inDays(1), inDays(2)];
    expectStatus(await commit({ op: 'put', key: 'c/a', content: 'eA==', expires_at: first }), 201);
    expect(await expiryOf('c/a')).toBe(first);
    expectStatus(
      await commit(
        { op: 'patch', key: 'c/a', metadata: { a: 'b' } },
        { op: 'copy', key: 'c/copy', from: { key: 'c/a' } },
        { op: 'copy', key: 'c/brief', from: { key: 'c/a' }, expires_at: second },
      ),
      201,
    );
    expect(await expiryOf('c/a')).toBe(first);
    expect(await expiryOf('c/copy')).toBeUndefined();
    expect(await expiryOf('c/brief')).toBe(second);
    expectStatus(
      await commit(
        { op: 'patch', key: 'c/a', expires_at: second },
        { op: 'patch', key: 'c/brief', expires_at: null },
      ),
      201,
    );
    expect(await expiryOf('c/a')).toBe(second);
    expect(await expiryOf('c/brief')).toBeUndefined();
    expectStatus(await commit({ op: 'move', key: 'c/moved', from: { key: 'c/a' } }), 201);
    expect(await expiryOf('c/moved')).toBe(second);
  });

  it('in the past makes a whole commit fail, with an error that names the change', async () => {
    const changes = [
      { op: 'put', key: 'd/a', content: '' },
      { op: 'put', key: 'd/b', content: '', expires_at: PAST },
    ];
    expectError(await commit(...changes), 400, { message: /changes\[1\]\.expires_at/ });
    expectError(await get(bucket, 'd/a'), 404);
    const isNull = { op: 'put', key: 'd/b', content: '', expires_at: null };
    expectError(await commit(isNull), 400, { message: /changes\[0\]\.expires_at/ });
  });

  it('does not change the response to a repeated upload', async () => {
    const headers = { [HEADER]: inDays(1), 'idempotency-key': `expiry-${bucket}` };
    const first = await put(bucket, 'repeated', 'x', { headers });
    expect(await put(bucket, 'repeated', 'x', { headers })).toEqual(first);
    const other = { ...headers, [HEADER]: inDays(2) };
    const path = objectPath(bucket, 'repeated');
    expectError(await call('PUT', path, { headers: other, body: 'x' }), 400, {
      message: /different request/,
    });
  });

  it('is refused in a signed URL when it is in the past', async () => {
    const wish = { bucket, key: 's', method: 'PUT', object_expires_at: PAST };
    expectError(await callJson('POST', SIGNED_URL, wish), 400, { message: /object_expires_at/ });
    const ofGet = { bucket, key: 's', method: 'GET', object_expires_at: inDays(1) };
    expectError(await callJson('POST', SIGNED_URL, ofGet), 400, { message: /object_expires_at/ });
  });

  needing(['s3-events'], () => {
    it('is that of the signed URL, also of a staged upload', async () => {
      const expiresAt = inDays(3);
      const wish = (key: string, more: object = {}) =>
        signUrl({ bucket, key, method: 'PUT', object_expires_at: expiresAt, ...more });
      const signed = await wish('s/one');
      expectStatus(await useUrl(signed, 'x'), 200);
      await uploadState(signed.upload_id, 'committed');
      expect(await expiryOf('s/one')).toBe(expiresAt);
      const staged = await wish('s/two', { commit: false });
      expectStatus(await useUrl(staged, 'x'), 200);
      await uploadState(staged.upload_id, 'staged');
      const made = await commit({ op: 'put', key: 's/two', upload_id: staged.upload_id });
      const { changes } = jsonOf(expectStatus(made, 201));
      expect(Array.isArray(changes) && isJson(changes[0]) && changes[0].expires_at).toBe(expiresAt);
    });
  });
});
