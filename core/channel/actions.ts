/** Parses the messages of a client on a channel. Nothing in them is trusted. */

import { parseConsumerName } from '../consumers/consumers';
import { invalid, missing } from '../errors';
import { isJsonObject, isWholeNumber, type JsonObject, parseJson } from '../http/json';
import { LIMITS } from '../limits';
import { parseBucketId, parseBucketName, parsePrefix } from '../names';

/** The changes that a client requests, and the cursor after which they begin. */
export interface SubscribeRequest {
  readonly bucket: string;
  /** '' = every key. */
  readonly prefix: string;
  /** undefined = from now. */
  readonly cursor?: number;
  /** The incarnation of the bucket to which the cursor belongs. */
  readonly bucketId?: string;
  /** The name of the consumer whose cursor the subscription moves. */
  readonly consumer?: string;
}

export type ChannelAction =
  | ({ readonly action: 'subscribe' } & SubscribeRequest)
  | {
      readonly action: 'unsubscribe';
      readonly bucket: string;
      /** The consumer has processed every change up to this cursor. */
      readonly consumed?: number;
    }
  | ({ readonly action: 'ping' } & ReportedCursors);

/** Cursors by bucket name. */
export interface ReportedCursors {
  /** The client has received every change up to these cursors. */
  readonly cursors: ReadonlyMap<string, number>;
  /** The consumer has processed every change up to these cursors; only buckets in `cursors`. */
  readonly consumed: ReadonlyMap<string, number>;
}

const FIELDS = {
  subscribe: ['action', 'id', 'bucket', 'cursor', 'prefix', 'bucket_id', 'consumer'],
  unsubscribe: ['action', 'id', 'bucket', 'consumed'],
  ping: ['action', 'id', 'cursors', 'consumed'],
} as const;

/** Parses a message of a client. Throws invalid_request. */
export function parseAction(text: string): ChannelAction {
  if (Buffer.byteLength(text) > LIMITS.actionBytes) {
    throw invalid('message', `must be at most ${LIMITS.actionBytes} bytes`);
  }
  const message = parseObject(text);
  const { action } = message;
  if (action === undefined) throw missing('action');
  if (action !== 'subscribe' && action !== 'unsubscribe' && action !== 'ping') {
    throw invalid('action', 'must be subscribe, unsubscribe or ping');
  }
  const known: readonly string[] = FIELDS[action];
  const unknown = Object.keys(message).find((field) => !known.includes(field));
  if (unknown !== undefined) {
    throw invalid(unknown, `is not a field of ${action}; those are ${known.join(', ')}`);
  }
  if (message.id !== undefined && !isMessageId(message.id)) {
    throw invalid('id', `must be a text of 1 to ${LIMITS.messageIdLength} characters`);
  }
  if (action === 'ping') return { action, ...parseReported(message) };
  if (action === 'unsubscribe') return { action, ...parseUnsubscribe(message) };
  return { action, ...parseSubscribeRequest(message), ...parseConsumer(message.consumer) };
}

/** Returns the field `consumer`, if it is present. Throws invalid_request. */
export function parseConsumer(value: unknown): Pick<SubscribeRequest, 'consumer'> {
  return value === undefined ? {} : { consumer: parseConsumerName(value, 'consumer') };
}

function parseUnsubscribe({ bucket, consumed }: JsonObject) {
  if (consumed !== undefined && !isWholeNumber(consumed, 0)) throw invalidCursor('consumed');
  return { bucket: parseBucketName(bucket), ...(consumed !== undefined && { consumed }) };
}

function parseReported(message: JsonObject): ReportedCursors {
  const cursors = parseCursors(message.cursors, 'cursors');
  const consumed = parseCursors(message.consumed, 'consumed');
  for (const [bucket, cursor] of consumed) {
    if (cursor <= (cursors.get(bucket) ?? -1)) continue;
    throw invalid(`consumed.${bucket}`, 'must be at most the cursor of the bucket in cursors');
  }
  return { cursors, consumed };
}

/** Returns the `id` of a message even if the rest is malformed, so that the error can name it. */
export function messageId(text: string): string | undefined {
  if (Buffer.byteLength(text) > LIMITS.actionBytes) return undefined;
  try {
    const { id } = parseObject(text);
    return isMessageId(id) ? id : undefined;
  } catch {
    return undefined;
  }
}

function isMessageId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= LIMITS.messageIdLength;
}

function parseObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (cause) {
    const rule = `must be JSON of at most ${LIMITS.jsonLevels} levels`;
    throw Object.assign(invalid('message', rule), { cause });
  }
  if (!isJsonObject(value)) throw invalid('message', 'must be a JSON object');
  return value;
}

/** Parses the fields of a `subscribe` message. Throws invalid_request. */
export function parseSubscribeRequest(fields: {
  readonly bucket?: unknown;
  readonly cursor?: unknown;
  readonly prefix?: unknown;
  readonly bucket_id?: unknown;
}): SubscribeRequest {
  const { cursor, prefix: sent = '', bucket_id: bucketId } = fields;
  if (cursor !== undefined && !isWholeNumber(cursor, 0)) throw invalidCursor('cursor');
  const prefix = parsePrefix(sent);
  return {
    bucket: parseBucketName(fields.bucket),
    prefix,
    ...(cursor !== undefined && { cursor }),
    ...(bucketId !== undefined && { bucketId: parseBucketId(bucketId) }),
  };
}

/** Parses the query of a handshake or a page, whose values are strings. */
export function parseSubscribeQuery(query: (name: string) => string | undefined): SubscribeRequest {
  const cursor = query('cursor');
  return parseSubscribeRequest({
    bucket: query('bucket'),
    cursor: cursor !== undefined && /^\d{1,16}$/.test(cursor) ? Number(cursor) : cursor,
    prefix: query('prefix'),
    bucket_id: query('bucket_id'),
  });
}

function parseCursors(value: unknown, field: string): ReadonlyMap<string, number> {
  if (value === undefined) return new Map();
  if (!isJsonObject(value)) {
    throw invalid(field, 'must be an object of cursors by bucket name');
  }
  const entries = Object.entries(value);
  if (entries.length > LIMITS.subscriptionsPerConnection) {
    throw invalid(field, `must name at most ${LIMITS.subscriptionsPerConnection} buckets`);
  }
  return new Map(
    entries.map(([bucket, cursor]) => {
      if (!isWholeNumber(cursor, 0))
        throw invalidCursor(`${field}.${parseBucketName(bucket, field)}`);
      return [parseBucketName(bucket, field), cursor];
    }),
  );
}

function invalidCursor(field: string) {
  return invalid(field, 'must be a whole number from 0');
}
