import {
  type Caller,
  forbidden,
  mayOnBucket,
  mayOnObject,
  ownerOf,
  seesBucket,
  seesWholeBucket,
  visibleBuckets,
} from '../../core/access/permissions';
import type { KeyHolder } from '../../core/access/ports';
import { bucketView, type Counters, NO_OBJECTS } from '../../core/buckets/bucket-view';
import { createBucket, deleteBucket, listBuckets } from '../../core/buckets/buckets';
import { parseLifecycle } from '../../core/buckets/lifecycle';
import { ServiceError } from '../../core/errors';
import { onlyFields } from '../../core/http/json';
import { openToken, parseLimit, sealToken } from '../../core/http/pagination';
import { settledCursor } from '../../core/log/reader';
import { parseBucketName } from '../../core/names';
import { bucketNotFound } from '../../core/not-found';
import type { BucketRecord, LifecycleRule } from '../../core/store/buckets';
import { jsonBody } from '../http/request';
import { type HttpResponse, jsonResponse } from '../http/response';
import { BASE_PATH } from '../routes/routes';
import type { OperationDeps, StorageOperation } from './deps';
import { idempotently } from './idempotency';
import { tokenSecret } from './list-objects';

/** Lists the buckets that the caller may see, by name. AWS calls: those of core's listBuckets. */
export const handleListBuckets =
  (deps: OperationDeps): StorageOperation<'buckets'> =>
  async (request) => {
    const limit = parseLimit(request.query('limit'));
    const token = request.query('page_token');
    const secret = await tokenSecret(deps);
    const context = ['buckets', ownerOf(request.caller)];
    const from = token === undefined ? '' : (openToken(secret, context, token) as string);
    const page = await listBuckets(deps.buckets, visibleBuckets(request.caller), limit, from);
    const next =
      page.next === undefined ? {} : { next_page_token: sealToken(secret, context, page.next) };
    const buckets = page.buckets.map(({ record, stats }) =>
      bucketView(record, stats.published, countersFor(request.caller, record.name, stats)),
    );
    return jsonResponse(200, { buckets, ...next });
  };

/** Returns one bucket. AWS calls: 3 GetItem; 8 Query more while changes are not yet published. */
export const handleGetBucket =
  (deps: OperationDeps): StorageOperation<'bucket'> =>
  async (request, { bucket: name }) => {
    if (!seesBucket(request.caller, name)) throw forbidden('list', { bucket: name });
    return describeBucket(deps, request.caller, name, deps.buckets.lifecycle(name));
  };

/** The rules are for callers who see the whole bucket, as its counters are. */
async function describeBucket(
  deps: OperationDeps,
  caller: Caller,
  name: string,
  lifecycle: Promise<readonly LifecycleRule[]> | readonly LifecycleRule[],
): Promise<HttpResponse> {
  const [record, stats, rules] = await Promise.all([
    deps.buckets.get(name),
    deps.buckets.stats(name),
    lifecycle,
  ]);
  if (!record) throw bucketNotFound(name);
  const cursor = await settledCursor(deps, record, stats);
  const counters = countersFor(caller, name, stats);
  const seen = counters === undefined ? [] : rules;
  return jsonResponse(200, bucketView(record, cursor, counters, seen), {
    'x-object-cursor': String(cursor),
  });
}

/**
 * Replaces the lifecycle rules of a bucket. They delete objects, so this needs `delete` for the
 * whole bucket. AWS calls: 2 GetItem, 1 TransactWriteItems, and those of `idempotently`; 8 Query
 * more while changes are not yet published.
 */
export const handleUpdateBucket =
  (deps: OperationDeps): StorageOperation<'bucket'> =>
  async (request, { bucket: name }) => {
    if (!mayOnObject(request.caller, 'delete', name, ''))
      throw forbidden('delete', { bucket: name });
    const rules = parseLifecycle(jsonBody(request));
    return idempotently(deps, request, async (recordOf) => {
      const response = await describeBucket(deps, request.caller, name, rules);
      const at = new Date(deps.clock.now()).toISOString();
      const outcome = await deps.buckets.setLifecycle({ name, rules }, at, recordOf?.(response));
      if (outcome === 'missing') throw bucketNotFound(name);
      return outcome === 'set' ? response : undefined;
    });
  };

/** Returns undefined when the caller may not see them. */
function countersFor(
  caller: Caller,
  bucket: string,
  stats: Counters = NO_OBJECTS,
): Counters | undefined {
  return seesWholeBucket(caller, bucket) ? stats : undefined;
}

/** Creates a bucket. AWS calls: 1 TransactWriteItems, +1 GetItem with Idempotency-Key. */
export const handleCreateBucket =
  (deps: OperationDeps): StorageOperation<'buckets'> =>
  (request) => {
    const body = jsonBody(request);
    onlyFields(body, ['name']);
    const name = parseBucketName(body.name, 'name');
    requireMay(request.caller, 'create_bucket', name);
    return idempotently(deps, request, async (recordOf) => {
      const record = await createBucket(
        deps,
        name,
        recordOf && ((created) => recordOf(createdResponse(created))),
      );
      return record && createdResponse(record);
    });
  };

function requireMay(caller: Caller, action: 'create_bucket' | 'delete_bucket', bucket: string) {
  if (!mayOnBucket(caller, action, bucket)) throw forbidden(action, { bucket });
}

function createdResponse(record: BucketRecord): HttpResponse {
  return jsonResponse(201, bucketView(record, 0, NO_OBJECTS), {
    Location: `${BASE_PATH}/buckets/${record.name}`,
    'x-object-cursor': '0',
  });
}

function deletedResponse(last: BucketRecord): HttpResponse {
  return { status: 204, headers: { 'x-object-cursor': String(last.cursor) } };
}

function deletionContinues(bucket: string): ServiceError {
  return new ServiceError('unavailable', {
    message: 'the deletion of this bucket takes longer than a request and continues: ask again',
    details: { bucket },
    headers: { 'Retry-After': '1' },
  });
}

/** Who the audit record of a deletion names. The key of a session is that of a person. */
async function holderOf(deps: OperationDeps, { keyId }: Caller): Promise<KeyHolder> {
  const key = await deps.linksAndKeys?.apiKeys.get(keyId);
  if (key?.kind === 'session') {
    const { createdBy = key.name, actorId = keyId } = key;
    return { keyId, actor: createdBy, actorId };
  }
  return { keyId, actor: key?.name ?? keyId, actorId: keyId };
}

/**
 * Deletes an empty bucket. AWS calls: those of core's deleteBucket, 2 GetItem, +1 with
 * Idempotency-Key.
 */
export const handleDeleteBucket =
  (deps: OperationDeps): StorageOperation<'bucket'> =>
  async (request, { bucket: name }) => {
    requireMay(request.caller, 'delete_bucket', name);
    return idempotently(deps, request, async (recordOf) => {
      const bucket = await deps.bucketIds.refresh(name);
      const deleted = await deleteBucket(deps, bucket, {
        by: await holderOf(deps, request.caller),
        idempotency: recordOf && ((last) => recordOf(deletedResponse(last))),
      });
      if (!deleted) throw deletionContinues(name);
      return deletedResponse(deleted);
    });
  };
