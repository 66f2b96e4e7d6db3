import { ApiGatewayManagementApiClient } from '@aws-sdk/client-apigatewaymanagementapi';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';

/**
 * SDK clients. They take region, credentials and, in the emulator, the endpoint
 * (AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL_SQS, AWS_ENDPOINT_URL) from the environment as the SDK
 * documents it. DynamoDB is called without the SDK (dynamodb/tables/http-tables.ts), and S3
 * except for its lists (s3/s3-connection.ts).
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html
 */

/**
 * Calls take milliseconds, so a slow attempt is repeated early. All attempts together fit in a
 * function's 29 s.
 */
const MAX_ATTEMPTS = 3;
const CONNECTION_TIMEOUT_MS = 1_000;

/** For lists. Other calls and signatures: s3/s3-connection.ts. */
export function createS3Client(): S3Client {
  return new S3Client({
    maxAttempts: MAX_ATTEMPTS,
    retryMode: 'standard',
    cacheMiddleware: true,
    // Host names that contain the bucket name resolve only at AWS.
    forcePathStyle: hasEndpointOverride(),
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      // Until the response begins.
      requestTimeout: 10_000,
      throwOnRequestTimeout: true,
    },
  });
}

/**
 * 64 for concurrent posts, which is more than the SDK's default of 50, and some for other calls.
 */
const CONNECTIONS_SOCKETS = { maxSockets: 80 };

/**
 * For the connections of the WebSocket API whose stage is at `endpoint` (`https://…/{stage}`).
 * AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI, when set, overrides `endpoint`. Makes one attempt of at
 * most a second: the caller decides what to do after each failure.
 */
export function createConnectionsClient(endpoint: string): ApiGatewayManagementApiClient {
  return new ApiGatewayManagementApiClient({
    endpoint: process.env.AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI || endpoint,
    maxAttempts: 1,
    cacheMiddleware: true,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: 1_000,
      throwOnRequestTimeout: true,
      httpAgent: CONNECTIONS_SOCKETS,
      httpsAgent: CONNECTIONS_SOCKETS,
    },
  });
}

export function createSqsClient(): SQSClient {
  return new SQSClient({
    maxAttempts: MAX_ATTEMPTS,
    retryMode: 'standard',
    cacheMiddleware: true,
    // Uses the endpoint of the region or of the environment: the URL of a queue only names it.
    useQueueUrlAsEndpoint: false,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: 3_000,
      throwOnRequestTimeout: true,
    },
  });
}

function hasEndpointOverride(): boolean {
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL } = process.env;
  return Boolean(AWS_ENDPOINT_URL_S3 || AWS_ENDPOINT_URL);
}
