import { ApiGatewayManagementApiClient } from '@aws-sdk/client-apigatewaymanagementapi';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';

/**
 * The clients take region, credentials and, for one machine, the endpoint
 * (AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL_SQS, AWS_ENDPOINT_URL) from the
 * environment as the SDK documents it:
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html
 */

/**
 * Calls take milliseconds; an attempt that does not is better repeated, and all of them fit in a
 * function's 29 s.
 */
const MAX_ATTEMPTS = 3;
const CONNECTION_TIMEOUT_MS = 1_000;

export function createDynamoClient(): DynamoDBClient {
  return new DynamoDBClient({
    maxAttempts: MAX_ATTEMPTS,
    retryMode: 'standard',
    // Saves a sixth of the processor time of a call. Whoever changes the middleware must do so
    // before the first call.
    cacheMiddleware: true,
    // Neither is of use here, and each costs a look-up on the first call.
    accountIdEndpointMode: 'disabled',
    endpointDiscoveryEnabled: false,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: 3_000,
      throwOnRequestTimeout: true,
    },
  });
}

/** For calls and for presigning. */
export function createS3Client(): S3Client {
  return new S3Client({
    maxAttempts: MAX_ATTEMPTS,
    retryMode: 'standard',
    cacheMiddleware: true,
    // By default the SDK adds a CRC32 to every upload: for ours, which carry a SHA-256, it is one
    // more pass over the bytes, and in a presigned URL it is the CRC of an empty body, which some
    // servers hold against the client's.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Bucket names as host names resolve nowhere but at AWS.
    forcePathStyle: hasEndpointOverride(),
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      // Until the answer begins; 4 MiB go up before it.
      requestTimeout: 10_000,
      throwOnRequestTimeout: true,
    },
  });
}

/**
 * Posts go out 64 at a time, more than the SDK's 50 sockets; the others are for single calls
 * meanwhile.
 */
const CONNECTIONS_SOCKETS = { maxSockets: 80 };

/**
 * For the connections of the WebSocket API whose stage is at `endpoint` (`https://…/{stage}`),
 * which no region and account tells; AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI, when set, wins over
 * it. One attempt and a second at most: the caller judges each failure.
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
    // The endpoint of the region or of the environment, never the host of a URL that is meant as a
    // name.
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
