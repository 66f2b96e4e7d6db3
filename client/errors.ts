/**
 * Codes that the service answers, and `network` for no answer, `invalid_answer` for one that is not
 * the service's.
 */
export type ErrorCode =
  | 'invalid_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'cursor_expired'
  | 'precondition_failed'
  | 'payload_too_large'
  | 'range_not_satisfiable'
  | 'rate_limited'
  | 'internal'
  | 'unavailable'
  | 'network'
  | 'invalid_answer';

const STATUS: Readonly<Record<ErrorCode, number>> = {
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
};

/** What a StowageError may have beside code and message. */
export interface ErrorFields {
  /** The HTTP status; that of the code by default. 0: no answer came. */
  readonly status?: number;
  /** Quote it when you report a failure. */
  readonly requestId?: string;
  /** What the service says beyond the message: docs/api.md, "Errors". */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Seconds after which another try may succeed. */
  readonly retryAfter?: number;
  /** The error behind this one. */
  readonly cause?: unknown;
}

/** Every failure that this client tells of. Programs read `code`, people read `message`. */
export class StowageError extends Error {
  /** `StowageError`: the same in every realm, where `instanceof` is not. */
  override readonly name = 'StowageError';
  /** What happened, for programs. */
  readonly code: ErrorCode;
  /** The HTTP status; 0: no answer came. */
  readonly status: number;
  /** Quote it when you report a failure. */
  readonly requestId?: string;
  /** What the service says beyond the message: docs/api.md, "Errors". */
  readonly details: Readonly<Record<string, unknown>>;
  /** Seconds after which another try may succeed. */
  readonly retryAfter?: number;

  constructor(code: ErrorCode, message: string, fields: ErrorFields = {}) {
    super(message, { cause: fields.cause });
    this.code = code;
    this.status = fields.status ?? STATUS[code];
    this.requestId = fields.requestId;
    this.details = fields.details ?? {};
    this.retryAfter = fields.retryAfter;
  }

  /** Whether the same request may succeed later, with nothing changed by the caller. */
  get isTemporary(): boolean {
    if (this.code === 'network' || this.code === 'invalid_answer') return true;
    return this.status === 429 || this.status === 408 || this.status >= 500;
  }
}

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(STATUS, value);
}

/** The code that a status means where the body does not say. */
export function codeOfStatus(status: number): ErrorCode {
  const known = Object.entries(STATUS).find(([, value]) => value === status)?.[0];
  if (isErrorCode(known)) return known;
  return status >= 500 ? 'unavailable' : 'invalid_answer';
}
