import type { AuditRecord, KeyHolder } from '../../core/access/ports';
import type { BucketRef } from '../../core/bucket-ref';
import { isPushLeaseValid } from '../../core/log/push-lease';
import type { NameRange, Page } from '../../core/pages';
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
} from '../../core/store/buckets';
import type { IdempotencyRecord } from '../../core/store/uploads';
import type { Database, Row, Transaction } from './database';
import { isRepeated, saveIdempotency } from './idempotency';
import { json, pageOf, parsed, parsedAll, secondsAt } from './rows';

const OF = 'WHERE name = ? AND id = ?';

/** The Buckets port. */
export class SqliteBuckets implements Buckets {
  constructor(private readonly database: Database) {}

  async get(name: string): Promise<BucketRecord | undefined> {
    return recordOf(this.row(name));
  }

  async stats(name: string): Promise<BucketStats | undefined> {
    return parsed(this.row(name), 'stats');
  }

  async list({ from, before }: NameRange, limit: number): Promise<Page<ListedBucket>> {
    const rows =
      before === undefined
        ? this.database.current(
            'SELECT * FROM buckets WHERE name >= ? ORDER BY name LIMIT ?',
            from,
            limit + 1,
          )
        : this.database.current(
            'SELECT * FROM buckets WHERE name >= ? AND name < ? ORDER BY name LIMIT ?',
            from,
            before,
            limit + 1,
          );
    const items = rows.flatMap((row) => {
      const record = recordOf(row);
      const stats = parsed<BucketStats>(row, 'stats');
      return record && stats ? [{ record, stats }] : [];
    });
    return pageOf(items, limit);
  }

  create(
    record: BucketRecord,
    idempotency?: IdempotencyRecord,
  ): Promise<'created' | 'exists' | 'duplicate'> {
    return this.database.write((tx) => {
      if (isRepeated(tx, idempotency, secondsAt(record.createdAt))) return 'duplicate';
      const { name, id, cursor, createdAt } = record;
      if (tx.get('SELECT 1 FROM buckets WHERE name = ?', [name])) return 'exists';
      const marks = { oldest: 1, trimmed: 1, published: 0 };
      const stats: BucketStats = { id, ...marks, objectCount: 0, totalSize: 0 };
      tx.run('INSERT INTO buckets (name, id, cursor, created_at, stats) VALUES (?, ?, ?, ?, ?)', [
        name,
        id,
        cursor,
        createdAt,
        json(stats),
      ]);
      saveIdempotency(tx, idempotency);
      return 'created';
    });
  }

  close({ name, id }: BucketRef, at: string, by?: KeyHolder): Promise<BucketRecord | undefined> {
    return this.database.write((tx) => {
      const holder = by ? json(by) : null;
      tx.run(`UPDATE buckets SET closing_at = ?, closing_by = coalesce(?, closing_by) ${OF}`, [
        at,
        holder,
        name,
        id,
      ]);
      return recordOf(tx.get(`SELECT * FROM buckets ${OF}`, [name, id]));
    });
  }

  async reopen({ name, id }: BucketRef): Promise<void> {
    await this.database.write((tx) =>
      tx.run(`UPDATE buckets SET closing_at = NULL, closing_by = NULL ${OF}`, [name, id]),
    );
  }

  remove(
    deleted: DeletedBucket,
    { idempotency, audit }: { idempotency?: IdempotencyRecord; audit?: AuditRecord } = {},
  ): Promise<boolean> {
    return this.database.write((tx) => {
      const { name, id, cursor, trimmed, deletedAt } = deleted;
      const stored = recordOf(tx.get(`SELECT * FROM buckets ${OF}`, [name, id]));
      if (stored?.closingAt === undefined || stored.cursor !== cursor) return false;
      if (isRepeated(tx, idempotency, secondsAt(deletedAt))) return false;
      tx.run(`DELETE FROM buckets ${OF}`, [name, id]);
      const record = json({ name, id, cursor, trimmed, deletedAt });
      tx.run('INSERT OR REPLACE INTO deleted_buckets VALUES (?, ?)', [id, record]);
      if (audit) tx.run('INSERT OR REPLACE INTO audit VALUES (?, ?)', [audit.id, json(audit)]);
      saveIdempotency(tx, idempotency);
      return true;
    });
  }

