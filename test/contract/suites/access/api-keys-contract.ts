import type { ApiKeyRecord } from '../../../../core/access/ports';
import { AT, LATER, newName } from '../../../support/samples';
import type { DataPorts, OpenData } from '../../subjects/data-subjects';

export function apiKeysContract(name: string, open: OpenData): void {
  describe(`ApiKeys: ${name}`, () => {
    let ports: DataPorts;
    beforeAll(async () => {
      ports = await open();
    });
    afterAll(() => ports.close());

    test('get returns a key as it was stored', async () => {
      const bare: ApiKeyRecord = {
        id: newName(),
        name: 'bare',
        secretHash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
        permissions: [{ buckets: ['*'], actions: ['read'] }],
        createdAt: AT,
      };
      const full: ApiKeyRecord = {
        ...bare,
        id: newName(),
        permissions: [
          { buckets: ['photos', 'team-*'], prefix: 'a/', actions: ['read', 'write', 'sign'] },
          { buckets: ['other'], actions: ['create_bucket'] },
        ],
        expiresAt: LATER,
        revokedAt: LATER,
      };

      await ports.addApiKey(bare);
      await ports.addApiKey(full);

      expect(await ports.apiKeys.get(bare.id)).toEqual(bare);
      expect(await ports.apiKeys.get(full.id)).toEqual(full);
      expect(await ports.apiKeys.get(newName())).toBeUndefined();
    });
  });
}
