import { parseEndpoint } from '../../../adapters/aws/environment';
import type { DynamoTables } from '../../../adapters/dynamodb/tables/dynamo-tables';
import { HttpTables } from '../../../adapters/dynamodb/tables/http-tables';
import {
  type ScriptedResponse,
  type ScriptedServer,
  startScriptedServer,
} from '../../support/scripted-server';

export interface ScriptedDynamo {
  readonly client: DynamoTables;
  readonly server: ScriptedServer;
}

/** Runs `use` with a client whose DynamoDB responds by the script. */
export async function withScript<T>(
  script: readonly ScriptedResponse[],
  use: (dynamo: ScriptedDynamo) => Promise<T>,
): Promise<T> {
  // Short only where a test waits for the timeout: on a slow machine any response may take long.
  const request = script.includes('silence') ? 200 : 10_000;
  const server = await startScriptedServer(script);
  const client = new HttpTables({
    endpoint: parseEndpoint(server.endpoint),
    region: 'us-east-1',
    credentials: () => ({ accessKeyId: 'test', secretAccessKey: 'test' }),
    timeouts: { connection: 10_000, request },
  });
  try {
    return await use({ client, server });
  } finally {
    await server.stop();
  }
}

/** The operation of each request, such as `GetItem`. */
export function operations({ received }: ScriptedServer): string[] {
  return received.map(({ headers }) => String(headers['x-amz-target']).replace(/.*\./, ''));
}
