/** Requests about consumers. */
import { StowageError } from './errors';
import { type Http, REQUEST_MS } from './http';
import type { RequestOptions, WriteOptions } from './options';
import { segment } from './paths';
import { isRecord } from './resources';

/** A consumer, as it was stored. */
export interface StoredConsumer {
  /** Name of its bucket. */
  readonly bucket: string;
  /** The incarnation of the bucket. */
  readonly bucket_id: string;
  /** Its name within the bucket. */
  readonly name: string;
  /** It follows the keys that begin with it; absent: all keys. */
  readonly prefix?: string;
  /** The consumer is done with every change up to this cursor. */
  readonly cursor: number;
  /** When the cursor was stored; ISO 8601 UTC with milliseconds. */
  readonly updated_at: string;
}

/** A consumer, and how far it is behind. */
export interface Consumer extends StoredConsumer {
  /** Cursors between it and the newest published change. */
  readonly lag: number;
  /** Age of the oldest change that it is not done with, seconds; 0 when there is none. */
  readonly lag_seconds: number;
  /** Changes after its cursor are no longer kept: it has to start over. */
  readonly behind_retention: boolean;
}

/** A page of the consumers of a bucket, by name. */
export interface ConsumerPage {
  /** The consumers. */
  readonly consumers: readonly Consumer[];
  /** Token of the next page; absent on the last page. */
  readonly next_page_token?: string;
}

/** The new cursor of a consumer; docs/api.md, "Consumers". */
export interface ConsumerOptions extends WriteOptions {
  /** It is done with every change up to this cursor. */
  readonly cursor: number;
  /**
   * Moves the consumer only from this cursor, forward or back; null: only creates it.
   *
   * @default any cursor that is not beyond `cursor`, or none
   */
  readonly ifCursor?: number | null | undefined;
  /** It follows the keys that begin with it. Never changes. @default every key */
  readonly prefix?: string | undefined;
  /** The incarnation of the bucket to which `cursor` belongs. */
  readonly bucketId?: string | undefined;
}

/** Options of `consumers.list`. */
export interface ListConsumersOptions extends RequestOptions {
  /** 1 to 1000. @default 100 */
  readonly limit?: number | undefined;
  /** `next_page_token` of the previous page. */
  readonly pageToken?: string | undefined;
}

function consumersPath(bucket: string): string {
  return `buckets/${segment(bucket, 'a bucket')}/consumers`;
}

export function consumerPath(bucket: string, name: string): string {
  return `${consumersPath(bucket)}/${segment(name, 'a consumer')}`;
}

/** Stores, reads and deletes consumers: `client.consumers`. */
export class ConsumerRequests {
  readonly #http: Http;

  /** @internal */
  constructor(http: Http) {
    this.#http = http;
  }

  /**
   * Stores the cursor of a consumer, and creates the consumer if there is none. Throws StowageError
   * `precondition_failed` when the consumer would go back, or is not at `ifCursor`;
   * `cursor_expired`; `conflict` for another prefix, or for one consumer too many.
   */
  async put(bucket: string, name: string, options: ConsumerOptions): Promise<StoredConsumer> {
    const { cursor, ifCursor, prefix, bucketId, signal } = options;
    const body = { cursor, if_cursor: ifCursor, prefix, bucket_id: bucketId };
    const idempotencyKey = this.#http.idempotencyKey(options.idempotencyKey);
    const request = { idempotencyKey, signal };
    const stored = await this.#http.put(consumerPath(bucket, name), body, request);
    if (isRecord(stored) && typeof stored.cursor === 'number') return stored as never;
    throw new StowageError('invalid_answer', 'the response of the service is not a consumer');
  }

  /** Returns a consumer with its lag. Throws StowageError `not_found`. */
  async get(bucket: string, name: string, { signal }: RequestOptions = {}): Promise<Consumer> {
    const path = consumerPath(bucket, name);
    const found = await this.#http.json({ path, signal, timeoutMs: REQUEST_MS });
    if (isRecord(found) && typeof found.lag === 'number') return found as never;
    throw new StowageError('invalid_answer', 'the response of the service is not a consumer');
  }

  /** Returns one page of the consumers of a bucket whose keys the API key may follow. */
  async list(bucket: string, options: ListConsumersOptions = {}): Promise<ConsumerPage> {
    const { limit, pageToken, signal } = options;
    const page = await this.#http.json({
      path: consumersPath(bucket),
      query: { limit, page_token: pageToken },
      signal,
      timeoutMs: REQUEST_MS,
    });
    if (isRecord(page) && Array.isArray(page.consumers)) return page as never;
    throw new StowageError(
      'invalid_answer',
      'the response of the service is not a list of consumers',
    );
  }

  /** Deletes a consumer. Throws StowageError `not_found` when there is none. */
  async delete(bucket: string, name: string, { signal }: RequestOptions = {}): Promise<void> {
    const path = consumerPath(bucket, name);
    await this.#http.request({ method: 'DELETE', path, signal, timeoutMs: REQUEST_MS });
  }
}
