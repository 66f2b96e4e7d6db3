/**
 * `stowage create-key`: creates an API key and prints it. Without --table, for the service that
 * runs here; with it, for a deployed one, with your AWS credentials: the tables' names are the
 * outputs ApiKeysTableName and AuditTableName of StorageStack.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { parseApiKey } from '../../core/access/api-key';
import { parseKeyPermissions } from '../../core/access/key-settings';
import { ALL_PERMISSIONS } from '../../core/access/permissions';
import type { Permission } from '../../core/access/ports';
import { timeAfter } from '../shared/durations';
import { UsageError } from '../shared/errors';
import type { Session } from '../shared/session';
import { createApiKey } from './api-keys';
import { keyTarget } from './key-target';
import type { CreateKeyOptions } from './options';
import { ServedAdmin } from './served-admin';

/** Throws UserError. */
export async function createKeyCommand(
  { options: { data }, output }: Session,
  json: string | undefined,
  { name, tier, expiresInDays: days, ...tables }: CreateKeyOptions,
): Promise<void> {
  const permissions = json === undefined ? ALL_PERMISSIONS : permissionsIn(json);
  const expiresAt = days && timeAfter(days * 86_400, '--expires-in-days');
  const served = tables.table === undefined ? ServedAdmin.of(data) : undefined;
  if (served) {
    const made = await served.post('/admin/v1/keys', {
      name,
      permissions,
      tier,
      expires_at: expiresAt,
    });
    const text = String(made.api_key);
    return output.print({ id: parseApiKey(text)?.id, name, api_key: text }, text);
  }
  const target = keyTarget({ ...tables, data }, ['auditTable']);
  const client = new DynamoDBClient(target.client);
  const text = await createApiKey(client, target.tables, {
    by: 'create-key',
    name,
    permissions,
    ...(tier && { tier }),
    ...(expiresAt && { expiresAt }),
  });
  client.destroy();
  await output.print({ id: parseApiKey(text)?.id, name, api_key: text }, text);
}

function permissionsIn(json: string): readonly Permission[] {
  try {
    return parseKeyPermissions(JSON.parse(json));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`the permissions cannot be read: ${reason}`);
  }
}
