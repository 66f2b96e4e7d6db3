import type { NameRange, Page } from '../../core/pages';
import type { DueObject, ObjectRecord, Objects, ShownRecord } from '../../core/store/objects';
import type { Database } from './database';
import { pageOf, parsed, parsedAll } from './rows';
import { shownOf } from './shown';

/** The Objects port. */
export class SqliteObjects implements Objects {
  constructor(private readonly database: Database) {}

  async get(bucketId: string, key: string): Promise<ObjectRecord | undefined> {
    return parsed(
      this.database.get(
        'SELECT record FROM objects WHERE bucket_id = ? AND key = ?',
        bucketId,
        key,
      ),
    );
  }

  async getMany(bucketId: string, keys: readonly string[]): Promise<readonly ObjectRecord[]> {
    const rows = this.database.all(
      'SELECT record FROM objects WHERE bucket_id = ? AND key IN (SELECT value FROM json_each(?))',
      bucketId,
      JSON.stringify(keys),
    );
    return parsedAll(rows);
  }

  async list(
    bucketId: string,
    { from, before }: NameRange,
    limit: number,
  ): Promise<Page<ObjectRecord>> {
    const sql = 'SELECT record FROM objects WHERE bucket_id = ? AND key >= ?';
    const rows =
      before === undefined
        ? this.database.all(`${sql} ORDER BY key LIMIT ?`, bucketId, from, limit + 1)
        : this.database.all(
            `${sql} AND key < ? ORDER BY key LIMIT ?`,
            ...[bucketId, from, before, limit + 1],
          );
    return pageOf(parsedAll<ObjectRecord>(rows), limit);
  }

  async listShown(bucketId: string, range: NameRange, limit: number): Promise<Page<ShownRecord>> {
    const { items, more } = await this.list(bucketId, range, limit);
    return { items: items.map(shownOf), more };
  }

  async due(
    slot: string,
    until: string,
    limit: number,
    after?: DueObject,
  ): Promise<Page<DueObject>> {
    const columns = 'SELECT bucket_id, key, expires_at FROM objects';
    const order = 'ORDER BY expires_at, bucket_id, key LIMIT ?';
    const rows =
      after === undefined
        ? this.database.all(
            `${columns} WHERE due_slot = ? AND expires_at <= ? ${order}`,
            ...[slot, until, limit + 1],
          )
        : this.database.all(
            `${columns} WHERE due_slot = ? AND expires_at <= ? AND (expires_at, bucket_id, key) > (?, ?, ?) ${order}`,
            ...[slot, until, after.expiresAt, after.bucketId, after.key, limit + 1],
          );
    const items = rows.map(({ bucket_id, key, expires_at }) => ({
      bucketId: String(bucket_id),
      key: String(key),
      expiresAt: String(expires_at),
    }));
    return pageOf(items, limit);
  }

  async removeTombstone(bucketId: string, key: string, cursor: number): Promise<void> {
    await this.database.write((tx) => {
      const place = [bucketId, key, cursor];
      const where = 'WHERE bucket_id = ? AND key = ? AND cursor = ?';
      const record = parsed<ObjectRecord>(tx.get(`SELECT record FROM objects ${where}`, place));
      if (record?.state === 'deleted') tx.run(`DELETE FROM objects ${where}`, place);
    });
  }
}
