import {
  forbidden,
  mayOnBucket,
  seesBucket,
  visibleBuckets,
} from '../../../core/access/permissions';
import { openToken, parseLimit, sealToken } from '../../../core/http/pagination';
import { settledCursor } from '../../../core/log/feed';
import { bucketNotFound } from '../../../core/objects/bucket-ids';
import {
  createBucket as create,
  listBuckets as list,
  deleteBucket as remove,
} from '../../../core/objects/buckets';
import { bucketView } from '../../../core/objects/descriptor';
import { parseBucketName } from '../../../core/objects/names';
import type { BucketRecord } from '../../../core/objects/ports';
import type { Operation } from '../http/dispatch';
import { jsonBody, onlyFields } from '../http/request';
import { type HttpResponse, jsonResponse } from '../http/response';
import { BASE_PATH } from '../routes';
import type { OperationDeps } from './deps';
import { idempotently } from './idempotency';
import { tokenSecret } from './list-objects';
import { bucketOf } from './names';

/** The buckets that the key can see, in name order. AWS calls: those of core's listBuckets. */
export const listBuckets =
  (deps: OperationDeps): Operation<'buckets'> =>
  async (request) => {
    const limit = parseLimit(request.query('limit'));
    const token = request.query('page_token');
    const secret = await tokenSecret(deps);
    const context = ['buckets', request.caller.keyId];
    const from = token === undefined ? '' : (openToken(secret, context, token) as string);
    const page = await list(deps.buckets, visibleBuckets(request.caller), limit, from);
    const next =
      page.next === undefined ? {} : { next_page_token: sealToken(secret, context, page.next) };
    const buckets = page.buckets.map(({ record, stats }) =>
      bucketView(record, stats, stats.published),
    );
    return jsonResponse(200, { buckets, ...next });
  };

/** One bucket. AWS calls: 2 GetItem; 8 Query more while changes are not delivered yet. */
export const getBucket =
  (deps: OperationDeps): Operation<'bucket'> =>
  async (request, target) => {
    const name = bucketOf(target);
    if (!seesBucket(request.caller, name)) throw forbidden('list');
    const [record, stats] = await Promise.all([deps.buckets.get(name), deps.buckets.stats(name)]);
    if (!record) throw bucketNotFound(name);
    const cursor = await settledCursor(deps, record, stats);
    return jsonResponse(200, bucketView(record, stats, cursor), {
      'x-object-cursor': String(cursor),
    });
  };

/** Creates a bucket. AWS calls: 1 TransactWriteItems, +1 GetItem with Idempotency-Key. */
export const createBucket =
  (deps: OperationDeps): Operation<'buckets'> =>
  (request) => {
    const body = jsonBody(request);
    onlyFields(body, ['name']);
    const name = parseBucketName(body.name, 'name');
    if (!mayOnBucket(request.caller, 'create_bucket', name)) throw forbidden('create_bucket');
    return idempotently(deps, request, async (remember) => {
      const record = await create(
        deps,
        name,
        remember && ((created) => remember(createdAnswer(created))),
      );
      return record && createdAnswer(record);
    });
  };

function createdAnswer(record: BucketRecord): HttpResponse {
  return jsonResponse(201, bucketView(record, undefined, 0), {
    Location: `${BASE_PATH}/buckets/${record.name}`,
    'x-object-cursor': '0',
  });
}

function goneAnswer(last: BucketRecord): HttpResponse {
  return { status: 204, headers: { 'x-object-cursor': String(last.cursor) } };
}

/**
 * Deletes an empty bucket. AWS calls: those of core's deleteBucket, 1 GetItem, +1 with
 * Idempotency-Key.
 */
export const deleteBucket =
  (deps: OperationDeps): Operation<'bucket'> =>
  async (request, target) => {
    const name = bucketOf(target);
    if (!mayOnBucket(request.caller, 'delete_bucket', name)) throw forbidden('delete_bucket');
    return idempotently(deps, request, async (remember) => {
      const bucket = await deps.bucketIds.refresh(name);
      const gone = await remove(deps, bucket, remember && ((last) => remember(goneAnswer(last))));
      return goneAnswer(gone);
    });
  };
