import type { BucketRef } from '../../core/bucket-ref';
import type {
  CursorStep,
  Registration,
  TargetCursor,
  TargetCursors,
  TargetLease,
} from '../../core/targets/ports';
import type { Database, Row } from './database';
import { json } from './rows';

const AT = 'WHERE target = ? AND bucket_id = ?';
const INSERT =
  'INSERT INTO target_cursors (target, bucket_id, bucket, cursor, failures, holder, until)';

/** The TargetCursors port. */
export class SqliteTargetCursors implements TargetCursors {
  constructor(private readonly database: Database) {}

  register(target: string, now: number): Promise<Registration> {
    return this.database.write((tx) => {
      tx.run('INSERT OR IGNORE INTO registrations VALUES (?, ?, 0)', [target, now]);
      const row = tx.get('SELECT since, complete FROM registrations WHERE target = ?', [target]);
      return { since: Number(row?.since), complete: row?.complete === 1 };
    });
  }

  async completeRegistration(target: string): Promise<void> {
    await this.database.write((tx) =>
      tx.run('UPDATE registrations SET complete = 1 WHERE target = ?', [target]),
    );
  }

  async initialize(target: string, { name, id }: BucketRef, cursor: number): Promise<void> {
    await this.database.write((tx) =>
      tx.run(`${INSERT} VALUES (?, ?, ?, ?, 0, NULL, 0) ON CONFLICT DO NOTHING`, [
        ...[target, id, json({ name, id }), cursor],
      ]),
    );
  }

  async get(target: string, bucketId: string): Promise<TargetCursor | undefined> {
    const row = this.database.get(`SELECT * FROM target_cursors ${AT}`, target, bucketId);
    return row && targetCursorOf(row);
  }

  async list(target: string): Promise<readonly TargetCursor[]> {
    const rows = this.database.all('SELECT * FROM target_cursors WHERE target = ?', target);
    return rows.map(targetCursorOf);
  }

  acquireLease(
    target: string,
    { name, id }: BucketRef,
    { holder, until, now }: TargetLease & { readonly now: number },
  ): Promise<TargetCursor | undefined> {
    return this.database.write((tx) => {
      const row = tx.get(
        `${INSERT} VALUES (?, ?, ?, 0, 0, ?, ?)
         ON CONFLICT DO UPDATE SET holder = excluded.holder, until = excluded.until
         WHERE until <= ? RETURNING *`,
        [target, id, json({ name, id }), holder, until, now],
      );
      return row && targetCursorOf(row);
    });
  }

  advance(target: string, bucketId: string, step: CursorStep): Promise<boolean> {
    const { from, to, holder, until } = step;
    if (to < from) return Promise.resolve(false);
    return this.database.write((tx) => {
      const changed = tx.run(
        `UPDATE target_cursors SET cursor = ?, failures = iif(? > cursor, 0, failures),
           holder = ?, until = ? ${AT} AND holder = ? AND cursor = ?`,
        [
          ...[to, to, until === undefined ? null : holder, until ?? 0],
          ...[target, bucketId, holder, from],
        ],
      );
      return changed > 0;
    });
  }

  async backOff(target: string, bucketId: string, { holder, until }: TargetLease): Promise<void> {
    await this.database.write((tx) =>
      tx.run(
        `UPDATE target_cursors SET failures = failures + 1, holder = NULL, until = ? ${AT} AND holder = ?`,
        [until, target, bucketId, holder],
      ),
    );
  }

  async remove(target: string, bucketId: string): Promise<void> {
    await this.database.write((tx) =>
      tx.run(`DELETE FROM target_cursors ${AT}`, [target, bucketId]),
    );
  }
}

function targetCursorOf({ bucket, cursor, failures }: Row): TargetCursor {
  return {
    bucket: JSON.parse(String(bucket)),
    cursor: Number(cursor),
    failures: Number(failures),
  };
}
