/** Requests about buckets. */
import { StowageError } from './errors';
import { type Http, REQUEST_MS } from './http';
import type { RequestOptions, WriteOptions } from './options';
import { segment } from './paths';
import { isRecord } from './resources';

/** Deletes the objects below a prefix some days after their last change. */
export interface LifecycleRule {
  /** Only keys that begin with it. @default every key */
  readonly prefix?: string | undefined;
  /** 1 to 36,500. */
  readonly expire_after_days: number;
}

/** A bucket: docs/api.md, "Buckets". */
export interface Bucket {
  /** Its name. */
  readonly name: string;
  /** When it was created; ISO 8601 UTC with milliseconds. */
  readonly created_at: string;
  /** The cursor up to which its change log has no gap. */
  readonly cursor: number;
  /**
   * Number of objects, a few seconds late; absent when every permission of the key has a prefix.
   */
  readonly object_count?: number;
  /** Bytes of the objects; late or absent like `object_count`. */
  readonly total_size?: number;
  /** Absent when there are none, and for a key that is confined to prefixes. */
  readonly lifecycle?: readonly LifecycleRule[];
}

/** Creates, lists and deletes buckets, and sets their lifecycle rules: `client.buckets`. */
export class BucketRequests {
  readonly #http: Http;

  /** @internal */
  constructor(http: Http) {
    this.#http = http;
  }

  /** Creates a bucket. Throws StowageError `conflict` when there is one of that name. */
  async create(name: string, options: WriteOptions = {}): Promise<Bucket> {
    const { idempotencyKey, signal } = options;
    const response = await this.#http.post(
      'buckets',
      { name },
      { idempotencyKey: this.#http.idempotencyKey(idempotencyKey), signal },
    );
    return bucketOf(response);
  }

  /** Returns a bucket. Throws StowageError `not_found` when there is no such bucket. */
  async get(name: string, options: RequestOptions = {}): Promise<Bucket> {
    const { signal } = options;
    return bucketOf(await this.#http.json({ path: pathOf(name), signal, timeoutMs: REQUEST_MS }));
  }

  /** Returns the buckets that the key may see, in the order of their names, page by page. */
  async *list(options: RequestOptions = {}): AsyncGenerator<Bucket, void, undefined> {
    const { signal } = options;
    let token: string | undefined;
    do {
      const query = { limit: 1000, page_token: token };
      const page = await this.#http.json({ path: 'buckets', query, signal, timeoutMs: REQUEST_MS });
      if (!isRecord(page) || !Array.isArray(page.buckets)) throw invalidAnswer();
      for (const bucket of page.buckets) yield bucketOf(bucket);
      token = typeof page.next_page_token === 'string' ? page.next_page_token : undefined;
    } while (token !== undefined);
  }

  /**
   * Replaces the rules by which objects of the bucket expire, and returns the bucket. Throws
   * StowageError `forbidden` unless the key may delete every object of the bucket.
   */
  async setLifecycle(
    name: string,
    lifecycle: readonly LifecycleRule[],
    options: RequestOptions = {},
  ): Promise<Bucket> {
    const request = { method: 'PATCH', path: pathOf(name), isRepeatable: true } as const;
    const body = JSON.stringify({ lifecycle });
    const { signal } = options;
    return bucketOf(await this.#http.json({ ...request, body, signal, timeoutMs: REQUEST_MS }));
  }

  /** Deletes a bucket. Throws StowageError `conflict` when it contains objects. */
  async delete(name: string, options: WriteOptions = {}): Promise<void> {
    const { idempotencyKey, signal } = options;
    const headers = { 'idempotency-key': this.#http.idempotencyKey(idempotencyKey) };
    const path = pathOf(name);
    await this.#http.request({ method: 'DELETE', path, headers, signal, timeoutMs: REQUEST_MS });
  }
}

function pathOf(name: string): string {
  return `buckets/${segment(name, 'a bucket')}`;
}

function bucketOf(value: unknown): Bucket {
  if (isRecord(value) && typeof value.name === 'string') return value as unknown as Bucket;
  throw invalidAnswer();
}

function invalidAnswer(): StowageError {
  return new StowageError('invalid_answer', 'the response of the service is not a bucket');
}
