import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { AwsError } from '../../../../adapters/aws/aws-error';
import { type Credentials, parseEndpoint } from '../../../../adapters/aws/environment';
import { DynamoError } from '../../../../adapters/dynamodb/tables/dynamo-error';
import type { DynamoTables } from '../../../../adapters/dynamodb/tables/dynamo-tables';
import { HttpTables } from '../../../../adapters/dynamodb/tables/http-tables';
import { SdkTables } from '../../../../adapters/dynamodb/tables/sdk-tables';

const REGION = 'us-east-1';
const CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test' };

interface Options {
  readonly credentials?: Credentials;
  /** Milliseconds. */
  readonly timeout?: number;
}

/** Both implementations of DynamoTables at one endpoint. */
export const IMPLEMENTATIONS = {
  http: (endpoint: string, { credentials = CREDENTIALS, timeout = 10_000 }: Options = {}) =>
    new HttpTables({
      endpoint: parseEndpoint(endpoint),
      region: REGION,
      credentials: () => credentials,
      timeouts: { connection: 10_000, request: timeout },
    }),
  sdk: (endpoint: string, { credentials = CREDENTIALS, timeout = 10_000 }: Options = {}) =>
    new SdkTables(
      new DynamoDBClient({
        endpoint,
        region: REGION,
        credentials,
        maxAttempts: 3,
        requestHandler: { requestTimeout: timeout, throwOnRequestTimeout: true },
      }),
    ),
} as const satisfies Record<string, (endpoint: string, options?: Options) => DynamoTables>;

/** What a store sees of a call: its output, or all that it may read of its error. */
export async function outcomeOf(call: Promise<object>): Promise<object> {
  try {
    const { $metadata: _, ...output } = (await call) as { readonly $metadata?: unknown };
    return { output };
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    const { name, message, $metadata, code, isRetryable, isThrottling } = error;
    const { httpStatusCode, requestId } = $metadata;
    const common = { name, httpStatusCode, requestId, code, isRetryable, isThrottling };
    if (!(error instanceof DynamoError)) return common;
    const { cancellationReasons, item } = error;
    return { ...common, message, cancellationReasons, item };
  }
}
