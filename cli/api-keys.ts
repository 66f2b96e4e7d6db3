/**
 * Makes API keys without the dashboard: straight into the tables, with the operator's own
 * credentials.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createKey } from '../core/access/keys';
import type { Permission } from '../core/access/ports';
import { DEFAULT_TIER } from '../core/limits';
import { DynamoKeyStore, type KeyTables } from '../lambdas/shared/dynamodb/key-store';
import { systemClock, systemIds } from '../lambdas/shared/system';

/** In the data folder of a local service: the tables of its keys, as JSON of KeyTables. */
export const KEY_TABLES_FILE = 'key-tables.json';

/**
 * Answers the key's text, which is stored nowhere. Leaves the same audit record as the dashboard
 * does.
 */
export async function createApiKey(
  client: DynamoDBClient,
  tables: KeyTables,
  options: {
    readonly name: string;
    readonly permissions: readonly Permission[];
    /** ISO 8601. */
    readonly expiresAt?: string;
    /** Name of its rate tier; absent: `default`. */
    readonly tier?: string;
    /** Which command makes it. */
    readonly by: string;
  },
): Promise<string> {
  const { by, tier = DEFAULT_TIER, ...settings } = options;
  const deps = { keys: new DynamoKeyStore(client, tables), clock: systemClock, ids: systemIds };
  const { text } = await createKey(deps, { id: by, name: by }, { ...settings, tier });
  return text;
}
