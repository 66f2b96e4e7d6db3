/** Named consumers: the cursors of followers, and how far these are behind. */
import { type Caller, forbidden, mayOnObject, ownerOf } from '../../core/access/permissions';
import { forEachConcurrently } from '../../core/concurrency';
import { noSuchConsumer, parseConsumerRequest, putConsumer } from '../../core/consumers/consumers';
import { type Lag, lagOf } from '../../core/consumers/lag';
import type { Consumer, ConsumerId } from '../../core/consumers/ports';
import { openToken, parseLimit, sealToken } from '../../core/http/pagination';
import { LIMITS } from '../../core/limits';
import { readBucketState } from '../../core/log/cursor-reads';
import { type Listing, visiblePage } from '../../core/pages';
import { jsonBody } from '../http/request';
import { type HttpResponse, jsonResponse } from '../http/response';
import type { OperationDeps, StorageOperation } from './deps';
import { idempotently } from './idempotency';
import { tokenSecret } from './list-objects';
import { paidItems } from './work-tokens';

/** Stores the cursor of a consumer. AWS calls: those of putConsumer and of `idempotently`. */
export const handlePutConsumer =
  (deps: OperationDeps): StorageOperation<'consumer'> =>
  async (request, { bucket, name }) => {
    const wanted = parseConsumerRequest(jsonBody(request), (prefix) => {
      if (!mayFollow(request.caller, bucket, prefix)) throw forbidden('sync', { bucket, prefix });
    });
    const responseOf = (stored: Consumer, isNew: boolean): HttpResponse =>
      jsonResponse(isNew ? 201 : 200, consumerView(bucket, stored));
    return idempotently(deps, request, async (recordOf) => {
      const made = await putConsumer(
        deps,
        { bucket, name },
        wanted,
        recordOf && ((stored, isNew) => recordOf(responseOf(stored, isNew))),
      );
      return made && responseOf(made.stored, made.isNew);
    });
  };

/** Returns a consumer. AWS calls: 3 GetItem, and those of core's lagOf. */
export const handleGetConsumer =
  (deps: OperationDeps): StorageOperation<'consumer'> =>
  async (request, { bucket, name }) => {
    requireMayFollowSome(request.caller, bucket);
    const state = await readBucketState(deps, bucket);
    const consumer = await seen(deps, request.caller, bucket, { bucketId: state.record.id, name });
    const lag = await lagOf(deps, state, consumer);
    return jsonResponse(200, { ...consumerView(bucket, consumer), ...lagView(lag) });
  };

/** Reads of a list of consumers at the same time. */
const READS_AT_ONCE = 16;

/**
 * Lists the consumers of a bucket that the caller could be. The tokens of the rate limit bound the
 * page. AWS calls: 2 GetItem, 1 Query (2 where others are passed over), and those of
 * core's lagOf for each consumer; every five minutes of an instance 1 for the secret.
 */
export const handleListConsumers =
  (deps: OperationDeps): StorageOperation<'consumers'> =>
  async (request, { bucket }) => {
    const { caller } = request;
    requireMayFollowSome(caller, bucket);
    const limit = parseLimit(request.query('limit'));
    const token = request.query('page_token');
    const secret = await tokenSecret(deps);
    const state = await readBucketState(deps, bucket);
    const { id: bucketId } = state.record;
    const context = ['consumers', bucketId, ownerOf(caller)];
    const after = token === undefined ? undefined : (openToken(secret, context, token) as string);
    const listing: Listing<Consumer> = {
      read: (count, from) => deps.consumers.list(bucketId, count, from),
      nameOf: ({ name }) => name,
      isVisible: ({ prefix }) => mayFollow(caller, bucket, prefix),
    };
    const page = await visiblePage(listing, limit, after);
    const paid = await paidItems(request, page.items.length, LIMITS.consumersPerToken);
    const items = page.items.slice(0, paid);
    const next = items.length < page.items.length ? items.at(-1)?.name : page.next;
    const lags = new Map<string, Lag>();
    await forEachConcurrently(items, READS_AT_ONCE, async (one) => {
      lags.set(one.name, await lagOf(deps, state, one));
    });
    return jsonResponse(200, {
      consumers: items.map((one) => {
        const lag = lags.get(one.name);
        return { ...consumerView(bucket, one), ...(lag && lagView(lag)) };
      }),
      ...(next !== undefined && { next_page_token: sealToken(secret, context, next) }),
    });
  };

/**
 * Deletes a consumer. AWS calls: 2 GetItem, 1 TransactWriteItems, and those of `idempotently`.
 */
export const handleDeleteConsumer =
  (deps: OperationDeps): StorageOperation<'consumer'> =>
  async (request, { bucket, name }) => {
    requireMayFollowSome(request.caller, bucket);
    return idempotently(deps, request, async (recordOf) => {
      const { id: bucketId } = await deps.bucketIds.refresh(bucket);
      const consumer = await seen(deps, request.caller, bucket, { bucketId, name });
      const response = { status: 204, headers: {} };
      const outcome = await deps.consumers.remove(consumer, recordOf?.(response));
      if (outcome === 'absent') throw noSuchConsumer(name);
      return outcome === 'removed' ? response : undefined;
    });
  };

/** Throws not_found also for a consumer whose prefix the caller may not follow. */
async function seen(
  deps: OperationDeps,
  caller: Caller,
  bucket: string,
  id: ConsumerId,
): Promise<Consumer> {
  const consumer = await deps.consumers.get(id);
  if (consumer && mayFollow(caller, bucket, consumer.prefix)) return consumer;
  throw noSuchConsumer(id.name);
}

function mayFollow(caller: Caller, bucket: string, prefix: string): boolean {
  return mayOnObject(caller, 'sync', bucket, prefix);
}

/** Throws forbidden if there is no key of the bucket that the caller may follow. */
function requireMayFollowSome(caller: Caller, bucket: string): void {
  const may = caller.permissions.some(({ prefix = '' }) => mayFollow(caller, bucket, prefix));
  if (!may) throw forbidden('sync', { bucket });
}

function consumerView(bucket: string, { bucketId, name, prefix, cursor, updatedAt }: Consumer) {
  return {
    ...{ bucket, bucket_id: bucketId, name },
    ...(prefix !== '' && { prefix }),
    cursor,
    updated_at: updatedAt,
  };
}

function lagView({ changes, seconds, isBehindRetention }: Lag) {
  return { lag: changes, lag_seconds: seconds, behind_retention: isBehindRetention };
}
