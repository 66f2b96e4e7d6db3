/** Answers of the service that are errors, by their codes. */
import { ERRORS, type ErrorCode } from '../core/errors';
import type { HeaderName } from './headers';
import { ref } from './json-schema';

interface Refusal {
  readonly status: number;
  /** Absent: never in our shape. */
  readonly code?: ErrorCode;
  readonly headers: readonly HeaderName[];
  readonly description: string;
  /**
   * Media types of what API Gateway and CloudFront say by themselves, before they look at a path.
   */
  readonly foreign: readonly string[];
}

const HEADERS: Readonly<Partial<Record<ErrorCode, readonly HeaderName[]>>> = {
  // The gateway's own refusal has it; API Gateway renames that of a function.
  unauthorized: ['WwwAuthenticate'],
  rate_limited: ['RetryAfter'],
  unavailable: ['RetryAfter'],
  range_not_satisfiable: ['ContentRange'],
};

/** `InvalidRequest`, …: the names of the responses. */
export const REFUSALS: Readonly<Record<string, Refusal>> = {
  ...Object.fromEntries(
    (Object.keys(ERRORS) as ErrorCode[])
      // A path that is described answers the methods that are described.
      .filter((code) => code !== 'method_not_allowed')
      .map((code) => [
        refusalName(code),
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
    description: 'The address is longer than API Gateway, or CloudFront, takes.',
    foreign: ['text/plain', 'text/html'],
  },
  BadGateway: {
    status: 502,
    code: 'internal',
    headers: ['RetryAfter'],
    description: '`internal`: a function broke off, and the gateway answers in its place.',
    foreign: [],
  },
};

export function refusalName(code: ErrorCode): string {
  return code
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** The one shape of errors, with the code that goes with the status. */
export function refusalContent({ code, foreign }: Refusal) {
  const withCode = { properties: { error: { properties: { code: { const: code } } } } };
  return {
    ...(code && { 'application/json': { schema: { ...ref('Error'), ...withCode } } }),
    ...Object.fromEntries(foreign.map((type) => [type, { schema: { type: 'string' } }])),
  };
}