  movePublished(bucket: BucketRef, step: PublishedStep): Promise<boolean> {
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

  acquirePushLease(
    bucket: BucketRef,
    lease: StoredPushLease & { readonly now: number; readonly published: number },
  ): Promise<boolean> {
    const { holder, until, now, published } = lease;
    return this.changeStats(bucket, (stats) => {
      const { pushLease: held } = stats;
      const isFree = !held || held.holder === holder || !isPushLeaseValid(held.until, now);
      if (stats.published !== published || !isFree) return undefined;
      return { ...stats, pushLease: { holder, until } };
    });
  }

  extendPushLease(bucket: BucketRef, { holder, until }: StoredPushLease): Promise<boolean> {
    return this.changeStats(bucket, (stats) =>
      stats.pushLease?.holder === holder ? { ...stats, pushLease: { holder, until } } : undefined,
    );
  }

  async raiseOldest(bucket: BucketRef, oldest: number): Promise<void> {
    // Bytes are removed after it.
    await this.database.write((tx) =>
      setStats(tx, bucket, (stats) => (stats.oldest < oldest ? { ...stats, oldest } : undefined)),
    );
  }

  async raiseTrimmed(bucket: BucketRef, trimmed: number): Promise<void> {
    await this.changeStats(bucket, (stats) =>
      stats.trimmed < trimmed ? { ...stats, trimmed } : undefined,
    );
  }

  async correct(bucket: BucketRef, { asOf, objects, bytes }: CounterCorrection): Promise<void> {
    await this.database.write((tx) => {
      const { name, id } = bucket;
      const isNew = tx.run(`UPDATE buckets SET corrected = ? ${OF} AND corrected < ?`, [
        asOf,
        name,
        id,
        asOf,
      ]);
      if (isNew === 0) return;
      setStats(tx, bucket, (stats) => ({
        ...stats,
        objectCount: stats.objectCount + objects,
        totalSize: stats.totalSize + bytes,
      }));
    });
  }

  async lifecycle(name: string): Promise<readonly LifecycleRule[]> {
    const row = this.database.get('SELECT lifecycle FROM buckets WHERE name = ?', name);
    return row?.lifecycle ? JSON.parse(String(row.lifecycle)) : [];
  }

  setLifecycle(
    { name, rules }: RuledBucket,
    at: string,
    idempotency?: IdempotencyRecord,
  ): Promise<'set' | 'missing' | 'duplicate'> {
    return this.database.write((tx) => {
      if (isRepeated(tx, idempotency, secondsAt(at))) return 'duplicate';
      const value = rules.length > 0 ? json(rules) : null;
      if (tx.run('UPDATE buckets SET lifecycle = ? WHERE name = ?', [value, name]) === 0) {
        return 'missing';
      }
      saveIdempotency(tx, idempotency);
      return 'set';
    });
  }

  async nextWithLifecycle(from: string): Promise<RuledBucket | undefined> {
    const row = this.database.get(
      'SELECT name, lifecycle FROM buckets WHERE name >= ? AND lifecycle IS NOT NULL ORDER BY name LIMIT 1',
      from,
    );
    return row && { name: String(row.name), rules: JSON.parse(String(row.lifecycle)) };
  }

  async deletedBuckets(): Promise<readonly DeletedBucket[]> {
    return parsedAll(this.database.all('SELECT record FROM deleted_buckets'));
  }

  async purge(id: string): Promise<void> {
    await this.database.write((tx) => tx.run('DELETE FROM deleted_buckets WHERE id = ?', [id]));
  }

  private row(name: string): Row | undefined {
    return this.database.current('SELECT * FROM buckets WHERE name = ?', name)[0];
  }

  /**
   * Applies `change` to the statistics of that incarnation. Returns false when it does not apply.
   * What it saves can be computed again from the log, so nobody waits for the disk.
   */
  private changeStats(
    bucket: BucketRef,
    change: (stats: BucketStats) => BucketStats | undefined,
  ): Promise<boolean> {
    return this.database.writeSoon((tx) => setStats(tx, bucket, change));
  }
}

function setStats(
  tx: Transaction,
  { name, id }: BucketRef,
  change: (stats: BucketStats) => BucketStats | undefined,
): boolean {
  const stats = parsed<BucketStats>(tx.get(`SELECT stats FROM buckets ${OF}`, [name, id]), 'stats');
  const changed = stats && change(stats);
  if (changed === undefined) return false;
  tx.run(`UPDATE buckets SET stats = ? ${OF}`, [json(changed), name, id]);
  return true;
}

function recordOf(row: Row | undefined): BucketRecord | undefined {
  if (row === undefined) return undefined;
  const { name, id, cursor, created_at, closing_at, closing_by } = row;
  return {
    name: String(name),
    id: String(id),
    cursor: Number(cursor),
    createdAt: String(created_at),
    ...(closing_at !== null && { closingAt: String(closing_at) }),
    ...(closing_by !== null && { closingBy: JSON.parse(String(closing_by)) }),
  };
}
