/**
 * `stowage revoke-key`: revokes an API key without the dashboard, such as while the sign-in or the
 * administration cannot be reached. Without --table, for the service that runs here; with it, for a
 * deployed one, with your AWS credentials: the tables' names are outputs of StorageStack.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { isApiKeyId, parseApiKey } from '../../core/access/api-key';
import { ServiceError } from '../../core/errors';
import { EXIT, UsageError, UserError } from '../shared/errors';
import type { Session } from '../shared/session';
import { shown } from '../shared/text';
import { revokeApiKey } from './api-keys';
import { keyTarget } from './key-target';
import type { RevokeKeyOptions } from './options';
import { ServedAdmin } from './served-admin';

/** Throws UserError. */
export async function revokeKeyCommand(
  { options: { data }, output }: Session,
  text: string,
  tableOptions: RevokeKeyOptions,
): Promise<void> {
  const id = isApiKeyId(text) ? text : parseApiKey(text)?.id;
  // The text is not repeated: it may be a key with a typing error.
  if (id === undefined) {
    throw new UsageError('the argument is neither the id of a key (12 characters) nor a whole key');
  }
  const served = tableOptions.table === undefined && ServedAdmin.of(data);
  if (served) {
    const { name, revoked_at: at } = await served.post(`/admin/v1/keys/${id}/revoke`);
    const line = `${id} (${shown(String(name))}) is revoked since ${at}`;
    return output.print({ id, name, revoked_at: at }, line);
  }
  const { tables, client } = keyTarget({ ...tableOptions, data }, ['auditTable', 'ratesTable']);
  const dynamo = new DynamoDBClient(client);
  const key = await revokeApiKey(dynamo, tables, { id, by: 'revoke-key' }).catch(missing);
  dynamo.destroy();
  const { name, revokedAt } = key;
  const line = `${id} (${shown(name)}) is revoked since ${revokedAt}`;
  await output.print({ id, name, revoked_at: revokedAt }, line);
}

function missing(error: unknown): never {
  if (error instanceof ServiceError && error.code === 'not_found') {
    throw new UserError(error.message, EXIT.notFound);
  }
  throw error;
}
