import type { AdvanceTimes, Consumer, ConsumerId, Consumers } from '../../core/consumers/ports';
import { LIMITS } from '../../core/limits';
import type { Page } from '../../core/pages';
import type { IdempotencyRecord } from '../../core/store/uploads';
import type { Clock } from '../../core/system';
import type { Database, Row } from './database';
import { isRepeated, saveIdempotency } from './idempotency';
import { pageOf, secondsNow } from './rows';

const ONE = 'SELECT * FROM consumers WHERE bucket_id = ? AND name = ?';

/** The Consumers port. */
export class SqliteConsumers implements Consumers {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async get({ bucketId, name }: ConsumerId): Promise<Consumer | undefined> {
    const row = this.database.get(ONE, bucketId, name);
    return row && consumerOf(row);
  }

  async list(bucketId: string, limit: number, after = ''): Promise<Page<Consumer>> {
    const rows = this.database.all(
      'SELECT * FROM consumers WHERE bucket_id = ? AND name > ? ORDER BY name LIMIT ?',
      ...[bucketId, after, limit + 1],
    );
    return pageOf(rows.map(consumerOf), limit);
  }

  async all(): Promise<readonly Consumer[]> {
    return this.database.all('SELECT * FROM consumers').map(consumerOf);
  }

  put(
    consumer: Consumer,
    previous: number | undefined,
    idempotency?: IdempotencyRecord,
  ): Promise<'stored' | 'changed' | 'full' | 'duplicate'> {
    return this.database.write((tx) => {
      if (isRepeated(tx, idempotency, secondsNow(this.clock))) return 'duplicate';
      const { bucketId, name, prefix, cursor, updatedAt } = consumer;
      const row = tx.get(ONE, [bucketId, name]);
      const present = row && consumerOf(row);
      if (present?.cursor !== previous || (present && present.prefix !== prefix)) return 'changed';
      const count = tx.get('SELECT count(*) AS n FROM consumers WHERE bucket_id = ?', [bucketId]);
      if (!present && Number(count?.n) >= LIMITS.consumersPerBucket) return 'full';
      const values = [bucketId, name, prefix, cursor, updatedAt];
      tx.run('INSERT OR REPLACE INTO consumers VALUES (?, ?, ?, ?, ?)', values);
      saveIdempotency(tx, idempotency);
      return 'stored';
    });
  }

  advance(
    { bucketId, name, prefix }: ConsumerId & Pick<Consumer, 'prefix'>,
    cursor: number,
    { now, notAfter }: AdvanceTimes,
  ): Promise<boolean> {
    return this.database.write((tx) => {
      const row = tx.get(ONE, [bucketId, name]);
      const present = row && consumerOf(row);
      if (present?.prefix !== prefix || present.cursor >= cursor) return false;
      if (Date.parse(present.updatedAt) > notAfter) return false;
      tx.run('UPDATE consumers SET cursor = ?, updated_at = ? WHERE bucket_id = ? AND name = ?', [
        ...[cursor, new Date(now).toISOString(), bucketId, name],
      ]);
      return true;
    });
  }

  remove(
    { bucketId, name }: ConsumerId,
    idempotency?: IdempotencyRecord,
  ): Promise<'removed' | 'absent' | 'duplicate'> {
    return this.database.write((tx) => {
      if (isRepeated(tx, idempotency, secondsNow(this.clock))) return 'duplicate';
      const sql = 'DELETE FROM consumers WHERE bucket_id = ? AND name = ?';
      if (tx.run(sql, [bucketId, name]) === 0) return 'absent';
      saveIdempotency(tx, idempotency);
      return 'removed';
    });
  }

  async removeAll(bucketId: string): Promise<void> {
    await this.database.write((tx) =>
      tx.run('DELETE FROM consumers WHERE bucket_id = ?', [bucketId]),
    );
  }
}

function consumerOf({ bucket_id, name, prefix, cursor, updated_at }: Row): Consumer {
  return {
    bucketId: String(bucket_id),
    name: String(name),
    prefix: String(prefix),
    cursor: Number(cursor),
    updatedAt: String(updated_at),
  };
}
