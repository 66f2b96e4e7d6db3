/** What every answer must hold, and failures that show the whole exchange. */
import type { Answer } from './exchange';

export type Json = Record<string, unknown>;

function shown(answer: Answer): string {
  const body = answer.body.subarray(0, 600).toString('utf8');
  return `${answer.request}\n  -> ${answer.status} ${JSON.stringify(answer.headers)}\n  ${body}`;
}

/** Fails with the exchange unless the claim holds. */
export function demand(holds: boolean, claim: string, answer: Answer): void {
  if (!holds) throw new Error(`expected ${claim}\n${shown(answer)}`);
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Answers the answer, so that calls chain. */
export function expectStatus(answer: Answer, ...statuses: number[]): Answer {
  demand(statuses.includes(answer.status), `status ${statuses.join(' or ')}`, answer);
  return answer;
}

/** The JSON object that the answer carries. */
export function jsonOf(answer: Answer): Json {
  demand(
    /^application\/json\b/.test(answer.headers['content-type'] ?? ''),
    'application/json',
    answer,
  );
  const value: unknown = JSON.parse(answer.body.toString('utf8'));
  if (!isJson(value)) throw new Error(`expected a JSON object\n${shown(answer)}`);
  return value;
}

/** Header as one string; fails when it is missing. */
export function headerOf(answer: Answer, name: string): string {
  const value = answer.headers[name];
  demand(typeof value === 'string' && value !== '', `the header ${name}`, answer);
  return String(value);
}

export function integerHeader(answer: Answer, name: string): number {
  const value = headerOf(answer, name);
  demand(/^\d+$/.test(value), `a whole number in ${name}`, answer);
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

/** What would tell an attacker how the service is made, or show that nobody wrote the message. */
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
 * details?}}` as application/json and nothing else, the headers that the status demands, and no
 * word of what is inside.
 */
export function expectError(answer: Answer, status: number, rule: ErrorRule = {}): Json {
  expectStatus(answer, status);
  const body = jsonOf(answer);
  const error = body.error;
  if (!isJson(error)) throw new Error(`expected {"error": {…}}\n${shown(answer)}`);
  demand(Object.keys(body).length === 1, 'nothing beside "error"', answer);
  const extra = Object.keys(error).filter(
    (name) => !['code', 'message', 'request_id', 'details'].includes(name),
  );
  demand(extra.length === 0, `no ${extra.join(', ')} in the error`, answer);
  demand(error.code === CODES[status], `code ${CODES[status]}`, answer);
  const { message, request_id: requestId, details } = error;
  demand(typeof message === 'string' && message.trim() !== '', 'a message', answer);
  demand(!INTERNALS.test(String(message)), 'no internals', answer);
  // Details repeat names of the request, which may hold any word.
  demand(
    !/arn:aws|amazonaws|dynamodb/i.test(JSON.stringify(details ?? {})),
    'no internals',
    answer,
  );
  demand(typeof requestId === 'string' && /^\S+$/.test(requestId), 'a request_id', answer);
  demand(details === undefined || isJson(details), 'details to be an object', answer);
  if (rule.message !== undefined) {
    demand(rule.message.test(String(message)), `a message like ${rule.message}`, answer);
  }
  if (rule.field !== undefined) {
    const named = JSON.stringify(details ?? {}).includes(rule.field);
    demand(named, `details that name ${rule.field}`, answer);
  }
  if (status === 401) {
    demand(
      /^Bearer\b/.test(answer.headers['www-authenticate'] ?? ''),
      'a Bearer challenge',
      answer,
    );
  }
  if (status === 405) headerOf(answer, 'allow');
  if (status === 429) integerHeader(answer, 'retry-after');
  return error;
}

/** An error answer to HEAD: the status alone, without a body. */
export function expectHeadError(answer: Answer, status: number): void {
  expectStatus(answer, status);
  demand(answer.body.length === 0, 'no body', answer);
}
