/**
 * `npm run create-key -- [options] [permissions as JSON]`: creates an API key and prints it.
 *
 * Without --table, for the service that runs here; with it, for a deployed one, with your AWS
 * credentials: the tables' names are the outputs ApiKeysTableName and AuditTableName of
 * StorageStack.
 */
import { parseArgs } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { parseKeyPermissions } from '../core/access/key-settings';
import { ALL_PERMISSIONS } from '../core/access/permissions';
import { createApiKey } from './api-keys';
import { keyTarget, TARGET_OPTIONS } from './key-target';

const USAGE = `usage: create-key [--name NAME] [--expires-in-days N] [--tier TIER]
       [--table TABLE --audit-table TABLE | --data FOLDER] [PERMISSIONS]

PERMISSIONS    JSON (default: everything in every bucket), for example
               '[{"buckets":["photos","team-*"],"prefix":"2026/","actions":["read","list"]}]'
--tier         the rate tier of the key (default, and for an unknown name: 'default')
--table        for a deployed service: the stack's output ApiKeysTableName
--audit-table  for a deployed service: the stack's output AuditTableName
--data         for the local service: its data folder (default: .local)`;

async function main(): Promise<void> {
  const { 'rates-table': _, ...targetOptions } = TARGET_OPTIONS;
  const { values, positionals } = parseArgs({
    options: {
      ...targetOptions,
      name: { type: 'string', default: 'created by create-key' },
      'expires-in-days': { type: 'string' },
      tier: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
  });
  if (values.help) return console.log(USAGE);
  const [json, ...rest] = positionals;
  if (rest.length > 0) throw new Error(`one argument at most, got ${positionals.length}\n${USAGE}`);
  const permissions = json === undefined ? ALL_PERMISSIONS : parseKeyPermissions(JSON.parse(json));
  const days = values['expires-in-days'];
  if (days !== undefined && !(Number(days) > 0))
    throw new Error('--expires-in-days must be a number above 0');
  const target = keyTarget(values, ['audit-table']);
  const client = new DynamoDBClient(target.client);
  const text = await createApiKey(client, target.tables, {
    by: 'create-key',
    name: values.name,
    permissions,
    ...(values.tier && { tier: values.tier }),
    ...(days && { expiresAt: new Date(Date.now() + Number(days) * 86_400_000).toISOString() }),
  });
  console.log(text);
}

main().catch((error: Error) => {
  console.error(`create-key: ${error.message}`);
  process.exitCode = 1;
});
