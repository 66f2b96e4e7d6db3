/**
 * The HTTP status of each error code: the service's table (docs/api.md, "Errors") and three more.
 */
const STATUS = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  cursor_expired: 410,
  precondition_failed: 412,
  payload_too_large: 413,
  range_not_satisfiable: 416,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
  network: 0,
  invalid_answer: 0,
  digest_mismatch: 0,
} as const;

/**
 * A code of the service, `network` when no response arrived, `invalid_answer` when the response
 * does not come from the service, or `digest_mismatch` (see DigestMismatch).
 *
 * @useDeclaredType
 */
export type ErrorCode = keyof typeof STATUS;

/** The optional fields of a StowageError. */
export interface ErrorFields {
  /** The HTTP status; by default the status of the code. 0: no response arrived. */
  readonly status?: number;
  /** Quote it when you report a failure. */
  readonly requestId?: string;
  /** Further facts, by code: docs/api.md, "Errors". */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Seconds after which another attempt may succeed. */
  readonly retryAfter?: number;
  /** The error that caused this one. */
  readonly cause?: unknown;
}

/** Every failure of this client. Programs read `code`, people read `message`. */
export class StowageError extends Error {
  /** Identifies the class where `instanceof` fails because there are two copies of the client. */
  override readonly name = 'StowageError';
  /** The kind of failure, for programs. */
  readonly code: ErrorCode;
  /** The HTTP status; 0: no response arrived. */
  readonly status: number;
  /** Quote it when you report a failure. */
  readonly requestId?: string;
  /** Further facts, by code: docs/api.md, "Errors". */
  readonly details: Readonly<Record<string, unknown>>;
  /** Seconds after which another attempt may succeed. */
  readonly retryAfter?: number;

  constructor(code: ErrorCode, message: string, fields: ErrorFields = {}) {
    super(message, { cause: fields.cause });
    this.code = code;
    this.status = fields.status ?? STATUS[code];
    this.requestId = fields.requestId;
    this.details = fields.details ?? {};
    this.retryAfter = fields.retryAfter;
  }

  /** Whether the same request may succeed later. */
  get isTemporary(): boolean {
    if (this.code === 'network' || this.code === 'invalid_answer') return true;
    return this.status === 429 || this.status === 408 || this.status >= 500;
  }
}

/**
 * The service's digest of a change log differs from the digest of the changes that the client has
 * received: one of the two histories was altered. Do not trust a copy made from these changes.
 */
export class DigestMismatch extends StowageError {
  constructor(bucket: string, cursor: number) {
    const message = `the changes of ${bucket} up to cursor ${cursor} do not match the digest of the service: list the bucket again`;
    super('digest_mismatch', message, { details: { bucket, cursor } });
  }
}

/** The error of a connection that broke off. */
export function connectionLost(cause?: unknown): StowageError {
  return new StowageError('network', 'the connection was lost', { cause });
}

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(STATUS, value);
}

/** Returns the code for a response whose body names none. */
export function codeOfStatus(status: number): ErrorCode {
  const known = Object.entries(STATUS).find(([, value]) => value === status)?.[0];
  if (isErrorCode(known)) return known;
  return status >= 500 ? 'unavailable' : 'invalid_answer';
}
