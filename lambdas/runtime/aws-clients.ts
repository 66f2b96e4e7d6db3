import {
  ApiGatewayManagementApiClient,
  type ApiGatewayManagementApiClientConfig,
} from '@aws-sdk/client-apigatewaymanagementapi';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { fromEnv } from '@aws-sdk/credential-provider-env';

/**
 * The clients of the AWS SDK with the options that the functions share. Region, credentials and, in
 * the emulator, the endpoint come from the environment:
 * https://docs.aws.amazon.com/sdkref/latest/guide/environment-variables.html
 */

interface Timeouts {
  /** Until the response begins, milliseconds. */
  readonly request: number;
  /** Without a byte in either direction, milliseconds. */
  readonly idle?: number;
}

/**
 * From this time on, the SDK registers the timeout only for a request that takes three seconds. A
 * shorter one also closes kept connections.
 */
const IDLE_TIMEOUT_MS = 6_000;

/**
 * The options of every client. Calls take milliseconds, so a slow attempt is repeated early; all
 * attempts together fit in a function's 29 s.
 *
 * The SDK copies and filters every input and output for a logger that has the method `info`, even
 * for its default one, which logs nothing: a quarter to a half of the processor time of a call.
 */
export function clientOptions({ request, idle = IDLE_TIMEOUT_MS }: Timeouts) {
  return {
    region: process.env.AWS_REGION,
    credentials: fromEnv(),
    maxAttempts: 3,
    retryMode: 'standard',
    cacheMiddleware: true,
    logger: {} as NonNullable<DynamoDBClientConfig['logger']>,
    requestHandler: {
      connectionTimeout: 1_000,
      requestTimeout: request,
      throwOnRequestTimeout: true,
      socketTimeout: idle,
      // The callers bound the number of calls that they make at once.
      httpAgent: { maxSockets: Number.POSITIVE_INFINITY },
      httpsAgent: { maxSockets: Number.POSITIVE_INFINITY },
    },
  } as const;
}

export function createDynamoClient(overrides: DynamoDBClientConfig = {}): DynamoDBClient {
  return withOneSigner(new DynamoDBClient({ ...clientOptions({ request: 3_000 }), ...overrides }));
}

/** Up to 4 MiB are uploaded before a response begins. */
const S3_TIMEOUTS = { request: 10_000, idle: 60_000 };

export function createS3Client(
  overrides: S3ClientConfig = {},
  timeouts: Timeouts = S3_TIMEOUTS,
): S3Client {
  const client = new S3Client({
    ...clientOptions(timeouts),
    // Host names that contain the bucket name resolve only at AWS.
    forcePathStyle: overrides.endpoint !== undefined || hasEndpointOverride(),
    // The service verifies SHA-256: a PUT has it, and clients get it with the content.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...overrides,
  });
  // Signs the SHA-256 that a request sends for its body; the signer would compute it again.
  client.middlewareStack.add(
    (next) => (call) => {
      const { headers } = call.request as { readonly headers: Record<string, string> };
      const checksum = headers['x-amz-checksum-sha256'];
      if (checksum) {
        headers['x-amz-content-sha256'] = Buffer.from(checksum, 'base64').toString('hex');
      }
      return next(call);
    },
    { step: 'build', name: 'signGivenChecksum' },
  );
  return withOneSigner(client);
}

export function createSqsClient(): SQSClient {
  return new SQSClient({
    ...clientOptions({ request: 3_000 }),
    // Uses the endpoint of the region or of the environment: the URL of a queue only names it.
    useQueueUrlAsEndpoint: false,
  });
}

/**
 * Creates the client that posts to the connections of a WebSocket API. `endpoint` is the address of
 * its stage, `https://…/{stage}`. The caller decides what to do after each failed attempt.
 */
export function createConnectionsClient(
  endpoint: string,
  overrides: ApiGatewayManagementApiClientConfig = {},
): ApiGatewayManagementApiClient {
  return new ApiGatewayManagementApiClient({
    ...clientOptions({ request: 1_000 }),
    maxAttempts: 1,
    endpoint: process.env.AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI || endpoint,
    ...overrides,
  });
}

interface Signing {
  readonly config: { signer: DynamoDBClient['config']['signer'] };
}

/**
 * Keeps the first signer that the client creates. It creates one for each call otherwise, with a
 * copy of its configuration: a seventh of the processor time of a call. A function calls a service
 * in one region, so every signer would be the same.
 */
function withOneSigner<Client extends Signing>(client: Client): Client {
  const { config } = client;
  const createSigner = config.signer;
  let signer: ReturnType<typeof createSigner> | undefined;
  config.signer = (scheme) => {
    signer ??= createSigner(scheme);
    return signer;
  };
  return client;
}

function hasEndpointOverride(): boolean {
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL } = process.env;
  return Boolean(AWS_ENDPOINT_URL_S3 || AWS_ENDPOINT_URL);
}
