/** The error responses, by code. */
import { ERRORS, type ErrorCode } from '../core/errors';
import type { HeaderName } from './headers';
import { ref } from './json-schema';

interface ErrorResponse {
  readonly status: number;
  /** Absent for an error that never has the contract's error shape. */
  readonly code?: ErrorCode;
  readonly headers: readonly HeaderName[];
  readonly description: string;
  /** Media types of the same error from API Gateway or CloudFront. */
  readonly foreign: readonly string[];
}

const HEADERS: Readonly<Partial<Record<ErrorCode, readonly HeaderName[]>>> = {
  // Only in responses of API Gateway itself, which renames the header of a function.
  unauthorized: ['WwwAuthenticate'],
  rate_limited: ['RetryAfter'],
  unavailable: ['RetryAfter'],
  range_not_satisfiable: ['ContentRange'],
};

/** `InvalidRequest`, …: the names of the responses. */
export const ERROR_RESPONSES: Readonly<Record<string, ErrorResponse>> = {
  ...Object.fromEntries(
    (Object.keys(ERRORS) as ErrorCode[])
      // The described paths have exactly the described methods.
      .filter((code) => code !== 'method_not_allowed')
      .map((code) => [
        errorResponseName(code),
        {
          status: ERRORS[code].status,
          code,
          headers: HEADERS[code] ?? [],
          description: `\`${code}\`: ${ERRORS[code].message}.`,
          foreign: code === 'payload_too_large' ? ['text/plain'] : [],
        },
      ]),
  ),
  UriTooLong: {
    status: 414,
    headers: [],
    description: 'The address is longer than API Gateway or CloudFront allows.',
    foreign: ['text/plain', 'text/html'],
  },
  BadGateway: {
    status: 502,
    code: 'internal',
    headers: ['RetryAfter'],
    description: '`internal`: a function failed, and API Gateway responded instead.',
    foreign: [],
  },
};

export function errorResponseName(code: ErrorCode): string {
  return code
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** The contract's error shape, with the code of this response. */
export function errorContent({ code, foreign }: ErrorResponse) {
  const withCode = { properties: { error: { properties: { code: { const: code } } } } };
  return {
    ...(code && { 'application/json': { schema: { ...ref('Error'), ...withCode } } }),
    ...Object.fromEntries(foreign.map((type) => [type, { schema: { type: 'string' } }])),
  };
}
