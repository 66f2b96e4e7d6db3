/**
 * `npm run create-key -- [options] [permissions as JSON]`: prints a new API key, once.
 *
 * Without --table, for the service that `npm start` runs here; with it, for a deployed one, with your AWS credentials:
 * the tables' names are the stack's outputs ApiKeysTableName and AuditTableName.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { parseKeyPermissions } from '../core/keys/settings';
import { ALL_PERMISSIONS } from '../core/permissions';
import type { KeyTables } from '../lambdas/adapters/dynamo-key-store';
import { createApiKey } from './api-keys';

const USAGE = `usage: npm run create-key -- [--name NAME] [--expires-in-days N] [--tier TIER]
       [--table TABLE --audit-table TABLE | --data FOLDER] [PERMISSIONS]

PERMISSIONS  JSON, for example '[{"buckets":["photos","team-*"],"prefix":"2026/","actions":["read","list"]}]';
             everything everywhere when absent
--tier       which of the deployment's rate limits hold for the key; 'default' when absent, and for a name that it has not
--table      the stack's output ApiKeysTableName, for a deployed service; else the service of npm start
--audit-table  the stack's output AuditTableName, in which it is told who made which key
--data       the data folder of npm start, .local by default`;

interface Target {
  readonly tables: KeyTables;
  readonly client: DynamoDBClientConfig;
}

/** Where the running local service listens, as it wrote it down itself. */
function localTarget(folder: string): Target {
  const file = path.join(folder, 'endpoints.json');
  try {
    const { endpoints, credentials, region, outputs } = JSON.parse(readFileSync(file, 'utf8'));
    const tables = { apiKeys: outputs.ApiKeysTableName, audit: outputs.AuditTableName };
    return { tables, client: { endpoint: endpoints.dynamodb, credentials, region } };
  } catch (cause) {
    throw new Error(`no local service under ${folder}: run npm start first, or pass --table`, {
      cause,
    });
  }
}

function deployedTarget(apiKeys: string, audit: string | undefined): Target {
  if (audit === undefined) {
    throw new Error("--table takes --audit-table too: the stack's output AuditTableName");
  }
  return { tables: { apiKeys, audit }, client: {} };
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      name: { type: 'string', default: 'made by create-key' },
      table: { type: 'string' },
      'audit-table': { type: 'string' },
      data: { type: 'string', default: '.local' },
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
    throw new Error('--expires-in-days takes a number');
  const target = values.table
    ? deployedTarget(values.table, values['audit-table'])
    : localTarget(values.data);
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
