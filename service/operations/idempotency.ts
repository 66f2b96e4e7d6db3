/**
 * Idempotency-Key: a retry within 24 hours gets the response of the first call, without a second
 * change; a signed URL until it expires. The response is saved as an IdempotencyRecord in the
 * transaction that makes the change (`idempotencyPut` in dynamodb/idempotency-records.ts), so that
 * neither is there without the other. Error responses are not saved: they changed nothing, and a
 * retry is checked again.
 */
import { createHash, createHmac } from 'node:crypto';
import { type Caller, ownerOf } from '../../core/access/permissions';
import { invalid, unavailable } from '../../core/errors';
import { openToken, sealToken } from '../../core/http/pagination';
import { LIMITS } from '../../core/limits';
import type { IdempotencyRecord, Uploads } from '../../core/store/uploads';
import type { Clock } from '../../core/system';
import { type ApiRequest, RELEVANT } from '../http/request';
import type { HttpResponse } from '../http/response';

interface Deps {
  readonly uploads: Pick<Uploads, 'getIdempotencyRecord'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Makes the record of a response, for the transaction that makes the change. */
export type RecordOf = (response: HttpResponse) => IdempotencyRecord;

/**
 * Saves the response no longer than its URLs work: a table must not hold URLs for others to find,
 * and a retry must not get one that has expired. `expiresAt`: ISO 8601 UTC.
 */
export function untilExpiry(
  recordOf: RecordOf | undefined,
  expiresAt: string,
): RecordOf | undefined {
  if (!recordOf) return undefined;
  const seconds = Math.floor(Date.parse(expiresAt) / 1000);
  return (response) => {
    const record = recordOf(response);
    return { ...record, expiresAt: Math.min(record.expiresAt, seconds) };
  };
}

/**
 * Runs a change under the request's Idempotency-Key, if it has one. `run` returns undefined when
 * the transaction finds that another call has used the key. AWS calls in addition to those of
 * `run`: none without the header, else 1 GetItem, 2 when `run` throws or returns undefined. With a
 * `secret` the record holds the body encrypted, and no plain hash of the request: for requests and
 * responses that the table must not reveal.
 */
export async function idempotently(
  deps: Deps,
  request: ApiRequest<Caller>,
  run: (recordOf: RecordOf | undefined) => Promise<HttpResponse | undefined>,
  secret?: string,
): Promise<HttpResponse> {
  const key = request.header('idempotency-key');
  if (key === undefined) return requireResponse(await run(undefined));
  if (key.length > LIMITS.idempotencyKeyLength || !/^[\x21-\x7e]+$/.test(key)) {
    throw invalid('Idempotency-Key', 'must be 1 to 64 visible ASCII characters');
  }
  const id = `replay#${ownerOf(request.caller)}#${key}`;
  const fingerprint = fingerprintOf(request, secret);
  const saved = () => savedResponse(deps, { id, fingerprint, secret });
  const earlier = await saved();
  if (earlier) return earlier;
  const expiresAt = Math.floor(deps.clock.now() / 1000) + LIMITS.idempotencySeconds;
  const recordOf: RecordOf = ({ status, headers, body }) => {
    if (body !== undefined && typeof body !== 'string') {
      throw new Error('only a response with a text can be saved');
    }
    const kept = secret === undefined || !body ? body : sealToken(secret, [id], body);
    return { id, fingerprint, status, headers, body: kept ?? '', expiresAt };
  };
  try {
    const response = await run(recordOf);
    if (response) return response;
  } catch (error) {
    // A concurrent call with the same key may have made the change that this call now fails on.
    const first = await saved();
    if (first) return first;
    throw error;
  }
  return requireResponse(await saved());
}

/**
 * Saves the response of an operation that writes nothing else. Returns undefined when another call
 * has used the key. AWS calls: 1 PutItem with Idempotency-Key.
 */
export async function saveResponse(
  deps: { readonly uploads: Pick<Uploads, 'saveIdempotencyRecord'> } & Pick<Deps, 'clock'>,
  response: HttpResponse,
  recordOf: RecordOf | undefined,
): Promise<HttpResponse | undefined> {
  if (!recordOf) return response;
  const now = Math.floor(deps.clock.now() / 1000);
  const isSaved = await deps.uploads.saveIdempotencyRecord(recordOf(response), now);
  return isSaved ? response : undefined;
}

async function savedResponse(
  deps: Deps,
  { id, fingerprint, secret }: { id: string; fingerprint: string; secret?: string },
): Promise<HttpResponse | undefined> {
  const record = await deps.uploads.getIdempotencyRecord(id, Math.floor(deps.clock.now() / 1000));
  if (!record) return undefined;
  if (record.fingerprint !== fingerprint) {
    throw invalid('Idempotency-Key', 'was used for a different request; use a new key');
  }
  const { status, headers, body } = record;
  if (body === '') return { status, headers };
  const text = secret === undefined ? body : (openToken(secret, [id], body) as string);
  return { status, headers, body: text };
}

function requireResponse(response: HttpResponse | undefined): HttpResponse {
  if (!response) throw unavailable();
  return response;
}

/** A hash of everything in a request that operations read, keyed with the secret if any. */
function fingerprintOf(request: ApiRequest<Caller>, secret?: string): string {
  const headers = request.headerNames
    .filter((name) => RELEVANT.test(name))
    .sort()
    .map((name) => [name, request.header(name)]);
  const hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret);
  return hash
    .update(JSON.stringify([request.method, request.path, headers]))
    .update(request.body)
    .digest('base64url');
}
