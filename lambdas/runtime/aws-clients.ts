import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';

/**
 * SDK clients. They take region, credentials and, in the emulator, the endpoint
 * (AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL_SQS, AWS_ENDPOINT_URL) from the environment as the SDK
 * documents it. Without the SDK are called DynamoDB (dynamodb/tables/http-tables.ts), S3 except for
 * its lists (s3/s3-connection.ts), and the connections of the WebSocket API
 * (websocket/connections-client.ts).
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
