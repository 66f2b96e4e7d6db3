/** `revoke-key` against a real DynamoDB engine. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoAuditLog } from '../../adapters/dynamodb/audit-log';
import { DynamoKeyStore } from '../../adapters/dynamodb/key-store';
import { DynamoRates } from '../../adapters/dynamodb/rates';
import { createApiKey, revokeApiKey } from '../../cli/operate/api-keys';
import { keyTarget } from '../../cli/operate/key-target';
import { parseApiKey } from '../../core/access/api-key';
import { ALL_PERMISSIONS } from '../../core/access/permissions';
import { useDynamoEngine } from '../support/dynamo-engine';
import { createTables, type Tables } from '../support/tables';

jest.setTimeout(60_000);

const engine = useDynamoEngine();
let client: DynamoDBClient;
let tables: Tables;

beforeAll(async () => {
  const { endpoint } = await engine();
  const credentials = { accessKeyId: 'revoke', secretAccessKey: 'revoke' };
  client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials });
  tables = await createTables(client, 'revoke');
});

afterAll(() => client.destroy());

async function newKeyId(): Promise<string> {
  const options = { name: 'leaked', permissions: ALL_PERMISSIONS, by: 'create-key' };
  const key = parseApiKey(await createApiKey(client, tables, options));
  if (key === undefined) throw new Error('create-key returned no key');
  return key.id;
}

async function actionsOn(id: string): Promise<readonly (readonly string[])[]> {
  const { records } = await new DynamoAuditLog(client, tables).list(100);
  return records
    .filter(({ keyId }) => keyId === id)
    .map(({ action, actor, actorId }) => [action, actor, actorId])
    .sort();
}

const REVOKE_KEY = { by: 'revoke-key' };

test('revokeApiKey revokes the key with an audit record, like create-key', async () => {
  const id = await newKeyId();
  await revokeApiKey(client, tables, { id, ...REVOKE_KEY });
  const key = await new DynamoKeyStore(client, tables).get(id);
  expect(key).toMatchObject({ revokedBy: 'revoke-key', revokedAt: expect.any(String) });
  expect(await actionsOn(id)).toEqual([
    ['create', 'create-key', 'create-key'],
    ['revoke', 'revoke-key', 'revoke-key'],
  ]);
});

test('revokeApiKey marks cached copies of the key as out of date', async () => {
  const id = await newKeyId();
  const rates = new DynamoRates(client, tables.rates);
  const before = Date.now();
  const rate = { rate: 10, burst: 10 };
  const request = { class: 'read', rate, maxTokens: 1, counts: {}, now: before } as const;
  await revokeApiKey(client, tables, { id, ...REVOKE_KEY });
  const lease = await rates.lease(id, { ...request, knownUntil: before });
  expect(lease).toMatchObject({ result: 'outdated' });
});

test('revokeApiKey changes nothing when the key is revoked already', async () => {
  const id = await newKeyId();
  const first = await revokeApiKey(client, tables, { id, ...REVOKE_KEY });
  const second = await revokeApiKey(client, tables, { id, ...REVOKE_KEY });
  expect(second).toEqual(first);
  expect(await actionsOn(id)).toHaveLength(2);
});

test('revokeApiKey refuses an id without a key', async () => {
  const revoked = revokeApiKey(client, tables, { id: 'nosuchkey123', ...REVOKE_KEY });
  await expect(revoked).rejects.toMatchObject({ code: 'not_found' });
});

test('keyTarget names the output of a table that is missing', () => {
  const revoke = ['auditTable', 'ratesTable'] as const;
  expect(() => keyTarget({ table: 'keys' }, revoke)).toThrow(/--audit-table.*AuditTableName/);
  expect(() => keyTarget({ table: 'keys', auditTable: 'audit' }, revoke)).toThrow(
    /--rates-table.*RatesTableName/,
  );
  expect(() => keyTarget({ data: '/nowhere' }, revoke)).toThrow('no local service in /nowhere');
});
