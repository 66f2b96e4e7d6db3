/**
 * `npm run create-key -- [options] [permissions as JSON]`: prints a new API key, once.
 *
 * Without --table, for the service that `npm start` runs here; with it, for a deployed one, with your AWS credentials:
 * the table's name is the stack's output ApiKeysTableName.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { parsePermissions } from '../core/permissions';
import { ALL_PERMISSIONS, createApiKey } from './api-keys';

const USAGE = `usage: npm run create-key -- [--name NAME] [--expires-in-days N] [--table TABLE] [--data FOLDER] [PERMISSIONS]

PERMISSIONS  JSON, for example '[{"buckets":["photos","team-*"],"prefix":"2026/","actions":["read","list"]}]';
             everything everywhere when absent
--table      the stack's output ApiKeysTableName, for a deployed service; else the service of npm start
--data       the data folder of npm start, .local by default`;

interface Target {
  readonly table: string;
  readonly client: DynamoDBClientConfig;
}

/** Where the running local service listens, as it wrote it down itself. */
function localTarget(folder: string): Target {
  const file = path.join(folder, 'endpoints.json');
  try {
    const { endpoints, credentials, region, outputs } = JSON.parse(readFileSync(file, 'utf8'));
    const table = outputs.ApiKeysTableName;
    return { table, client: { endpoint: endpoints.dynamodb, credentials, region } };
  } catch (cause) {
    throw new Error(`no local service under ${folder}: run npm start first, or pass --table`, {
      cause,
    });
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      name: { type: 'string', default: 'made by create-key' },
      table: { type: 'string' },
      data: { type: 'string', default: '.local' },
      'expires-in-days': { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
  });
  if (values.help) return console.log(USAGE);
  const [json, ...rest] = positionals;
  if (rest.length > 0) throw new Error(`one argument at most, got ${positionals.length}\n${USAGE}`);
  const permissions = json === undefined ? ALL_PERMISSIONS : parsePermissions(JSON.parse(json));
  const days = values['expires-in-days'];
  if (days !== undefined && !(Number(days) > 0))
    throw new Error('--expires-in-days takes a number');
  const target = values.table ? { table: values.table, client: {} } : localTarget(values.data);
  const client = new DynamoDBClient(target.client);
  const text = await createApiKey(client, target.table, {
    name: values.name,
    permissions,
    ...(days && { expiresAt: new Date(Date.now() + Number(days) * 86_400_000).toISOString() }),
  });
  console.log(text);
}

main().catch((error: Error) => {
  console.error(`create-key: ${error.message}`);
  process.exitCode = 1;
});
