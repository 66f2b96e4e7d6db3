/** Checks of responses; a failure shows the whole exchange. */
import type { HttpResponse } from './exchange';

export type Json = Record<string, unknown>;

function shown(response: HttpResponse): string {
  const body = response.body.subarray(0, 600).toString('utf8');
  return `${response.request}\n  -> ${response.status} ${JSON.stringify(response.headers)}\n  ${body}`;
}

/** Fails with the exchange unless the claim holds. */
export function demand(holds: boolean, claim: string, response: HttpResponse): void {
  if (!holds) throw new Error(`expected ${claim}\n${shown(response)}`);
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the response, so that calls chain. */
export function expectStatus(response: HttpResponse, ...statuses: number[]): HttpResponse {
  demand(statuses.includes(response.status), `status ${statuses.join(' or ')}`, response);
  return response;
}

/** Returns the JSON object in the body of the response. */
export function jsonOf(response: HttpResponse): Json {
  demand(
    /^application\/json\b/.test(response.headers['content-type'] ?? ''),
    'application/json',
    response,
  );
  const value: unknown = JSON.parse(response.body.toString('utf8'));
  if (!isJson(value)) throw new Error(`expected a JSON object\n${shown(response)}`);
  return value;
}

/** Header as one string; fails when it is missing. */
export function headerOf(response: HttpResponse, name: string): string {
  const value = response.headers[name];
  demand(typeof value === 'string' && value !== '', `the header ${name}`, response);
  return String(value);
}

export function integerHeader(response: HttpResponse, name: string): number {
  const value = headerOf(response, name);
  demand(/^\d+$/.test(value), `a whole number in ${name}`, response);
  return Number(value);
}

const CODES: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  410: 'cursor_expired',
  412: 'precondition_failed',
  413: 'payload_too_large',
  416: 'range_not_satisfiable',
  429: 'rate_limited',
};

/** Words that reveal how the service is built, or that a message was not written for a client. */
const INTERNALS =
  /arn:|amazon|\baws\b|dynamo|lambda|\bat .+:\d+:\d+|\.[jt]s:\d|node_modules|exception|undefined|\[object |\bnull\b/i;

export interface ErrorRule {
  /** The message must match. */
  readonly message?: RegExp;
  /** `details` must name this field. */
  readonly field?: string;
}

/**
 * The error contract: the real status, its one code, `{"error": {code, message, request_id,
 * details?}}` as application/json and nothing else, the headers that the status requires, and no
 * internals of the service.
 */
export function expectError(response: HttpResponse, status: number, rule: ErrorRule = {}): Json {
  expectStatus(response, status);
  const body = jsonOf(response);
  const error = body.error;
  if (!isJson(error)) throw new Error(`expected {"error": {…}}\n${shown(response)}`);
  demand(Object.keys(body).length === 1, 'nothing beside "error"', response);
  const extra = Object.keys(error).filter(
    (name) => !['code', 'message', 'request_id', 'details'].includes(name),
  );
  demand(extra.length === 0, `no ${extra.join(', ')} in the error`, response);
  demand(error.code === CODES[status], `code ${CODES[status]}`, response);
  const { message, request_id: requestId, details } = error;
  demand(typeof message === 'string' && message.trim() !== '', 'a message', response);
  demand(!INTERNALS.test(String(message)), 'no internals', response);
  // Details repeat names of the request, which may hold any word.
  demand(
    !/arn:aws|amazonaws|dynamodb/i.test(JSON.stringify(details ?? {})),
    'no internals',
    response,
  );
  demand(typeof requestId === 'string' && /^\S+$/.test(requestId), 'a request_id', response);
  demand(details === undefined || isJson(details), 'details to be an object', response);
  if (rule.message !== undefined) {
    demand(rule.message.test(String(message)), `a message like ${rule.message}`, response);
  }
  if (rule.field !== undefined) {
    const named = JSON.stringify(details ?? {}).includes(rule.field);
    demand(named, `details that name ${rule.field}`, response);
  }
  if (status === 401) {
    demand(
      /^Bearer\b/.test(response.headers['www-authenticate'] ?? ''),
      'a Bearer challenge',
      response,
    );
  }
  if (status === 405) headerOf(response, 'allow');
  if (status === 429) integerHeader(response, 'retry-after');
  return error;
}

/** Demands an error response to HEAD: the status alone, without a body. */
export function expectHeadError(response: HttpResponse, status: number): void {
  expectStatus(response, status);
  demand(response.body.length === 0, 'no body', response);
}
