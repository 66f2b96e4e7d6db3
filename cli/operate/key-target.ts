/** Where the commands that create and revoke API keys find the tables. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { UsageError, UserError } from '../shared/errors';
import { LOCAL_DATA } from '../shared/service';
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

interface TargetOptions {
  readonly table?: string;
  readonly auditTable?: string;
  readonly ratesTable?: string;
  /** The data folder of the local service. */
  readonly data?: string;
}

/** Throws UserError, which says what is missing. */
export function keyTarget(
  { table, auditTable = '', ratesTable = '', data = LOCAL_DATA }: TargetOptions,
  required: readonly (keyof typeof REQUIRED)[],
): KeyTarget {
  if (table === undefined) return localTarget(data);
  const given = { auditTable, ratesTable };
  for (const option of required) {
    if (given[option] === '') throw new UsageError(`--table requires ${REQUIRED[option]}`);
  }
  return { tables: { apiKeys: table, audit: auditTable, rates: ratesTable }, client: {} };
}

const REQUIRED = {
  auditTable: "--audit-table: the stack's output AuditTableName",
  ratesTable: "--rates-table: the stack's output RatesTableName",
} as const;

/** The running local service, from the files that it writes. */
function localTarget(folder: string): KeyTarget {
  const read = (file: string) => JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
  try {
    const { endpoints, credentials, region } = read('endpoints.json');
    const client = { endpoint: endpoints.dynamodb, credentials, region };
    return { tables: read(KEY_TABLES_FILE), client };
  } catch {
    throw new UserError(
      `no local service in ${folder}: start it first, or pass --table for a deployed one`,
    );
  }
}
