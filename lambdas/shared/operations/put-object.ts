import { forbidden, mayOnObject } from '../../../core/access/permissions';
import { ServiceError } from '../../../core/errors';
import { hasConditions, requireConditions } from '../../../core/http/conditions';
import {
  parseContentHeaders,
  parseContentType,
  parseMetadata,
} from '../../../core/http/content-headers';
import { sha256Base64, verifyContentDigest } from '../../../core/http/digests';
import { LIMITS } from '../../../core/limits';
import { descriptorOf, validatorHeaders } from '../../../core/objects/descriptor';
import { putObject as store } from '../../../core/objects/objects';
import type { LiveObject, ObjectRecord } from '../../../core/objects/ports';
import type { Operation } from '../http/dispatch';
import { type HttpResponse, jsonResponse } from '../http/response';
import type { OperationDeps } from './deps';
import { idempotently } from './idempotency';
import { bucketOf, keyOf } from './names';

/**
 * PUT: uploads or replaces. AWS calls: those of core's putObject, +1 GetItem with Idempotency-Key.
 */
export const putObject =
  (deps: OperationDeps): Operation<'object'> =>
  (request, target) => {
    const bucket = bucketOf(target);
    const key = keyOf(target);
    if (!mayOnObject(request.caller, 'write', bucket, key)) throw forbidden('write');
    if (request.body.length > LIMITS.inlineUploadBytes) throw new ServiceError('payload_too_large');
    const checksumSha256 = sha256Base64(request.body);
    verifyContentDigest(request.header('content-digest'), request.body, checksumSha256);
    const content = {
      body: request.body,
      contentType: parseContentType(request.header('content-type')),
      headers: parseContentHeaders(request.header),
      metadata: parseMetadata(request.header, request.headerNames),
      checksumSha256,
    };
    const conditions = (current: LiveObject | undefined) =>
      requireConditions(request.header, current);
    // A malformed condition is refused before anything is stored.
    if (hasConditions(request.header)) ignoreOutcome(() => conditions(undefined));
    return idempotently(deps, request, async (remember) => {
      const outcome = await store(deps, bucket, key, content, {
        conditions,
        conditional: hasConditions(request.header),
        replay: remember && ((object, previous) => remember(answerOf(object, previous))),
      });
      if (outcome.result !== 'committed') return undefined;
      return answerOf(outcome.object, outcome.previous);
    });
  };

function answerOf(object: ObjectRecord, previous: ObjectRecord | undefined): HttpResponse {
  if (object.state !== 'live') throw new Error('a put made a tombstone');
  const status = previous?.state === 'live' ? 200 : 201;
  return jsonResponse(status, descriptorOf(object), validatorHeaders(object));
}

function ignoreOutcome(check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'precondition_failed')) throw error;
  }
}
