/**
 * Idempotency-Key: a retry within 24 hours is answered as the first call was, with no second
 * change. The answer is stored in the transaction that makes the change, so there is never one
 * without the other. Refusals are not kept: they changed nothing, and the retry is judged anew.
 */
import { createHash } from 'node:crypto';
import { invalid, unavailable } from '../../../core/errors';
import { LIMITS } from '../../../core/limits';
import type { IdempotencyRecord, Uploads } from '../../../core/objects/ports';
import type { Clock } from '../../../core/system';
import { type ApiRequest, RELEVANT } from '../http/request';
import type { HttpResponse } from '../http/response';

interface Deps {
  readonly uploads: Pick<Uploads, 'getIdempotencyRecord'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Makes the row that remembers an answer. */
export type Remember = (answer: HttpResponse) => IdempotencyRecord;

/**
 * Runs a change under the request's Idempotency-Key, if it has one. `run` answers undefined when
 * the transaction found the key used meanwhile. AWS calls beside `run`'s: none without the header,
 * else 1 GetItem, 2 when `run` refuses.
 */
export async function idempotently(
  deps: Deps,
  request: ApiRequest,
  run: (remember: Remember | undefined) => Promise<HttpResponse | undefined>,
): Promise<HttpResponse> {
  const key = request.header('idempotency-key');
  if (key === undefined) return mustAnswer(await run(undefined));
  if (key.length > LIMITS.idempotencyKeyLength || !/^[\x21-\x7e]+$/.test(key)) {
    throw invalid('Idempotency-Key', 'must be 1 to 64 visible ASCII characters');
  }
  const id = `replay#${request.caller.keyId}#${key}`;
  const fingerprint = fingerprintOf(request);
  const earlier = await replayed(deps, id, fingerprint);
  if (earlier) return earlier;
  const expiresAt = Math.floor(deps.clock.now() / 1000) + LIMITS.idempotencySeconds;
  const remember: Remember = ({ status, headers, body }) => {
    if (body !== undefined && typeof body !== 'string') {
      throw new Error('only text can be replayed');
    }
    return { id, fingerprint, status, headers, body: body ?? '', expiresAt };
  };
  try {
    const answer = await run(remember);
    if (answer) return answer;
  } catch (refusal) {
    // Another call with the same key may have made the very change that this one now stumbles over.
    const later = await replayed(deps, id, fingerprint);
    if (later) return later;
    throw refusal;
  }
  return mustAnswer(await replayed(deps, id, fingerprint));
}

async function replayed(
  deps: Deps,
  id: string,
  fingerprint: string,
): Promise<HttpResponse | undefined> {
  const replay = await deps.uploads.getIdempotencyRecord(id, Math.floor(deps.clock.now() / 1000));
  if (!replay) return undefined;
  if (replay.fingerprint !== fingerprint) {
    throw invalid('Idempotency-Key', 'was used for a different request; use a new key');
  }
  const { status, headers, body } = replay;
  return body === '' ? { status, headers } : { status, headers, body };
}

function mustAnswer(answer: HttpResponse | undefined): HttpResponse {
  if (!answer) throw unavailable();
  return answer;
}

/** What makes two requests the same request: everything that the operations look at. */
function fingerprintOf(request: ApiRequest): string {
  const headers = request.headerNames
    .filter((name) => RELEVANT.test(name))
    .sort()
    .map((name) => [name, request.header(name)]);
  return createHash('sha256')
    .update(JSON.stringify([request.method, request.path, headers]))
    .update(request.body)
    .digest('base64url');
}
