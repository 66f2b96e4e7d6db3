/**
 * The ids of buckets by name, cached per function instance, so that reading or writing an object
 * needs no look-up of its bucket. A cached id is stale after the bucket was deleted (and created
 * again), which is safe:
 * - a write fails when it allocates its cursor (StaleBucketRef), and is repeated under the new id;
 * - only an empty bucket is deleted, so no live object is found under a stale id. A live object
 *   that is found is therefore right; "not found" is checked again under the bucket's present id.
 */
import { type BucketRef, StaleBucketRef } from '../bucket-ref';
import { unavailable } from '../errors';
import { bucketNotFound } from '../not-found';
import type { BucketRecord, Buckets } from '../store/buckets';

/** Each entry has a few hundred bytes: together some MB of the function's memory. */
const MAX_CACHED = 10_000;

export class BucketIds {
  private readonly ids = new Map<string, string>();

  constructor(private readonly buckets: Pick<Buckets, 'get'>) {}

  /**
   * Returns the bucket of that name. AWS calls: none when cached, else 1 GetItem. Throws not_found.
   */
  async resolve(name: string): Promise<BucketRef> {
    const id = this.ids.get(name);
    return id === undefined ? this.refresh(name) : { name, id };
  }

  /** Reads the bucket's record. AWS calls: 1 GetItem, consistent. Throws not_found. */
  async refresh(name: string): Promise<BucketRecord> {
    const record = await this.buckets.get(name);
    if (!record) {
      this.ids.delete(name);
      throw bucketNotFound(name);
    }
    if (this.ids.size >= MAX_CACHED) this.ids.clear();
    this.ids.set(name, record.id);
    return record;
  }

  /** Runs a write under the bucket's id, and once more when the cached id was stale. */
  async runWrite<T>(name: string, run: (bucket: BucketRef) => Promise<T>): Promise<T> {
    const bucket = await this.resolve(name);
    try {
      return await run(bucket);
    } catch (error) {
      if (!(error instanceof StaleBucketRef)) throw error;
      const record = await this.refresh(name);
      // The same bucket is closing: its deletion succeeds (then 404), or is undone.
      if (record.id === bucket.id) throw unavailable(error);
      return run(record);
    }
  }

  /**
   * Runs a read under the bucket's id, and once more when it returns `undefined` for a stale id.
   */
  async runRead<T>(
    name: string,
    run: (bucket: BucketRef) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const bucket = await this.resolve(name);
    const found = await run(bucket);
    if (found !== undefined) return found;
    const record = await this.refresh(name);
    return record.id === bucket.id ? undefined : run(record);
  }
}
