/** Where the commands that create and revoke API keys find the tables. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import type { KeyAndRateTables } from './api-keys';

/**
 * The file in the data folder of a local service that names its tables, as JSON of
 * KeyAndRateTables.
 */
export const KEY_TABLES_FILE = 'key-tables.json';

export interface KeyTarget {
  readonly tables: KeyAndRateTables;
  readonly client: DynamoDBClientConfig;
}

/** The options of `parseArgs` by which a user names the tables. */
export const TARGET_OPTIONS = {
  table: { type: 'string' },
  'audit-table': { type: 'string' },
  'rates-table': { type: 'string' },
  data: { type: 'string', default: '.local' },
} as const;

type TargetValues = { readonly [option in keyof typeof TARGET_OPTIONS]?: string };

/** Throws an Error that says what is missing. */
export function keyTarget(
  { table, data = '.local', ...values }: TargetValues,
  required: readonly ('audit-table' | 'rates-table')[],
): KeyTarget {
  if (table === undefined) return localTarget(data);
  for (const option of required) {
    if (values[option] === undefined) {
      throw new Error(`--table requires --${option}: the stack's output ${OUTPUTS[option]}`);
    }
  }
  const { 'audit-table': audit = '', 'rates-table': rates = '' } = values;
  return { tables: { apiKeys: table, audit, rates }, client: {} };
}

const OUTPUTS = { 'audit-table': 'AuditTableName', 'rates-table': 'RatesTableName' } as const;

/** The running local service, from the files that it writes. */
function localTarget(folder: string): KeyTarget {
  const read = (file: string) => JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
  try {
    const { endpoints, credentials, region } = read('endpoints.json');
    const client = { endpoint: endpoints.dynamodb, credentials, region };
    return { tables: read(KEY_TABLES_FILE), client };
  } catch (cause) {
    throw new Error(
      `no local service in ${folder}: start it first, or pass --table for a deployed one`,
      { cause },
    );
  }
}
