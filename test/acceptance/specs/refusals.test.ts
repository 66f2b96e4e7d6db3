import { it, needing } from '../support/behaviour';
import { useBucket } from '../support/buckets';
import { call, callJson } from '../support/http';
import { useKey } from '../support/keys';
import { listPath } from '../support/listing';
import { objectPath } from '../support/objects';
import { expectError } from '../support/responses';
import { SIGNED_URL } from '../support/signed';

needing(['restricted-keys'], () => {
  describe('A refusal for a missing permission', () => {
    const bucket = useBucket('refused');
    const key = useKey({ buckets: ['another-bucket'], actions: ['read', 'sign'] });

    it('names the permission, the bucket, and the key or prefix', async () => {
      const read = await call('GET', objectPath(bucket, 'a'), { key: key() });
      const { details } = expectError(read, 403, { message: /"read".*a$/ });
      expect(details).toEqual({ action: 'read', bucket, key: 'a' });
      const body = { bucket, key: 'b', method: 'PUT' };
      const signed = await callJson('POST', SIGNED_URL, body, { key: key() });
      expect(expectError(signed, 403).details).toEqual({ action: 'sign', bucket, key: 'b' });
      const listed = await call('GET', listPath(bucket, { prefix: 'p/' }), { key: key() });
      const place = { action: 'list', bucket, prefix: 'p/' };
      expect(expectError(listed, 403).details).toEqual(place);
    });

    it('comes before any refusal of the rest of the request', async () => {
      const body = { bucket, key: 'a', method: 'PUT', if_match: '"', expires_in: 'x' };
      expectError(await callJson('POST', SIGNED_URL, body, { key: key() }), 403);
      const headers = { 'content-digest': 'nonsense', 'if-match': 'unquoted' };
      expectError(await call('PUT', objectPath(bucket, 'a'), { key: key(), headers }), 403);
    });
  });
});
