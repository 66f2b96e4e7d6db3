/**
 * Error names after which a repeated call may succeed because the service asked for a pause:
 * the SDK's list (@smithy/core/retry).
 */
const THROTTLING = new Set([
  'BandwidthLimitExceeded',
  'EC2ThrottledException',
  'LimitExceededException',
  'PriorRequestNotComplete',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
  'TransactionInProgressException',
]);

const TRANSIENT_NAMES = new Set(['TimeoutError', 'RequestTimeout', 'RequestTimeoutException']);
const TRANSIENT_STATUSES = new Set([500, 502, 503, 504]);

/** Codes of Node.js for a connection that broke or could not be opened. */
const CONNECTION_CODES = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

export interface AwsErrorFields {
  readonly message?: string;
  readonly status?: number;
  readonly requestId?: string;
  /** An error code of Node.js. */
  readonly code?: string;
  readonly cause?: unknown;
}

/**
 * A call that failed: the service refused it, or it got no response. `name` is the service's name
 * of the error; without a response, `TimeoutError` for a connection that broke or a response that
 * took too long. `$metadata` is as in the SDK's errors, so that one rule reads both.
 */
export class AwsError extends Error {
  override readonly name: string;
  readonly $metadata: {
    /** Absent when there was no response. */
    readonly httpStatusCode?: number;
    /** What AWS Support asks for. */
    readonly requestId?: string;
  };
  readonly code?: string;

  constructor(name: string, fields: AwsErrorFields = {}) {
    const { message = name, status, requestId, code, cause } = fields;
    super(message, cause === undefined ? undefined : { cause });
    this.name = name;
    this.$metadata = {
      ...(status !== undefined && { httpStatusCode: status }),
      ...(requestId !== undefined && { requestId }),
    };
    if (code !== undefined) this.code = code;
  }

  /** Whether the service asked for fewer calls. */
  get isThrottling(): boolean {
    return this.$metadata.httpStatusCode === 429 || THROTTLING.has(this.name);
  }

  /** Whether the call was signed long before it was sent, as after a pause of the process. */
  private get isExpired(): boolean {
    return (
      this.name === 'RequestTimeTooSkewed' ||
      (this.name === 'InvalidSignatureException' && this.message.includes('Signature expired'))
    );
  }

  /**
   * Whether the same call, signed anew, may succeed later: throttling, a 5xx, a broken connection,
   * an expired signature.
   */
  get isRetryable(): boolean {
    const { httpStatusCode = 0 } = this.$metadata;
    return (
      this.isThrottling ||
      this.isExpired ||
      TRANSIENT_NAMES.has(this.name) ||
      TRANSIENT_STATUSES.has(httpStatusCode)
    );
  }
}

/** The error of a call that got no response, or half of one, for what Node.js reports. */
export function connectionError(error: Error): AwsError {
  if (error instanceof AwsError) return error;
  const { code } = error as { readonly code?: string };
  const isBroken = code !== undefined && CONNECTION_CODES.has(code);
  // The message of an error that joins several attempts to connect is empty.
  const message = error.message || code;
  return new AwsError(isBroken ? 'TimeoutError' : error.name, { message, code, cause: error });
}
