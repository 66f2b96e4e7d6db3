/** Requirements on responses. A violation throws an Error that describes the response. */
import { isRecord } from '../../../client/resources';
import type { Reply } from './wire';

/** Throws unless the condition holds. `found` says what was seen in place of it. */
export function demand(condition: boolean, found: string): asserts condition {
  if (!condition) throw new Error(found);
}

export function requireStatus(reply: Pick<Reply, 'status' | 'body'>, ...expected: number[]): void {
  demand(expected.includes(reply.status), `${shown(reply)} instead of ${expected.join(' or ')}`);
}

/** Throws unless it is an error in the form of docs/api.md, "Errors". */
export function requireError(reply: Reply, status: number, code: string): void {
  requireStatus(reply, status);
  const type = String(reply.headers['content-type']);
  demand(/^application\/json\b/.test(type), `${shown(reply)} with the Content-Type ${type}`);
  const body = json(reply);
  const error = isRecord(body.error) ? body.error : {};
  demand(
    error.code === code &&
      typeof error.message === 'string' &&
      typeof error.request_id === 'string',
    `${shown(reply)}, which is not {"error": {"code": "${code}", "message", "request_id"}}`,
  );
}

export function json(reply: Pick<Reply, 'status' | 'body'>): Record<string, unknown> {
  let body: unknown;
  try {
    body = JSON.parse(reply.body.toString('utf8'));
  } catch {
    body = undefined;
  }
  demand(isRecord(body), `${shown(reply)}, which is no JSON object`);
  return body;
}

/** `502 "Internal server error"`: the status with the beginning of the body, in one line. */
export function shown({ status, body }: Pick<Reply, 'status' | 'body'>): string {
  const text = body.subarray(0, 200).toString('utf8').trim();
  return text === '' ? `status ${status}` : `status ${status} ${JSON.stringify(text)}`;
}
