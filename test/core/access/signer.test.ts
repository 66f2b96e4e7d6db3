import { ALL_PERMISSIONS } from '../../../core/access/permissions';
import type { ApiKeyRecord } from '../../../core/access/ports';
import { mayStillSign, mayStillUpload, signerOf } from '../../../core/access/signer';

test('the signer of an upload is the secret of an API key, and nobody for an IAM principal', () => {
  const permissions = ALL_PERMISSIONS;
  expect(signerOf({ keyId: 'k', permissions, generation: 3 })).toEqual({
    keyId: 'k',
    generation: 3,
  });
  expect(signerOf({ keyId: 'k', permissions })).toEqual({ keyId: 'k', generation: 0 });
  expect(signerOf({ keyId: 'iam:Reports', permissions })).toBeUndefined();
});

const RECORD: ApiKeyRecord = {
  ...{ id: 'k', name: 'k', secretHash: '', createdAt: '2026-01-01T00:00:00.000Z' },
  permissions: [
    { buckets: ['photos'], prefix: 'a/', actions: ['sign'] },
    { buckets: ['*'], actions: ['write'] },
  ],
};
const PLACE = { bucket: 'photos', key: 'a/b' };
const rotated = (fields: Partial<ApiKeyRecord>) => ({ ...RECORD, generation: 1, ...fields });
const later = '2026-02-01T00:00:00.000Z';

test.each<[string, ApiKeyRecord | undefined, object, boolean]>([
  ['a key that may still write there', RECORD, PLACE, true],
  ['a key that has expired since', { ...RECORD, expiresAt: RECORD.createdAt }, PLACE, true],
  ['a key whose secret ends later', rotated({ previousUntil: later }), PLACE, true],
  ['a key whose secret was replaced', rotated({}), PLACE, false],
  ['a key that was revoked', { ...RECORD, revokedAt: later }, PLACE, false],
  ['a key that was deleted', undefined, PLACE, false],
  ['a key that may sign elsewhere', RECORD, { ...PLACE, key: 'b' }, false],
  ['a key that may sign in another bucket', RECORD, { ...PLACE, bucket: 'x' }, false],
  ['a key without permissions', { ...RECORD, permissions: [] }, PLACE, false],
])('an upload that was signed with %s is committed: %j', async (_, record, place, may) => {
  const read: string[] = [];
  const apiKeys = {
    get: async (id: string) => {
      read.push(id);
      return record;
    },
  };
  const signer = { keyId: 'k', generation: 0 };
  expect(await mayStillUpload(apiKeys, signer, { ...PLACE, ...place })).toBe(may);
  expect(read).toEqual(['k']);
});

test('what a key made needs every action that it is of', async () => {
  const apiKeys = { get: async () => RECORD };
  const may = (...actions: ('sign' | 'write' | 'read')[]) =>
    mayStillSign(apiKeys, { keyId: 'k', generation: 0 }, actions, PLACE);
  expect(await Promise.all([may('write'), may('read', 'write'), may('write', 'read')])).toEqual([
    ...[true, false, false],
  ]);
});
