import type { AuditRecord, KeyHolder } from '../../../../core/access/ports';
import type { BucketRef } from '../../../../core/bucket-ref';
import { isPushLeaseValid } from '../../../../core/log/push-lease';
import type { NameRange, Page } from '../../../../core/pages';
import type {
  BucketRecord,
  BucketStats,
  Buckets,
  CounterCorrection,
  DeletedBucket,
  LifecycleRule,
  ListedBucket,
  PublishedStep,
  RuledBucket,
  StoredPushLease,
} from '../../../../core/store/buckets';
import type { IdempotencyRecord } from '../../../../core/store/uploads';
import { copy, epochSeconds, type FakeState, namesIn } from '../state';

/** The Buckets port in memory. */
export class FakeBuckets implements Buckets {
  constructor(private readonly state: FakeState) {}

  async get(name: string): Promise<BucketRecord | undefined> {
    return copy(this.state.buckets.get(name));
  }

  async stats(name: string): Promise<BucketStats | undefined> {
    return copy(this.state.stats.get(name));
  }

  async list(range: NameRange, limit: number): Promise<Page<ListedBucket>> {
    const names = namesIn(this.state.buckets.keys(), range);
    const items = names.slice(0, limit).flatMap((name) => {
      const record = this.state.buckets.get(name);
      const stats = this.state.stats.get(name);
      return record && stats ? [{ record: copy(record), stats: copy(stats) }] : [];
    });
    return { items, more: names.length > limit };
  }

  async create(
    record: BucketRecord,
    replay?: IdempotencyRecord,
  ): Promise<'created' | 'exists' | 'duplicate'> {
    if (this.state.isReplayed(replay, epochSeconds(record.createdAt))) return 'duplicate';
    if (this.state.buckets.has(record.name)) return 'exists';
    this.state.buckets.set(record.name, copy(record));
    this.state.stats.set(record.name, {
      id: record.id,
      oldest: 1,
      trimmed: 1,
      published: 0,
      objectCount: 0,
      totalSize: 0,
    });
    this.state.saveIdempotencyRecord(replay);
    return 'created';
  }

  async close(bucket: BucketRef, at: string, by?: KeyHolder): Promise<BucketRecord | undefined> {
    const record = this.record(bucket);
    if (record === undefined) return undefined;
    const closing = { ...record, closingAt: at, ...(by && { closingBy: by }) };
    this.state.buckets.set(bucket.name, closing);
    return copy(closing);
  }

  async reopen(bucket: BucketRef): Promise<void> {
    const record = this.record(bucket);
    if (record === undefined) return;
    const { closingAt: _, closingBy: __, ...open } = record;
    this.state.buckets.set(bucket.name, open);
  }

  async remove(
    deleted: DeletedBucket,
    saved: { readonly idempotency?: IdempotencyRecord; readonly audit?: AuditRecord } = {},
  ): Promise<boolean> {
    const { idempotency: replay, audit } = saved;
    const { name, id, cursor, trimmed, deletedAt } = deleted;
    const stored = this.record(deleted);
    if (stored?.closingAt === undefined || stored.cursor !== cursor) return false;
    if (this.state.isReplayed(replay, epochSeconds(deletedAt))) return false;
    this.state.buckets.delete(name);
    this.state.stats.delete(name);
    this.state.lifecycles.delete(name);
    this.state.deletedBuckets.set(id, { name, id, cursor, trimmed, deletedAt });
    if (audit) this.state.audit.set(audit.id, copy(audit));
    this.state.saveIdempotencyRecord(replay);
    return true;
  }

  async lifecycle(name: string): Promise<readonly LifecycleRule[]> {
    return copy(this.state.lifecycles.get(name) ?? []);
  }

  async setLifecycle(
    { name, rules }: RuledBucket,
    at: string,
    replay?: IdempotencyRecord,
  ): Promise<'set' | 'missing' | 'duplicate'> {
    if (this.state.isReplayed(replay, epochSeconds(at))) return 'duplicate';
    if (!this.state.buckets.has(name)) return 'missing';
    if (rules.length > 0) this.state.lifecycles.set(name, copy(rules));
    else this.state.lifecycles.delete(name);
    this.state.saveIdempotencyRecord(replay);
    return 'set';
  }

  async nextWithLifecycle(from: string): Promise<RuledBucket | undefined> {
    const [name] = namesIn(this.state.lifecycles.keys(), { from });
    return name === undefined ? undefined : { name, rules: await this.lifecycle(name) };
  }

  async movePublished(bucket: BucketRef, step: PublishedStep): Promise<boolean> {
    return this.changeStats(bucket, ({ pushLease, ...stats }) =>
      stats.published !== step.from
        ? undefined
        : {
            ...stats,
            ...(pushLease && !step.endsLease && { pushLease }),
            published: step.to,
            ...(step.digest && { digest: { ...step.digest, at: step.to } }),
            objectCount: stats.objectCount + step.objects,
            totalSize: stats.totalSize + step.bytes,
          },
    );
  }

  async acquirePushLease(
    bucket: BucketRef,
    { holder, until, now, published }: StoredPushLease & { now: number; published: number },
  ): Promise<boolean> {
    return this.changeStats(bucket, (stats) => {
      const { pushLease: held } = stats;
      const isFree = !held || held.holder === holder || !isPushLeaseValid(held.until, now);
      if (stats.published !== published || !isFree) return undefined;
      return { ...stats, pushLease: { holder, until } };
    });
  }

  async extendPushLease(bucket: BucketRef, { holder, until }: StoredPushLease): Promise<boolean> {
    return this.changeStats(bucket, (stats) =>
      stats.pushLease?.holder === holder ? { ...stats, pushLease: { holder, until } } : undefined,
    );
  }

  async raiseOldest(bucket: BucketRef, oldest: number): Promise<void> {
    this.changeStats(bucket, (stats) => (stats.oldest < oldest ? { ...stats, oldest } : undefined));
  }

  async raiseTrimmed(bucket: BucketRef, trimmed: number): Promise<void> {
    this.changeStats(bucket, (stats) =>
      stats.trimmed < trimmed ? { ...stats, trimmed } : undefined,
    );
  }

  async correct(bucket: BucketRef, { asOf, objects, bytes }: CounterCorrection): Promise<void> {
    if ((this.state.corrected.get(bucket.id) ?? -1) >= asOf) return;
    const corrected = this.changeStats(bucket, (stats) => ({
      ...stats,
      objectCount: stats.objectCount + objects,
      totalSize: stats.totalSize + bytes,
    }));
    if (corrected) this.state.corrected.set(bucket.id, asOf);
  }

  async deletedBuckets(): Promise<readonly DeletedBucket[]> {
    return [...this.state.deletedBuckets.values()].map(copy);
  }

  async purge(id: string): Promise<void> {
    this.state.deletedBuckets.delete(id);
  }

  private record({ name, id }: BucketRef): BucketRecord | undefined {
    const record = this.state.buckets.get(name);
    return record?.id === id ? record : undefined;
  }

  /** Applies `change` to the stats of that incarnation; returns false when it does not apply. */
  private changeStats(
    { name, id }: BucketRef,
    change: (stats: BucketStats) => BucketStats | undefined,
  ): boolean {
    const stats = this.state.stats.get(name);
    const changed = stats?.id === id ? change(stats) : undefined;
    if (changed === undefined) return false;
    this.state.stats.set(name, changed);
    return true;
  }
}
