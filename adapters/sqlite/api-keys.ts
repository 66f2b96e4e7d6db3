import type { ApiKeyRecord, AuditLog, AuditRecord, KeyStore } from '../../core/access/ports';
import type { Database } from './database';
import { json, parsed, parsedAll } from './rows';

/** The KeyStore port. */
export class SqliteKeyStore implements KeyStore {
  /** `changed`: called with the id of each key that was changed, once that is durable. */
  constructor(
    private readonly database: Database,
    private readonly changed: (keyId: string) => void = () => {},
  ) {}

  async get(id: string): Promise<ApiKeyRecord | undefined> {
    return parsed(this.database.get('SELECT record FROM api_keys WHERE id = ?', id));
  }

  async list(
    limit: number,
    after = '',
  ): Promise<{ readonly keys: readonly ApiKeyRecord[]; readonly next?: string }> {
    const rows = this.database.all(
      'SELECT id, record FROM api_keys WHERE id > ? AND session_of IS NULL ORDER BY id LIMIT ?',
      ...[after, limit + 1],
    );
    const keys = parsedAll<ApiKeyRecord>(rows.slice(0, limit));
    const next = rows.length > limit ? keys.at(-1)?.id : undefined;
    return { keys, ...(next !== undefined && { next }) };
  }

  async sessionsOf(actorId: string): Promise<readonly ApiKeyRecord[]> {
    const sql = 'SELECT record FROM api_keys WHERE session_of = ?';
    return parsedAll(this.database.all(sql, actorId));
  }

  async save(record: ApiKeyRecord, audit: AuditRecord): Promise<boolean> {
    const isSaved = await this.database.write((tx) => {
      const { id, kind, actorId, expiresAt, revision = 0 } = record;
      const stored = tx.get('SELECT revision FROM api_keys WHERE id = ?', [id]);
      if (stored ? Number(stored.revision) + 1 !== revision : revision !== 0) return false;
      const session = kind === 'session' ? (actorId ?? '') : null;
      tx.run('INSERT OR REPLACE INTO api_keys VALUES (?, ?, ?, ?, ?)', [
        ...[id, session, session === null ? null : (expiresAt ?? null), revision, json(record)],
      ]);
      tx.run('INSERT INTO audit VALUES (?, ?)', [audit.id, json(audit)]);
      return true;
    });
    if (isSaved) this.changed(record.id);
    return isSaved;
  }

  /** Removes the keys of sessions that ended before `at`, ISO 8601 UTC. */
  async removeSessions(at: string): Promise<void> {
    await this.database.writeSoon((tx) =>
      tx.run('DELETE FROM api_keys WHERE session_of IS NOT NULL AND ends_at < ?', [at]),
    );
  }
}

/** The AuditLog port. */
export class SqliteAuditLog implements AuditLog {
  constructor(private readonly database: Database) {}

  async list(
    limit: number,
    before?: string,
  ): Promise<{ readonly records: readonly AuditRecord[]; readonly more: boolean }> {
    const rows =
      before === undefined
        ? this.database.all('SELECT record FROM audit ORDER BY id DESC LIMIT ?', limit + 1)
        : this.database.all(
            'SELECT record FROM audit WHERE id < ? ORDER BY id DESC LIMIT ?',
            ...[before, limit + 1],
          );
    return { records: parsedAll(rows.slice(0, limit)), more: rows.length > limit };
  }
}
