/** Clients for those who are told of changes; see clients.ts. */
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { LambdaClient } from '@aws-sdk/client-lambda';

const CONNECTION_TIMEOUT_MS = 1_000;

/**
 * `timeout`: milliseconds that a function may take to answer. One attempt: whoever delivers counts
 * failures, and waits between them.
 */
export function createLambdaClient(timeout: number): LambdaClient {
  return new LambdaClient({
    maxAttempts: 1,
    cacheMiddleware: true,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: timeout,
      throwOnRequestTimeout: true,
    },
  });
}

export function createEventBridgeClient(): EventBridgeClient {
  return new EventBridgeClient({
    maxAttempts: 3,
    retryMode: 'standard',
    cacheMiddleware: true,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: 3_000,
      throwOnRequestTimeout: true,
    },
  });
}
