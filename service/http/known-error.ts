/** Maps any error to one that clients may see. */

import { StaleBucketRef } from '../../core/bucket-ref';
import { ServiceError, unavailable } from '../../core/errors';

/**
 * The error itself when it is of the contract; `unavailable` (503) for a transient error of AWS;
 * `internal` (500) for any other, without its details: it is a bug.
 */
export function knownError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return isTransient(error) ? unavailable(error) : new ServiceError('internal', { cause: error });
}

const TRANSIENT =
  /Throttl|Timeout|Unavailable|SlowDown|ProvisionedThroughput|RequestLimit|InProgress|InternalServer|Conflict|TransactionCanceled|Unprocessed|ECONN|EPIPE|EAI_AGAIN|ENOTFOUND|EHOSTUNREACH|ENETUNREACH/;

function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof StaleBucketRef) return true;
  const { $metadata, code } = error as { $metadata?: { httpStatusCode?: number }; code?: string };
  return ($metadata?.httpStatusCode ?? 0) >= 500 || TRANSIENT.test(`${error.name} ${code ?? ''}`);
}
