/**
 * Creates and revokes API keys without the dashboard: directly in the tables, with the operator's
 * credentials.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoKeyStore, type KeyTables } from '../../adapters/dynamodb/key-store';
import { DynamoRates } from '../../adapters/dynamodb/rates';
import { systemClock, systemIds } from '../../adapters/system';
import { createKey, revokeKey } from '../../core/access/keys';
import type { ApiKeyRecord, Permission } from '../../core/access/ports';
import { DEFAULT_TIER } from '../../core/limits';
import { log } from '../../lambdas/runtime/telemetry/log';

export interface KeyAndRateTables extends KeyTables {
  readonly rates: string;
}

/** Creates a key and an audit record. Returns the text of the key, which is not stored. */
export async function createApiKey(
  client: DynamoDBClient,
  tables: KeyTables,
  options: {
    readonly name: string;
    readonly permissions: readonly Permission[];
    /** ISO 8601. */
    readonly expiresAt?: string;
    /** The name of its rate tier. @default `default` */
    readonly tier?: string;
    /** The command that creates it, for the audit record. */
    readonly by: string;
  },
): Promise<string> {
  const { by, tier = DEFAULT_TIER, ...settings } = options;
  const deps = {
    keys: new DynamoKeyStore(client, tables),
    clock: systemClock,
    ids: systemIds,
  };
  const { text } = await createKey(deps, { id: by, name: by }, { ...settings, tier });
  return text;
}

/**
 * Revokes a key, also that of a session, with an audit record, and marks every cached copy of it as
 * out of date. Repeatable: a revoked key is not changed. Throws not_found.
 */
export function revokeApiKey(
  client: DynamoDBClient,
  tables: KeyAndRateTables,
  { id, by }: { readonly id: string; readonly by: string },
): Promise<ApiKeyRecord> {
  const deps = {
    keys: new DynamoKeyStore(client, tables),
    rates: new DynamoRates(client, tables.rates),
    clock: systemClock,
    ids: systemIds,
    log,
  };
  return revokeKey(deps, { id: by, name: by }, id);
}
