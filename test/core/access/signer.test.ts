import { ALL_PERMISSIONS } from '../../../core/access/permissions';
import { signerOf } from '../../../core/access/signer';

test('the signer of an upload is the secret of an API key, and nobody for an IAM principal', () => {
  const permissions = ALL_PERMISSIONS;
  expect(signerOf({ keyId: 'k', permissions, generation: 3 })).toEqual({
    keyId: 'k',
    generation: 3,
  });
  expect(signerOf({ keyId: 'k', permissions })).toEqual({ keyId: 'k', generation: 0 });
  expect(signerOf({ keyId: 'iam:Reports', permissions })).toBeUndefined();
});
