/**
 * Every error that a client can see. A code never changes after release; docs/api.md lists the same
 * table.
 */
export const ERRORS = {
  invalid_request: { status: 400, message: 'the request is not valid' },
  unauthorized: { status: 401, message: 'send a valid API key as Authorization: Bearer <API_KEY>' },
  forbidden: { status: 403, message: 'this API key may not do that here' },
  not_found: { status: 404, message: 'nothing exists at this path' },
  method_not_allowed: { status: 405, message: 'this path does not support that method; see Allow' },
  conflict: { status: 409, message: 'the request conflicts with what is stored' },
  cursor_expired: { status: 410, message: 'the cursor is older than the retention' },
  precondition_failed: { status: 412, message: 'a condition header of the request does not hold' },
  payload_too_large: {
    status: 413,
    message:
      'the body exceeds 4 MiB; upload it with a signed URL from POST /api/v2/storage/signed-url',
  },
  range_not_satisfiable: { status: 416, message: 'the range lies outside the object' },
  rate_limited: { status: 429, message: 'too many requests; wait for Retry-After seconds' },
  internal: { status: 500, message: 'an internal error occurred; quote the request_id' },
  unavailable: {
    status: 503,
    message: 'the service is not available at the moment; try again after Retry-After seconds',
  },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof ERRORS;

/**
 * An expected failure, which is returned to the client unchanged. A transient error of AWS becomes
 * `unavailable`, any other error `internal`.
 */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly details?: Readonly<Record<string, unknown>>;
  /** Headers of the response, such as Allow. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    options: {
      message?: string;
      details?: Readonly<Record<string, unknown>>;
      headers?: Readonly<Record<string, string>>;
      cause?: unknown;
    } = {},
  ) {
    super(options.message ?? ERRORS[code].message, { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.details = options.details;
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

/** Characters of a field's name in an error. The longest that is known has less than half. */
const FIELD_LENGTH = 100;

/**
 * Returns a 400 that names the field and the rule that it breaks. The name may be the client's,
 * such as that of an unknown field, so a long one is cut.
 */
export function invalid(name: string, rule: string): ServiceError {
  const isLong = name.length > FIELD_LENGTH;
  // A cut may halve a character.
  const field = isLong ? `${name.slice(0, FIELD_LENGTH).toWellFormed()}…` : name;
  return new ServiceError('invalid_request', {
    message: `${field}: ${rule}`,
    details: { field, rule },
  });
}

/** Returns a 400 for an absent field, which is a different mistake from a wrong value. */
export function missing(field: string): ServiceError {
  return invalid(field, 'is required');
}

/** Returns a 503: the client may repeat the request. */
export function unavailable(cause?: unknown): ServiceError {
  return new ServiceError('unavailable', { headers: { 'Retry-After': '1' }, cause });
}
