import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { clientOptions } from '../runtime/aws-clients';
/** The clients of the targets; those of the service itself are in shared/aws-clients.ts. */

/**
 * `timeout`: how long a function may take to respond, milliseconds. The client makes one attempt:
 * core/targets counts failures and backs off between attempts.
 */
export function createLambdaClient(timeout: number): LambdaClient {
  const options = clientOptions({ request: timeout, idle: Math.max(timeout, 6_000) });
  return new LambdaClient({ ...options, maxAttempts: 1 });
}

export function createEventBridgeClient(): EventBridgeClient {
  return new EventBridgeClient(clientOptions({ request: 3_000 }));
}
