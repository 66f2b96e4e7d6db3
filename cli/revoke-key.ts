/**
 * `npm run revoke-key -- [options] ID`: revokes an API key without the dashboard, such as while the
 * sign-in or the administration cannot be reached.
 *
 * Without --table, for the service that runs here; with it, for a deployed one, with your AWS
 * credentials: the tables' names are outputs of StorageStack.
 */
import { parseArgs } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { isApiKeyId, parseApiKey } from '../core/access/api-key';
import { revokeApiKey } from './api-keys';
import { keyTarget, TARGET_OPTIONS } from './key-target';

const USAGE = `usage: revoke-key [--table TABLE --audit-table TABLE --rates-table TABLE | --data FOLDER] ID

ID             the key's id (12 characters), or the whole key, such as one that leaked
--table        for a deployed service: the stack's output ApiKeysTableName
--audit-table  for a deployed service: the stack's output AuditTableName
--rates-table  for a deployed service: the stack's output RatesTableName
--data         for the local service: its data folder (default: .local)

The key is refused everywhere within 5 seconds, and its channels are closed. It cannot be undone.
Repeating it changes nothing.`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { ...TARGET_OPTIONS, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  if (values.help) return console.log(USAGE);
  const [text, ...rest] = positionals;
  if (text === undefined || rest.length > 0) {
    throw new Error(`one key is required, got ${positionals.length}\n${USAGE}`);
  }
  const id = isApiKeyId(text) ? text : parseApiKey(text)?.id;
  // The text is not repeated: it may be a key with a typing error.
  if (id === undefined) {
    throw new Error('the argument is neither the id of a key (12 characters) nor a whole key');
  }
  const { tables, client } = keyTarget(values, ['audit-table', 'rates-table']);
  const dynamo = new DynamoDBClient(client);
  const key = await revokeApiKey(dynamo, tables, { id, by: 'revoke-key' });
  dynamo.destroy();
  console.log(`${key.id} (${key.name}) is revoked since ${key.revokedAt}`);
}

main().catch((error: Error) => {
  console.error(`revoke-key: ${error.message}`);
  process.exitCode = 1;
});
