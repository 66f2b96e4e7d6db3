import type { Link, LinkId, Links } from '../../core/links/ports';
import type { IdempotencyRecord } from '../../core/store/uploads';
import type { Clock } from '../../core/system';
import type { Database } from './database';
import { isRepeated, saveIdempotency } from './idempotency';
import { json, pageOf, parsed, parsedAll, secondsNow } from './rows';

const AT = 'WHERE bucket_id = ? AND hash = ?';

/** The Links port. */
export class SqliteLinks implements Links {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  create(link: Link, idempotency?: IdempotencyRecord): Promise<'created' | 'duplicate'> {
    return this.database.write((tx) => {
      const { bucketId, hash, expiresAt } = link;
      if (tx.get(`SELECT 1 FROM links ${AT}`, [bucketId, hash])) {
        throw new Error('the hash of the new link is in use');
      }
      if (isRepeated(tx, idempotency, secondsNow(this.clock))) return 'duplicate';
      const row = [bucketId, hash, expiresAt, json(link)];
      tx.run('INSERT INTO links (bucket_id, hash, expires_at, record) VALUES (?, ?, ?, ?)', row);
      saveIdempotency(tx, idempotency);
      return 'created';
    });
  }

  async get({ bucketId, hash }: LinkId): Promise<Link | undefined> {
    return parsed(this.database.get(`SELECT record FROM links ${AT}`, bucketId, hash));
  }

  async list(bucketId: string, limit: number, after = '') {
    const rows = this.database.all(
      'SELECT record FROM links WHERE bucket_id = ? AND hash > ? ORDER BY hash LIMIT ?',
      ...[bucketId, after, limit + 1],
    );
    return pageOf(parsedAll<Link>(rows), limit);
  }

  remove(
    { bucketId, hash }: LinkId,
    idempotency?: IdempotencyRecord,
  ): Promise<'removed' | 'absent' | 'duplicate'> {
    return this.database.write((tx) => {
      if (isRepeated(tx, idempotency, secondsNow(this.clock))) return 'duplicate';
      if (tx.run(`DELETE FROM links ${AT}`, [bucketId, hash]) === 0) return 'absent';
      saveIdempotency(tx, idempotency);
      return 'removed';
    });
  }

  use({ bucketId, hash }: LinkId, now: number): Promise<boolean> {
    return this.database.write((tx) => {
      const link = parsed<Link>(tx.get(`SELECT record FROM links ${AT}`, [bucketId, hash]));
      if (!link || Date.parse(link.expiresAt) <= now) return false;
      if (link.maxUses !== undefined && link.uses >= link.maxUses) return false;
      const record = json({ ...link, uses: link.uses + 1 });
      tx.run(`UPDATE links SET record = ?, attempts_until = 0 ${AT}`, [record, bucketId, hash]);
      return true;
    });
  }

  attempt(
    { bucketId, hash }: LinkId,
    now: number,
    { burst, intervalMs }: { readonly burst: number; readonly intervalMs: number },
  ): Promise<boolean> {
    return this.database.write((tx) => {
      const row = tx.get(`SELECT attempts_until FROM links ${AT}`, [bucketId, hash]);
      if (row === undefined) return false;
      const until = Math.max(Number(row.attempts_until), now);
      if (until > now + (burst - 1) * intervalMs) return false;
      const next = until + intervalMs;
      tx.run(`UPDATE links SET attempts_until = ? ${AT}`, [next, bucketId, hash]);
      return true;
    });
  }

  /** Removes the links that expired before `at`, ISO 8601 UTC. */
  async removeExpired(at: string): Promise<void> {
    await this.database.writeSoon((tx) => tx.run('DELETE FROM links WHERE expires_at < ?', [at]));
  }
}
