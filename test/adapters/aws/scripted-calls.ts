/** A client whose service answers by a script. */
import { AwsClient, type AwsClientOptions } from '../../../adapters/aws/aws-client';
import { AwsError } from '../../../adapters/aws/aws-error';
import { parseEndpoint } from '../../../adapters/aws/environment';
import { type ScriptedResponse, startScriptedServer } from '../../support/scripted-server';

export const REQUEST = {
  method: 'POST',
  path: '/a%20b',
  query: { 'c d': '(e)' },
  body: 'ä',
} as const;

export function createClient(endpoint: string, options: Partial<AwsClientOptions> = {}): AwsClient {
  return new AwsClient({
    service: 'dynamodb',
    region: 'us-east-1',
    credentials: () => ({ accessKeyId: 'id', secretAccessKey: 'secret' }),
    endpoint: parseEndpoint(endpoint),
    timeouts: { connection: 10_000, request: 10_000 },
    retryWaitMs: 1,
    parseError: ({ status, headers, body }) =>
      new AwsError(body.toString() || 'None', { status, requestId: String(headers['x-id']) }),
    ...options,
  });
}

/** What comes of a request against the script, and how many attempts it took. */
export async function callAgainst(
  script: readonly ScriptedResponse[],
  options: Partial<AwsClientOptions> = {},
) {
  const server = await startScriptedServer(script);
  try {
    const client = createClient(server.endpoint, options);
    const outcome = await client.call(REQUEST).catch((error: unknown) => error);
    return { outcome, received: server.received };
  } finally {
    await server.stop();
  }
}

export const ok = (body: string): ScriptedResponse => ({ status: 200, body });
export const refusal = (status: number, body: string): ScriptedResponse => {
  return { status, headers: { 'x-id': 'request-1' }, body };
};
