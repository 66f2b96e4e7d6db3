import { LIMITS } from '../../core/limits';
import type { PendingCopies, PendingCopy } from '../../core/store/copies';
import type {
  ExpiredUploads,
  IdempotencyRecord,
  StagedContent,
  Upload,
  Uploads,
} from '../../core/store/uploads';
import type { Clock } from '../../core/system';
import type { Database, Transaction } from './database';
import { isRepeated, saveIdempotency } from './idempotency';
import { json, parsed, parsedAll, secondsAt, secondsNow } from './rows';

/** Uploads that one call of `expired` returns at most. */
const PAGE = 100;

/** The Uploads port. */
export class SqliteUploads implements Uploads {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  create(upload: Upload, idempotency?: IdempotencyRecord): Promise<'created' | 'duplicate'> {
    return this.database.write((tx) => create(tx, upload, idempotency, secondsNow(this.clock)));
  }

  async get(id: string): Promise<Upload | undefined> {
    return parsed(this.database.get('SELECT record FROM uploads WHERE id = ?', id));
  }

  renew(upload: Upload): Promise<boolean> {
    return this.database.write((tx) => {
      if (uploadIn(tx, upload.id)?.state !== 'pending') return false;
      putUpload(tx, upload);
      return true;
    });
  }

  stage(id: string, staged: StagedContent, expiresAt: string): Promise<boolean> {
    return this.database.write((tx) => {
      const upload = uploadIn(tx, id);
      if (upload?.state !== 'pending') return false;
      const ttl = secondsAt(expiresAt) + LIMITS.uploadRowSeconds;
      putUpload(tx, { ...upload, state: 'staged', staged, expiresAt, ttl });
      return true;
    });
  }

  refuse(id: string, reason: string): Promise<Upload['state'] | undefined> {
    return this.database.write((tx) => {
      const upload = uploadIn(tx, id);
      if (!upload || !isOpen(upload)) return upload?.state;
      const ttl = secondsNow(this.clock) + LIMITS.uploadRowSeconds;
      putUpload(tx, { ...upload, state: 'refused', reason, ttl });
      return 'refused';
    });
  }

  async expired(at: string, start = ''): Promise<ExpiredUploads> {
    const rows = this.database.all(
      "SELECT record FROM uploads WHERE state IN ('pending', 'staged') AND id > ? AND expires_at < ? ORDER BY id LIMIT ?",
      ...[start, at, PAGE + 1],
    );
    const uploads = parsedAll<Upload>(rows.slice(0, PAGE));
    const next = rows.length > PAGE ? uploads.at(-1)?.id : undefined;
    return { uploads, ...(next !== undefined && { next }) };
  }

  saveIdempotencyRecord(record: IdempotencyRecord, now: number): Promise<boolean> {
    return this.database.write((tx) => {
      if (isRepeated(tx, record, now)) return false;
      saveIdempotency(tx, record);
      return true;
    });
  }

  async getIdempotencyRecord(id: string, now: number): Promise<IdempotencyRecord | undefined> {
    const sql = 'SELECT record FROM idempotency WHERE id = ? AND expires_at > ?';
    return parsed(this.database.get(sql, id, now));
  }

  /** Removes what nobody can ask for any more: DynamoDB does so by its time to live. */
  async removeExpired(): Promise<void> {
    const now = secondsNow(this.clock);
    await this.database.writeSoon((tx) => {
      tx.run('DELETE FROM uploads WHERE ttl < ?', [now]);
      tx.run('DELETE FROM idempotency WHERE expires_at < ?', [now]);
    });
  }
}

/** The PendingCopies port. */
export class SqlitePendingCopies implements PendingCopies {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  begin(upload: Upload, idempotency?: IdempotencyRecord): Promise<'created' | 'duplicate'> {
    return this.database.write((tx) => {
      const outcome = create(tx, upload, idempotency, secondsNow(this.clock));
      if (outcome === 'created') tx.run('INSERT INTO pending_copies VALUES (?, 0)', [upload.id]);
      return outcome;
    });
  }

  async list(): Promise<readonly PendingCopy[]> {
    const rows = this.database.all('SELECT id, until FROM pending_copies ORDER BY id LIMIT 1000');
    return rows.map(({ id, until }) => ({ id: String(id), until: Number(until) }));
  }

  claim({ id, until: held }: PendingCopy, until: number): Promise<PendingCopy | undefined> {
    return this.database.write((tx) => {
      const sql = 'UPDATE pending_copies SET until = ? WHERE id = ? AND until = ?';
      return tx.run(sql, [until, id, held]) > 0 ? { id, until } : undefined;
    });
  }

  async remove(id: string): Promise<void> {
    await this.database.write((tx) => tx.run('DELETE FROM pending_copies WHERE id = ?', [id]));
  }
}

/** The upload may still be committed or refused. */
export function isOpen(upload: Upload | undefined): boolean {
  return upload?.state === 'pending' || upload?.state === 'staged';
}

export function uploadIn(tx: Transaction, id: string): Upload | undefined {
  return parsed(tx.get('SELECT record FROM uploads WHERE id = ?', [id]));
}

export function putUpload(tx: Transaction, upload: Upload): void {
  const { id, state, expiresAt, ttl } = upload;
  const row = [id, state, expiresAt, ttl, json(upload)];
  tx.run('INSERT OR REPLACE INTO uploads VALUES (?, ?, ?, ?, ?)', row);
}

function create(
  tx: Transaction,
  upload: Upload,
  idempotency: IdempotencyRecord | undefined,
  now: number,
): 'created' | 'duplicate' {
  if (isRepeated(tx, idempotency, now)) return 'duplicate';
  if (uploadIn(tx, upload.id)) throw new Error(`upload ${upload.id} exists`);
  putUpload(tx, upload);
  saveIdempotency(tx, idempotency);
  return 'created';
}
