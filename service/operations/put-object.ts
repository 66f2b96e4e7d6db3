import { forbidden, mayOnObject } from '../../core/access/permissions';
import { ServiceError } from '../../core/errors';
import { hasConditions, requireConditions } from '../../core/http/conditions';
import {
  parseContentHeaders,
  parseContentType,
  parseMetadata,
} from '../../core/http/content-headers';
import {
  PASSED_CONTENT_MD5,
  sha256Base64,
  verifyContentDigest,
  verifyContentMd5,
} from '../../core/http/digests';
import { refuseS3Headers } from '../../core/http/s3-headers';
import { LIMITS } from '../../core/limits';
import { EXPIRES_AT_HEADER } from '../../core/objects/expiry';
import { validatorHeaders } from '../../core/objects/object-headers';
import { putObject } from '../../core/objects/objects';
import type { LiveObject, ObjectRecord } from '../../core/store/objects';
import { parseTime, requireFuture } from '../../core/times';
import { descriptorOf } from '../../core/views';
import type { HttpRequest } from '../http/request';
import { type HttpResponse, jsonResponse } from '../http/response';
import type { OperationDeps, StorageOperation } from './deps';
import { idempotently } from './idempotency';

/**
 * Creates or replaces an object. AWS calls: those of core's putObject, and those of
 * `idempotently`.
 */
export const handlePutObject =
  (deps: OperationDeps): StorageOperation<'object'> =>
  (request, { bucket, key }) => {
    if (!mayOnObject(request.caller, 'write', bucket, key))
      throw forbidden('write', { bucket, key });
    if (request.body.length > LIMITS.inlineUploadBytes) throw new ServiceError('payload_too_large');
    refuseS3Headers(request.headerNames);
    const checksumSha256 = sha256Base64(request.body);
    for (const name of ['content-md5', PASSED_CONTENT_MD5]) {
      verifyContentMd5(request.header(name), request.body);
    }
    verifyContentDigest(request.header('content-digest'), request.body, checksumSha256);
    const content = {
      body: request.body,
      contentType: parseContentType(sentContentType(request)),
      headers: parseContentHeaders(request.header),
      metadata: parseMetadata(request.header, request.headerNames),
      expiresAt: sentExpiry(request),
      checksumSha256,
    };
    const mayRead = mayOnObject(request.caller, 'read', bucket, key);
    const conditions = (current: LiveObject | undefined) =>
      requireConditions(request.header, current, mayRead);
    return idempotently(deps, request, async (recordOf) => {
      requireFuture(content.expiresAt, deps.clock.now(), EXPIRES_AT_HEADER);
      const outcome = await putObject(deps, { bucket, key }, content, {
        conditions,
        conditional: hasConditions(request.header),
        by: request.caller.keyId,
        idempotency: recordOf && ((object, previous) => recordOf(responseOf(object, previous))),
      });
      if (outcome.result !== 'committed') return undefined;
      return responseOf(outcome.object, outcome.previous);
    });
  };

function responseOf(object: ObjectRecord, previous: ObjectRecord | undefined): HttpResponse {
  if (object.state !== 'live') throw new Error('putObject committed a tombstone');
  const status = previous?.state === 'live' ? 200 : 201;
  return jsonResponse(status, descriptorOf(object), validatorHeaders(object));
}

function sentExpiry({ header }: Pick<HttpRequest, 'header'>): string | undefined {
  const value = header(EXPIRES_AT_HEADER);
  return value === undefined ? undefined : parseTime(value, EXPIRES_AT_HEADER);
}

/** The type that curl sends for --data and --data-binary without a Content-Type, for any bytes. */
const CURL_DEFAULT = 'application/x-www-form-urlencoded';

function sentContentType({ header }: Pick<HttpRequest, 'header'>): string | undefined {
  const type = header('content-type');
  return type === CURL_DEFAULT ? undefined : type;
}
