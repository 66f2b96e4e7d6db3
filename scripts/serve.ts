/** What `npm start` runs once everything is built and synthesized: the local runtime, and the first API key. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ALL_PERMISSIONS } from '../core/permissions';
import { runCommand } from '../local/command';
import type { LocalRuntime } from '../local/runtime';
import { createApiKey } from './api-keys';

/**
 * The first key is made on the first start and remembered beside the data, readable by this user alone, so that a
 * restart prints it again: it opens nothing but the data of this folder.
 */
async function firstKey(runtime: LocalRuntime, folder: string): Promise<string> {
  const file = path.join(folder, 'first-api-key');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    // The first start.
  }
  const { ApiKeysTableName: apiKeys, AuditTableName: audit } = runtime.outputs;
  if (apiKeys === undefined || audit === undefined) {
    throw new Error('the stack lacks the outputs ApiKeysTableName and AuditTableName');
  }
  const client = new DynamoDBClient({
    endpoint: runtime.endpoints.dynamodb,
    region: runtime.stack.region,
    credentials: runtime.iam.root,
  });
  const text = await createApiKey(
    client,
    { apiKeys, audit },
    {
      by: 'npm start',
      name: 'first key of npm start',
      permissions: ALL_PERMISSIONS,
    },
  );
  client.destroy();
  writeFileSync(file, `${text}\n`, { mode: 0o600 });
  return text;
}

/** Where a person signs in, and as whom. */
function signInOf({ signIn }: LocalRuntime): string {
  if (signIn === undefined) return '';
  return `  sign-in    ${signIn.issuer}
             as ${signIn.user} with password ${signIn.password}
             (for development only: this user exists on this machine and nowhere else)
`;
}

void runCommand(process.argv.slice(2), async (runtime, options) => {
  const key = await firstKey(runtime, options.dataDir);
  process.stdout.write(`
stowage runs on this machine, from the template that cdk deploy would ship.

  dashboard  ${runtime.baseUrl}/
  base URL   ${runtime.baseUrl}
  API key    ${key}
  data       ${options.dataDir} (kept; delete the folder to start afresh)
${signInOf(runtime)}
Try it in another terminal:

  export BASE_URL=${runtime.baseUrl} API_KEY=${key}
  curl -X POST $BASE_URL/api/v2/storage/buckets -H "Authorization: Bearer $API_KEY" -d '{"name":"photos"}'

More keys: npm run create-key. Ctrl-C stops everything.
`);
});
