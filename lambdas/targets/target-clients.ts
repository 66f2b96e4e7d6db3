/** AWS SDK clients for the targets; those for the service itself are in shared/aws-clients.ts. */
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { LambdaClient } from '@aws-sdk/client-lambda';

const CONNECTION_TIMEOUT_MS = 1_000;

/**
 * `timeout`: how long a function may take to respond, milliseconds. The client makes one attempt:
 * core/targets counts failures and backs off between attempts.
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
