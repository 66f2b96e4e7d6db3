/**
 * Which id a bucket's name stands for. Remembered per function instance, so that reading or writing
 * an object costs no look-up of its bucket. A remembered id may be stale after the bucket was
 * deleted (and made again), which is safe:
 * - a write fails when it asks for its number (BucketMoved), and is done again under the new id;
 * - a record found under a stale id cannot be live, because a bucket is only deleted empty; so "not
 *   found" is checked again against the bucket itself, and "found" is right.
 */
import type { BucketRef } from '../bucket-ref';
import { ServiceError, unavailable } from '../errors';
import { StaleBucketRef } from '../log/commit';
import type { BucketRecord, Buckets } from './ports';

const REMEMBERED = 10_000;

export class BucketIds {
  private readonly ids = new Map<string, string>();

  constructor(private readonly buckets: Pick<Buckets, 'get'>) {}

  /** AWS calls: none when remembered, else 1 GetItem. Throws not_found. */
  async resolve(name: string): Promise<BucketRef> {
    const id = this.ids.get(name);
    return id === undefined ? this.refresh(name) : { name, id };
  }

  /** 1 GetItem, consistent. Throws not_found. */
  async refresh(name: string): Promise<BucketRecord> {
    const record = await this.buckets.get(name);
    if (!record) {
      this.ids.delete(name);
      throw bucketNotFound(name);
    }
    if (this.ids.size >= REMEMBERED) this.ids.clear();
    this.ids.set(name, record.id);
    return record;
  }

  /** Runs a write under the bucket's id, once more when the id turned out to be stale. */
  async write<T>(name: string, run: (bucket: BucketRef) => Promise<T>): Promise<T> {
    const bucket = await this.resolve(name);
    try {
      return await run(bucket);
    } catch (error) {
      if (!(error instanceof StaleBucketRef)) throw error;
      const record = await this.refresh(name);
      // The same bucket, closing: its deletion either succeeds (then 404) or is undone.
      if (record.id === bucket.id) throw unavailable(error);
      return run(record);
    }
  }

  /** Runs a read under the bucket's id; `undefined` is only believed of the bucket's present id. */
  async read<T>(
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

export function bucketNotFound(name: string): ServiceError {
  return new ServiceError('not_found', {
    message: `there is no bucket named ${name}`,
    details: { bucket: name },
  });
}
