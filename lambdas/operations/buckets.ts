import { bucketNotFound } from '../../core/bucket-ids';
import {
  createBucket as create,
  listBuckets as list,
  deleteBucket as remove,
} from '../../core/buckets';
import { bucketView } from '../../core/descriptor';
import { settledCursor } from '../../core/feed';
import { parseBucketName } from '../../core/names';
import { openToken, parseLimit, sealToken } from '../../core/pagination';
import { forbidden, mayOnBucket, seesBucket, visibleBuckets } from '../../core/permissions';
import type { BucketRecord } from '../../core/ports';
import { type Answer, jsonAnswer } from '../http/answer';
import type { Operation } from '../http/api-app';
import { jsonBody, onlyFields } from '../http/request';
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
      bucketView(record, stats, stats.delivered),
    );
    return jsonAnswer(200, { buckets, ...next });
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
    return jsonAnswer(200, bucketView(record, stats, cursor), {
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

function createdAnswer(record: BucketRecord): Answer {
  return jsonAnswer(201, bucketView(record, undefined, 0), {
    Location: `${BASE_PATH}/buckets/${record.name}`,
    'x-object-cursor': '0',
  });
}

function goneAnswer(last: BucketRecord): Answer {
  return { status: 204, headers: { 'x-object-cursor': String(last.cursor) } };
}

/** Deletes an empty bucket. AWS calls: those of core's deleteBucket, 1 GetItem, +1 with Idempotency-Key. */
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
