import { forbidden, mayOnObject } from '../../core/access/permissions';
import { hasConditions, requireConditions } from '../../core/http/conditions';
import { refuseS3Headers } from '../../core/http/s3-headers';
import { deleteObject } from '../../core/objects/objects';
import type { ObjectRecord } from '../../core/store/objects';
import { deletedView } from '../../core/views';
import { type HttpResponse, jsonResponse } from '../http/response';
import type { OperationDeps, StorageOperation } from './deps';
import { idempotently } from './idempotency';

/** Deletes an object. AWS calls: those of core's deleteObject, +1 GetItem with Idempotency-Key. */
export const handleDeleteObject =
  (deps: OperationDeps): StorageOperation<'object'> =>
  (request, { bucket, key }) => {
    if (!mayOnObject(request.caller, 'delete', bucket, key))
      throw forbidden('delete', { bucket, key });
    refuseS3Headers(request.headerNames);
    const mayRead = mayOnObject(request.caller, 'read', bucket, key);
    return idempotently(deps, request, async (recordOf) => {
      const outcome = await deleteObject(
        deps,
        { bucket, key },
        {
          conditions: (current) => requireConditions(request.header, current, mayRead),
          conditional: hasConditions(request.header),
          by: request.caller.keyId,
          idempotency: recordOf && ((object) => recordOf(responseOf(object))),
        },
      );
      return outcome.result === 'committed' ? responseOf(outcome.object) : undefined;
    });
  };

function responseOf(object: ObjectRecord): HttpResponse {
  if (object.state !== 'deleted') throw new Error('deleteObject committed a live object');
  return jsonResponse(200, deletedView(object), {
    'x-object-version': String(object.version),
    'x-object-cursor': String(object.cursor),
  });
}
