import { type Caller, forbidden, mayOnObject } from '../../core/access/permissions';
import { signerOf } from '../../core/access/signer';
import { mintTicket } from '../../core/channel/tickets';
import { invalid } from '../../core/errors';
import { objectNotFound } from '../../core/not-found';
import { servedAs, signedDownload } from '../../core/objects/object-headers';
import type { PresignedRequest } from '../../core/store/blobs';
import { liveOf } from '../../core/store/objects';
import { requireFuture } from '../../core/times';
import {
  parseSignRequest,
  type SignGet,
  type SignPut,
  type SignSync,
  type SignTarget,
} from '../../core/uploads/signed-urls';
import { UPLOADS_PREFIX } from '../../core/uploads/uploads';
import { type ApiRequest, jsonBody } from '../http/request';
import { type HttpResponse, jsonResponse } from '../http/response';
import type { OperationDeps, StorageOperation } from './deps';
import { idempotently, type RecordOf, saveResponse, untilExpiry } from './idempotency';
import { signMultipart, signPartsAgain } from './sign-multipart';
import { saveUpload, withExpiry } from './upload-row';

/**
 * Signs a URL. AWS calls: GET 1 GetItem; PUT 1 GetItem, 1 PutItem; multipart +1
 * CreateMultipartUpload, again +1 GetItem instead; SYNC 1 PutItem.
 */
export const handleSignUrl =
  (deps: OperationDeps): StorageOperation<'signed-url'> =>
  async (request) => {
    const wanted = parseSignRequest(jsonBody(request), (target) =>
      requireMaySign(request.caller, target),
    );
    if (wanted.method === 'SYNC') return signSync(deps, request, wanted);
    return idempotently(deps, request, (recordOf) =>
      wanted.method === 'GET'
        ? signGet(deps, wanted, recordOf)
        : signPut(deps, request, wanted, recordOf),
    );
  };

const NEEDED = { GET: 'read', PUT: 'write', SYNC: 'sync' } as const;

function requireMaySign(caller: Caller, { method, ...place }: SignTarget): void {
  const { bucket, key, prefix = '' } = place;
  for (const action of ['sign', NEEDED[method]] as const) {
    if (!mayOnObject(caller, action, bucket, key ?? prefix)) throw forbidden(action, place);
  }
}

/**
 * Makes a ticket for the change channel. Refuses an Idempotency-Key: a ticket is valid for one use,
 * and a saved response could hold one that was used.
 */
async function signSync(
  deps: OperationDeps,
  request: ApiRequest<Caller>,
  wanted: SignSync,
): Promise<HttpResponse> {
  const { bucket, prefix = '' } = wanted;
  if (request.header('idempotency-key') !== undefined) {
    throw invalid(
      'Idempotency-Key',
      'cannot be used with method SYNC: a ticket is valid for one use',
    );
  }
  const { clock, tickets } = deps;
  if (!tickets) {
    throw invalid('method', 'SYNC needs an API key; use GET /api/v2/storage/sync instead');
  }
  const { subscriptions, syncUrl } = tickets;
  const { keyId, generation, restriction } = request.caller;
  const ticket = await mintTicket(
    { subscriptions, clock },
    { keyId, generation, restriction, bucket, prefix },
  );
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
  wanted: SignGet,
  recordOf: RecordOf | undefined,
): Promise<HttpResponse | undefined> {
  const { bucket, key, expiresIn, contentDisposition } = wanted;
  const object = await deps.bucketIds.runRead(bucket, async ({ id }) =>
    liveOf(await deps.objects.get(id, key)),
  );
  if (!object) throw objectNotFound(bucket, key);
  const signed = await deps.blobs.presignGet(object.blob, {
    expiresIn,
    ...servedAs(object),
    ...(contentDisposition !== undefined && { contentDisposition }),
  });
  const response = jsonResponse(201, signedDownload(object, signed));
  return saveResponse(deps, response, untilExpiry(recordOf, signed.expiresAt));
}

async function signPut(
  deps: OperationDeps,
  { caller, takeTokens }: ApiRequest<Caller>,
  wanted: SignPut,
  recordOf: RecordOf | undefined,
): Promise<HttpResponse | undefined> {
  const { bucket, key, expiresIn, objectExpiresAt } = wanted;
  requireFuture(objectExpiresAt, deps.clock.now(), 'object_expires_at');
  const { id: bucketId } = await deps.bucketIds.refresh(bucket);
  const id = deps.ids.ulid();
  const blob = `${UPLOADS_PREFIX}${bucket}.${bucketId}/${key}/${id}`;
  const { ifMatch, ifNoneMatch } = wanted;
  const state = 'pending' as const;
  const signer = signerOf(caller);
  const store = deps.blobs.bucketName;
  const upload = {
    ...{ id, bucket, bucketId, key, blob, store, state, signer, ifMatch, ifNoneMatch },
    ...(wanted.awaitsCommit && { awaitsCommit: true as const }),
    objectExpiresAt,
    askedHeaders: Object.keys(wanted.headers),
  };
  if (wanted.multipart && 'uploadId' in wanted.multipart) {
    const begun = { id: wanted.multipart.uploadId, signer };
    return signPartsAgain({ ...deps, takeTokens }, wanted, begun, recordOf);
  }
  if (wanted.multipart) {
    const request = { ...wanted, multipart: wanted.multipart };
    return signMultipart({ ...deps, takeTokens }, request, upload, recordOf);
  }
  const signed = await deps.blobs.presignPut(blob, {
    expiresIn,
    contentType: wanted.contentType,
    headers: wanted.headers,
    metadata: wanted.metadata,
    contentLength: wanted.contentLength,
    checksumSha256: wanted.checksumSha256,
  });
  const response = jsonResponse(201, { ...urlView('PUT', signed), bucket, key, upload_id: id });
  return saveUpload(deps, withExpiry(upload, signed), response, recordOf);
}

function urlView(method: string, signed: PresignedRequest) {
  return { url: signed.url, method, headers: signed.headers, expires_at: signed.expiresAt };
}
