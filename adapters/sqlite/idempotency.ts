/** The first responses to repeatable requests: each is saved with what its request changes. */
import type { IdempotencyRecord } from '../../core/store/uploads';
import type { Transaction } from './database';
import { json } from './rows';

/** Reports whether the record's key was used before and has not expired. `now`: epoch seconds. */
export function isRepeated(
  tx: Transaction,
  record: IdempotencyRecord | undefined,
  now: number,
): boolean {
  if (record === undefined) return false;
  const found = tx.get('SELECT 1 FROM idempotency WHERE id = ? AND expires_at > ?', [
    record.id,
    now,
  ]);
  return found !== undefined;
}

export function saveIdempotency(tx: Transaction, record: IdempotencyRecord | undefined): void {
  if (record === undefined) return;
  tx.run('INSERT OR REPLACE INTO idempotency VALUES (?, ?, ?)', [
    record.id,
    record.expiresAt,
    json(record),
  ]);
}
