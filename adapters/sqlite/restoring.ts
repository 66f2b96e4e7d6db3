import type { BucketRef } from '../../core/bucket-ref';
import type { Restoring } from '../../core/maintenance/recovery/ports';
import type { BucketStats } from '../../core/store/buckets';
import type { Database } from './database';
import { json, parsed } from './rows';

/** The Restoring port. */
export class SqliteRestoring implements Restoring {
  constructor(private readonly database: Database) {}

  skip({ name, id }: BucketRef, to: number): Promise<boolean> {
    return this.database.write((tx) => {
      const sql = 'SELECT cursor, stats FROM buckets WHERE name = ? AND id = ?';
      const row = tx.get(sql, [name, id]);
      if (row === undefined || Number(row.cursor) >= to) return false;
      const before = parsed<BucketStats>(row, 'stats');
      const { objectCount = 0, totalSize = 0 } = before ?? {};
      const marks = { oldest: to + 1, trimmed: to + 1, published: to };
      tx.run(
        `UPDATE buckets SET cursor = ?, stats = ?, closing_at = NULL, closing_by = NULL, corrected = -1
         WHERE name = ?`,
        [to, json({ id, ...marks, objectCount, totalSize }), name],
      );
      return true;
    });
  }

  dropEntries(bucketId: string, to: number): Promise<number> {
    return this.database.write((tx) =>
      tx.run('DELETE FROM changes WHERE bucket_id = ? AND cursor <= ?', [bucketId, to]),
    );
  }
}
