/** What a client is told of a failure. */

import { ServiceError, unavailable } from '../../../core/errors';
import { StaleBucketRef } from '../../../core/log/commit';

/**
 * AWS's own hiccups may be tried again; anything else unexpected is a bug of ours, and nothing of
 * it is shown.
 */
export function knownError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return isPassing(error) ? unavailable(error) : new ServiceError('internal', { cause: error });
}

const PASSING =
  /Throttl|Timeout|Unavailable|SlowDown|ProvisionedThroughput|RequestLimit|InProgress|InternalServer|Conflict|TransactionCanceled|Unprocessed|ECONN|EPIPE|EAI_AGAIN/;

function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof StaleBucketRef) return true;
  const { $metadata, code } = error as { $metadata?: { httpStatusCode?: number }; code?: string };
  return ($metadata?.httpStatusCode ?? 0) >= 500 || PASSING.test(`${error.name} ${code ?? ''}`);
}
