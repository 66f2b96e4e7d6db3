import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoClient } from '../../../lambdas/runtime/aws-clients';
import {
  type ScriptedResponse,
  type ScriptedServer,
  startScriptedServer,
} from '../../support/scripted-server';

export interface ScriptedDynamo {
  readonly client: DynamoDBClient;
  readonly server: ScriptedServer;
}

/** Runs `use` with a client whose DynamoDB responds by the script. */
export async function withScript<T>(
  script: readonly ScriptedResponse[],
  use: (dynamo: ScriptedDynamo) => Promise<T>,
): Promise<T> {
  // Short only where a test waits for the timeout: on a slow machine any response may take long.
  const requestTimeout = script.includes('silence') ? 200 : 10_000;
  const server = await startScriptedServer(script);
  const client = createDynamoClient({
    endpoint: server.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    requestHandler: { connectionTimeout: 10_000, requestTimeout, throwOnRequestTimeout: true },
  });
  try {
    return await use({ client, server });
  } finally {
    client.destroy();
    await server.stop();
  }
}

/** The operation of each request, such as `GetItem`. */
export function operations({ received }: ScriptedServer): string[] {
  return received.map(({ headers }) => String(headers['x-amz-target']).replace(/.*\./, ''));
}
