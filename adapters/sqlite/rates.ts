import type {
  HourUsage,
  KeyUse,
  Rates,
  TokenLease,
  TokenLeaseRequest,
  UsageCounts,
} from '../../core/access/ports';
import { addCounts } from '../../core/access/rate-limit-state';
import { available, isOverdrawn, taken, tokenBucketOf } from '../../core/access/token-bucket';
import type { Database, Row } from './database';
import { json } from './rows';

/** The Rates port. Nobody waits for the disk: a power failure may give tokens back. */
export class SqliteRates implements Rates {
  constructor(private readonly database: Database) {}

  lease(keyId: string, request: TokenLeaseRequest): Promise<TokenLease> {
    return this.database.writeSoon((tx) => {
      const row = tx.get('SELECT full_at, changed_at FROM rates WHERE key_id = ?', [keyId]);
      const changedAt = row?.changed_at;
      if (typeof changedAt === 'number' && changedAt >= request.knownUntil) {
        return { result: 'outdated', changedAt };
      }
      const fullAts: Record<string, number> = row ? JSON.parse(String(row.full_at)) : {};
      const bucket = tokenBucketOf(request.rate);
      const now = request.now * 1000;
      const stored = fullAts[request.class] ?? 0;
      const before = isOverdrawn(bucket, stored, now) ? now + bucket.depth : stored;
      const tokens = Math.min(request.maxTokens, available(bucket, before, now));
      const isGranted = tokens >= (request.minTokens ?? 1);
      const fullAt = isGranted ? taken(bucket, before, now, tokens) : before;
      tx.run(
        'INSERT INTO rates (key_id, full_at) VALUES (?, ?) ON CONFLICT DO UPDATE SET full_at = excluded.full_at',
        [keyId, json({ ...fullAts, [request.class]: fullAt })],
      );
      if (!isGranted) return { result: 'refused', fullAt };
      const [last] = tx.all(
        'SELECT hour, counts FROM key_hours WHERE key_id = ? ORDER BY hour DESC LIMIT 1',
        [keyId],
      );
      const current = `${new Date(request.now).toISOString().slice(0, 13)}:00:00.000Z`;
      // The clock may have been set back.
      const isLast = last !== undefined && String(last.hour) >= current;
      const counts = addCounts(isLast ? countsIn(last) : {}, request.counts);
      tx.run('INSERT OR REPLACE INTO key_hours VALUES (?, ?, ?)', [
        ...[keyId, isLast ? String(last.hour) : current, json(counts)],
      ]);
      return { result: 'granted', tokens, fullAt };
    });
  }

  async markChanged(keyId: string, at: number): Promise<void> {
    await this.database.write((tx) =>
      tx.run(
        `INSERT INTO rates (key_id, full_at, changed_at) VALUES (?, '{}', ?)
         ON CONFLICT DO UPDATE SET changed_at = max(coalesce(changed_at, 0), excluded.changed_at)`,
        [keyId, at],
      ),
    );
  }

  async uses(keyIds: readonly string[]): Promise<ReadonlyMap<string, KeyUse>> {
    const rows = this.database.current(
      `SELECT key_id, max(hour) AS hour, counts FROM key_hours
       WHERE key_id IN (SELECT value FROM json_each(?)) GROUP BY key_id`,
      JSON.stringify(keyIds),
    );
    return new Map(
      rows.map((row) => [
        String(row.key_id),
        { lastUsedAt: String(row.hour), counts: countsIn(row) },
      ]),
    );
  }

  async usage(keyId: string, days: readonly string[]): Promise<readonly HourUsage[]> {
    const rows = this.database.current(
      `SELECT hour, counts FROM key_hours
       WHERE key_id = ? AND substr(hour, 1, 10) IN (SELECT value FROM json_each(?)) ORDER BY hour`,
      ...[keyId, JSON.stringify(days)],
    );
    return rows.map((row) => ({ hour: String(row.hour), counts: countsIn(row) }));
  }
}

function countsIn(row: Row): UsageCounts {
  return JSON.parse(String(row.counts));
}
