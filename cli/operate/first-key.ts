/** Loaded by the first start only: the SDK takes as long to load as the emulator does to start. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ALL_PERMISSIONS } from '../../core/access/permissions';
import type { LocalRuntime } from '../../emulator/src/runtime/runtime';
import { createApiKey, type KeyAndRateTables } from './api-keys';

/** Creates a key that may do everything. Returns its text. `by`: the command, for the audit. */
export async function createFirstKey(
  runtime: LocalRuntime,
  tables: KeyAndRateTables,
  by: string,
): Promise<string> {
  const client = new DynamoDBClient({
    endpoint: runtime.endpoints.dynamodb,
    region: runtime.stack.region,
    credentials: runtime.iam.root,
  });
  try {
    return await createApiKey(client, tables, {
      by,
      name: `first key of ${by}`,
      permissions: ALL_PERMISSIONS,
    });
  } finally {
    client.destroy();
  }
}
