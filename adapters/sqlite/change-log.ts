import type { ChangeEntry, ChangeLog, ShownEntry } from '../../core/log/ports';
import type { Database } from './database';
import { json, parsed, parsedAll } from './rows';
import { shownEntryOf } from './shown';

const AT = 'WHERE bucket_id = ? AND cursor = ?';

/** Entries that one call of `read` covers at most. */
const MAX_ENTRIES = 1000;

/** The ChangeLog port. */
export class SqliteChangeLog implements ChangeLog {
  constructor(private readonly database: Database) {}

  async get(bucketId: string, cursor: number): Promise<ChangeEntry | undefined> {
    return parsed(this.database.get(`SELECT entry FROM changes ${AT}`, bucketId, cursor), 'entry');
  }

  async read(bucketId: string, after: number, to: number): Promise<readonly ChangeEntry[]> {
    if (to - after > MAX_ENTRIES) {
      throw new RangeError(`at most ${MAX_ENTRIES} entries at once, asked ${to - after}`);
    }
    const rows = this.database.all(
      'SELECT entry FROM changes WHERE bucket_id = ? AND cursor > ? AND cursor <= ? ORDER BY cursor',
      ...[bucketId, after, to],
    );
    return parsedAll(rows, 'entry');
  }

  async readShown(bucketId: string, after: number, to: number): Promise<readonly ShownEntry[]> {
    return (await this.read(bucketId, after, to)).map(shownEntryOf);
  }

  fill(bucketId: string, entry: Extract<ChangeEntry, { type: 'noop' }>): Promise<ChangeEntry> {
    return this.database.write((tx) => {
      const { cursor } = entry;
      const stored = tx.get(`SELECT entry FROM changes ${AT}`, [bucketId, cursor]);
      const present = parsed<ChangeEntry>(stored, 'entry');
      if (present) return present;
      tx.run('INSERT INTO changes VALUES (?, ?, ?)', [bucketId, cursor, json(entry)]);
      return entry;
    });
  }

  async remove(bucketId: string, cursors: readonly number[]): Promise<void> {
    await this.database.write((tx) => {
      for (const cursor of cursors) tx.run(`DELETE FROM changes ${AT}`, [bucketId, cursor]);
    });
  }
}
