/**
 * Named consumers: the service stores the cursor of a follower under a name. The follower continues
 * from this cursor, and others see its progress. A consumer does not delay trimming of the log.
 */

import { invalid, missing, ServiceError, unavailable } from '../errors';
import { isWholeNumber, type JsonObject, onlyFields } from '../http/json';
import { CONSUMER_NAME, LIMITS } from '../limits';
import { checkCursor, type ReadChangesDeps, readBucketState } from '../log/cursor-reads';
import { parseBucketId, parsePrefix } from '../names';
import type { IdempotencyRecord } from '../store/uploads';
import type { Clock } from '../system';
import type { Consumer, ConsumerId, Consumers } from './ports';

export interface ConsumerRequest {
  readonly cursor: number;
  /** '' = every key. */
  readonly prefix: string;
  /** The cursor that the consumer must have; null requires that the consumer does not exist. */
  readonly ifCursor?: number | null;
  /** The incarnation of the bucket to which `cursor` belongs. */
  readonly bucketId?: string;
}

/** Throws invalid_request. */
export function parseConsumerName(value: unknown, field = 'name'): string {
  if (typeof value === 'string' && CONSUMER_NAME.test(value)) return value;
  throw invalid(
    field,
    `must be 1 to ${LIMITS.consumerNameLength} characters of A-Z, a-z, 0-9, ".", "_" and "-", beginning with a letter or digit`,
  );
}

/**
 * Parses the body. `authorize` is called as soon as the prefix is known: the rest is not parsed for
 * a caller without the permission. Throws invalid_request, and any error of `authorize`.
 */
export function parseConsumerRequest(
  body: JsonObject,
  authorize: (prefix: string) => void,
): ConsumerRequest {
  const prefix = parsePrefix(body.prefix === undefined ? '' : body.prefix);
  authorize(prefix);
  onlyFields(body, ['cursor', 'if_cursor', 'prefix', 'bucket_id']);
  const { cursor, if_cursor: ifCursor, bucket_id: bucketId } = body;
  if (cursor === undefined) throw missing('cursor');
  if (!isWholeNumber(cursor, 0)) throw invalid('cursor', 'must be a whole number from 0');
  if (ifCursor !== undefined && ifCursor !== null && !isWholeNumber(ifCursor, 0)) {
    throw invalid('if_cursor', 'must be a whole number from 0, or null for no such consumer');
  }
  return {
    cursor,
    prefix,
    ...(ifCursor !== undefined && { ifCursor }),
    ...(bucketId !== undefined && { bucketId: parseBucketId(bucketId) }),
  };
}

export interface ConsumersDeps {
  readonly buckets: ReadChangesDeps['buckets'];
  readonly consumers: Consumers;
  readonly clock: Pick<Clock, 'now'>;
}

/** Attempts of a request while others move the cursor. */
const ATTEMPTS = 5;

/**
 * Stores the cursor of a consumer, and creates it if there is none. Without `ifCursor` the cursor
 * only moves forward, so that a late request undoes nothing. Returns undefined when the idempotency
 * record exists. Throws invalid_request for a cursor ahead of the bucket, cursor_expired for one
 * below the retention, precondition_failed, conflict, not_found, and `unavailable` while others
 * keep moving it. AWS calls: 3 GetItem and 1 PutItem; in place of it 1 TransactWriteItems for a new
 * consumer and with an idempotency record.
 */
export async function putConsumer(
  deps: ConsumersDeps,
  place: { readonly bucket: string; readonly name: string },
  request: ConsumerRequest,
  recordOf?: (stored: Consumer, isNew: boolean) => IdempotencyRecord,
): Promise<{ readonly stored: Consumer; readonly isNew: boolean } | undefined> {
  const state = await readBucketState(deps, place.bucket, request.bucketId);
  checkCursor(state, request.cursor);
  const id = { bucketId: state.record.id, name: place.name };
  let tried: Consumer | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const present = await deps.consumers.get(id);
    // A write whose response was lost was repeated, and found its own effect.
    if (tried && present && isSame(present, tried)) return { stored: tried, isNew: false };
    requirePut(present, request);
    const updatedAt = new Date(deps.clock.now()).toISOString();
    const stored = { ...id, prefix: request.prefix, cursor: request.cursor, updatedAt };
    tried = stored;
    const isNew = present === undefined;
    const outcome = await deps.consumers.put(stored, present?.cursor, recordOf?.(stored, isNew));
    if (outcome === 'stored') return { stored, isNew };
    if (outcome === 'duplicate') return undefined;
    if (outcome === 'full') throw tooMany(place.bucket);
  }
  throw unavailable();
}

function isSame(a: Consumer, b: Consumer): boolean {
  return a.cursor === b.cursor && a.prefix === b.prefix && a.updatedAt === b.updatedAt;
}

function requirePut(present: Consumer | undefined, request: ConsumerRequest): void {
  const { cursor, ifCursor, prefix } = request;
  if (present && present.prefix !== prefix) {
    throw new ServiceError('conflict', {
      message:
        'the consumer follows another prefix, which never changes: delete it first, or take another name',
    });
  }
  if (ifCursor !== undefined && ifCursor !== (present?.cursor ?? null)) {
    throw notAt(present, `if_cursor: the consumer is ${placeOf(present)}`);
  }
  if (ifCursor === undefined && present && cursor < present.cursor) {
    throw notAt(present, `the consumer is ${placeOf(present)}: send that as if_cursor to go back`);
  }
}

function placeOf(present: Consumer | undefined): string {
  return present ? `at cursor ${present.cursor}` : 'not there';
}

function notAt(present: Consumer | undefined, message: string): ServiceError {
  const details = { field: 'if_cursor', ...(present && { cursor: present.cursor }) };
  return new ServiceError('precondition_failed', { message, details });
}

function tooMany(bucket: string): ServiceError {
  return new ServiceError('conflict', {
    message: `a bucket has at most ${LIMITS.consumersPerBucket} consumers; delete those that are no longer used`,
    details: { bucket },
  });
}

export function noSuchConsumer(name: string): ServiceError {
  return new ServiceError('not_found', {
    message: `there is no consumer named ${name}: PUT it with the cursor to begin at`,
  });
}

/** Minimum interval at which a channel stores the cursor of a consumer. */
const STORE_EVERY_MS = 30_000;

/**
 * Moves the cursor of a consumer forward, unless it was stored less than 30 seconds ago and this is
 * not the last cursor (`isLast`). AWS calls: 1 UpdateItem.
 */
export async function advanceConsumer(
  deps: Pick<ConsumersDeps, 'clock'> & { readonly consumers: Pick<Consumers, 'advance'> },
  consumer: ConsumerId & Pick<Consumer, 'prefix'>,
  cursor: number,
  isLast = false,
): Promise<void> {
  const now = deps.clock.now();
  const notAfter = isLast ? Number.MAX_SAFE_INTEGER : now - STORE_EVERY_MS;
  await deps.consumers.advance(consumer, cursor, { now, notAfter });
}
