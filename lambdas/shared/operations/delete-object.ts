import { forbidden, mayOnObject } from '../../../core/access/permissions';
import { hasConditions, requireConditions } from '../../../core/http/conditions';
import { deletedView } from '../../../core/objects/descriptor';
import { deleteObject as remove } from '../../../core/objects/objects';
import type { ObjectRecord } from '../../../core/objects/ports';
import type { Operation } from '../http/dispatch';
import { type HttpResponse, jsonResponse } from '../http/response';
import type { OperationDeps } from './deps';
import { idempotently } from './idempotency';
import { bucketOf, keyOf } from './names';

/**
 * DELETE of an object. AWS calls: those of core's deleteObject, +1 GetItem with Idempotency-Key.
 */
export const deleteObject =
  (deps: OperationDeps): Operation<'object'> =>
  (request, target) => {
    const bucket = bucketOf(target);
    const key = keyOf(target);
    if (!mayOnObject(request.caller, 'delete', bucket, key)) throw forbidden('delete');
    return idempotently(deps, request, async (remember) => {
      const outcome = await remove(deps, bucket, key, {
        conditions: (current) => requireConditions(request.header, current),
        conditional: hasConditions(request.header),
        replay: remember && ((object) => remember(answerOf(object))),
      });
      return outcome.result === 'committed' ? answerOf(outcome.object) : undefined;
    });
  };

function answerOf(object: ObjectRecord): HttpResponse {
  if (object.state !== 'deleted') throw new Error('a delete made a live object');
  return jsonResponse(200, deletedView(object), {
    'x-object-version': String(object.version),
    'x-object-cursor': String(object.cursor),
  });
}
