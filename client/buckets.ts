/** Requests about buckets. */
import { StowageError } from './errors';
import { type Http, REQUEST_MS } from './http';
import { isRecord } from './resources';

/** Deletes the objects under a prefix when their version is so many days old. */
export interface LifecycleRule {
  /** Only keys that begin with it. @default every key */
  readonly prefix?: string;
  /** 1 to 36,500. */
  readonly expire_after_days: number;
}

/** A bucket as it is now. */
export interface Bucket {
  /** Its name. */
  readonly name: string;
  /** When it was created; ISO 8601 UTC with milliseconds. */
  readonly created_at: string;
  /** The cursor up to which the change log has no gap. */
  readonly cursor: number;
  /** Number of objects; absent for a key that is confined to prefixes. */
  readonly object_count?: number;
  /** Bytes of the current versions; as `object_count`. */
  readonly total_size?: number;
  /** Absent when there are none, and for a key that is confined to prefixes. */
  readonly lifecycle?: readonly LifecycleRule[];
}

/** Describes buckets, and sets their lifecycle rules: `client.buckets`. */
export class BucketRequests {
  readonly #http: Http;

  /** @internal */
  constructor(http: Http) {
    this.#http = http;
  }

  /** Returns the bucket. Throws StowageError `not_found` when there is no such bucket. */
  get(name: string, options: { signal?: AbortSignal } = {}): Promise<Bucket> {
    return this.#request(name, { method: 'GET', signal: options.signal });
  }

  /**
   * Replaces the rules by which objects of the bucket expire, and returns the bucket. Throws
   * StowageError `forbidden` unless the key may delete every object of the bucket.
   */
  setLifecycle(
    name: string,
    lifecycle: readonly LifecycleRule[],
    options: { signal?: AbortSignal } = {},
  ): Promise<Bucket> {
    const body = JSON.stringify({ lifecycle });
    return this.#request(name, { method: 'PATCH', body, signal: options.signal });
  }

  async #request(
    name: string,
    request: { method: 'GET' | 'PATCH'; body?: string; signal?: AbortSignal },
  ): Promise<Bucket> {
    const path = `buckets/${encodeURIComponent(name)}`;
    const response = await this.#http.json({ ...request, path, timeoutMs: REQUEST_MS });
    if (isRecord(response) && typeof response.name === 'string') {
      return response as unknown as Bucket;
    }
    throw new StowageError('invalid_answer', 'the response of the service is not a bucket');
  }
}
