import { forbidden, mayOnObject } from '../../../core/access/permissions';
import { mintTicket } from '../../../core/channel/handshake';
import { invalid } from '../../../core/errors';
import type { PresignedRequest } from '../../../core/objects/blob-ports';
import { liveOf, objectNotFound } from '../../../core/objects/objects';
import type { Upload } from '../../../core/objects/ports';
import {
  parseSignRequest,
  type SignGet,
  type SignPut,
  type SignSync,
} from '../../../core/objects/signed-urls';
import { UPLOADS_PREFIX } from '../../../core/objects/uploads';
import type { Operation } from '../http/dispatch';
import { type ApiRequest, jsonBody } from '../http/request';
import { type HttpResponse, jsonResponse } from '../http/response';
import type { OperationDeps } from './deps';
import { idempotently, type Remember } from './idempotency';
import { signMultipart, signPartsAgain } from './multipart';

/** Upload rows outlive their URL by this, so that a late event and the janitor still find them. */
const UPLOAD_ROW_SECONDS = 7 * 24 * 3600;

/**
 * Mints a signed URL. AWS calls: GET 1 GetItem; PUT 1 GetItem, 1 PutItem; multipart +1
 * CreateMultipartUpload, again +1 GetItem instead; SYNC 1 PutItem.
 */
export const createSignedUrl =
  (deps: OperationDeps): Operation<'signed-url'> =>
  async (request) => {
    const wish = parseSignRequest(jsonBody(request));
    if (wish.method === 'SYNC') return signSync(deps, request, wish);
    const needs = wish.method === 'GET' ? 'read' : 'write';
    for (const action of ['sign', needs] as const) {
      if (!mayOnObject(request.caller, action, wish.bucket, wish.key)) throw forbidden(action);
    }
    return idempotently(deps, request, (remember) =>
      wish.method === 'GET' ? signGet(deps, wish, remember) : signPut(deps, wish, remember),
    );
  };

/** A ticket is used once: an Idempotency-Key would only answer with one that may be used up. */
async function signSync(
  deps: OperationDeps,
  request: ApiRequest,
  wish: SignSync,
): Promise<HttpResponse> {
  const { bucket, prefix = '' } = wish;
  const { caller } = request;
  for (const action of ['sign', 'sync'] as const) {
    if (!mayOnObject(caller, action, bucket, prefix)) throw forbidden(action);
  }
  if (request.header('idempotency-key') !== undefined) {
    throw invalid('Idempotency-Key', 'does not go with method SYNC: a ticket is good for one use');
  }
  const { clock, tickets } = deps;
  if (!tickets) {
    throw invalid('method', 'SYNC takes an API key: follow by GET /api/v2/storage/sync');
  }
  const { subscriptions, syncUrl } = tickets;
  const { keyId, generation } = caller;
  const ticket = await mintTicket({ subscriptions, clock }, { keyId, generation, bucket, prefix });
  const url = new URL(syncUrl);
  url.searchParams.set('bucket', bucket);
  if (prefix !== '') url.searchParams.set('prefix', prefix);
  url.searchParams.set('ticket', ticket.text);
  const signed = {
    url: url.href,
    headers: {},
    expiresAt: new Date(ticket.expiresAt).toISOString(),
  };
  return jsonResponse(201, {
    ...urlView('SYNC', signed),
    bucket,
    ...(prefix !== '' && { prefix }),
  });
}

async function signGet(
  deps: OperationDeps,
  wish: SignGet,
  remember: Remember | undefined,
): Promise<HttpResponse | undefined> {
  const { bucket, key, expiresIn, contentDisposition } = wish;
  const object = await deps.bucketIds.read(bucket, async ({ id }) =>
    liveOf(await deps.objects.get(id, key)),
  );
  if (!object) throw objectNotFound(bucket, key);
  const signed = await deps.blobs.presignGet(object.blob, { expiresIn, contentDisposition });
  const answer = jsonResponse(201, {
    ...urlView('GET', signed),
    bucket,
    key,
    version: object.version,
    size: object.size,
    etag: object.etag,
  });
  return keepAnswer(deps, answer, remember);
}

async function signPut(
  deps: OperationDeps,
  wish: SignPut,
  remember: Remember | undefined,
): Promise<HttpResponse | undefined> {
  const { bucket, key, expiresIn } = wish;
  const { id: bucketId } = await deps.bucketIds.refresh(bucket);
  const id = deps.ids.ulid();
  const blob = `${UPLOADS_PREFIX}${bucket}.${bucketId}/${key}/${id}`;
  const upload = { id, bucket, bucketId, key, blob, state: 'pending' as const };
  const conditions = { ifMatch: wish.ifMatch, ifNoneMatch: wish.ifNoneMatch };
  if (wish.multipart && 'uploadId' in wish.multipart) {
    return signPartsAgain(deps, wish, wish.multipart.uploadId, remember);
  }
  if (wish.multipart) {
    return signMultipart(deps, wish, wish.multipart, { ...upload, ...conditions }, remember);
  }
  const signed = await deps.blobs.presignPut(blob, {
    expiresIn,
    contentType: wish.contentType,
    contentLength: wish.contentLength,
    checksumSha256: wish.checksumSha256,
  });
  const answer = jsonResponse(201, { ...urlView('PUT', signed), bucket, key, upload_id: id });
  return keep(deps, { ...upload, ...conditions, ...lifeOf(signed) }, answer, remember);
}

/** Until when the row of an upload with that URL is kept. */
export function lifeOf(
  signed: Pick<PresignedRequest, 'expiresAt'>,
): Pick<Upload, 'expiresAt' | 'ttl'> {
  const ttl = Math.ceil(Date.parse(signed.expiresAt) / 1000) + UPLOAD_ROW_SECONDS;
  return { expiresAt: signed.expiresAt, ttl };
}

/** Stores the row. undefined: the idempotency key was used meanwhile. */
export async function keep(
  deps: Pick<OperationDeps, 'uploads'>,
  upload: Upload,
  answer: HttpResponse,
  remember: Remember | undefined,
): Promise<HttpResponse | undefined> {
  const outcome = await deps.uploads.create(upload, remember?.(answer));
  return outcome === 'created' ? answer : undefined;
}

/** For what makes no row of its own. undefined: the idempotency key was used meanwhile. */
export async function keepAnswer(
  deps: Pick<OperationDeps, 'uploads' | 'clock'>,
  answer: HttpResponse,
  remember: Remember | undefined,
): Promise<HttpResponse | undefined> {
  if (!remember) return answer;
  const now = Math.floor(deps.clock.now() / 1000);
  return (await deps.uploads.saveIdempotencyRecord(remember(answer), now)) ? answer : undefined;
}

function urlView(method: string, signed: PresignedRequest) {
  return { url: signed.url, method, headers: signed.headers, expires_at: signed.expiresAt };
}
