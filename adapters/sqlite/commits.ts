import type { BucketRef } from '../../core/bucket-ref';
import { ServiceError, unavailable } from '../../core/errors';
import { LIMITS } from '../../core/limits';
import { entryOf } from '../../core/log/entries';
import type { Change, ChangeEntry, Commit, CommitOutcome, Commits } from '../../core/log/ports';
import { dueSlotOf } from '../../core/objects/expiry';
import type { Upload } from '../../core/store/uploads';
import type { Database, Transaction } from './database';
import { isRepeated, saveIdempotency } from './idempotency';
import { json, parsed, secondsAt } from './rows';
import { isOpen, putUpload, uploadIn } from './uploads';

/** Commits whose repetition is recognized. A commit is repeated by the request that made it. */
const MAX_RECENT = 1000;

/** The Commits port. */
export class SqliteCommits implements Commits {
  /** By token. */
  private readonly recent = new Map<string, Commit>();

  constructor(private readonly database: Database) {}

  /** Resolves before the cursors are durable: the commit that uses them is durable with them. */
  allocate({ name, id }: BucketRef, count = 1, ifCursor?: number): Promise<number | undefined> {
    return this.database.writeSoon((tx) => {
      const row = tx.get(
        'SELECT cursor FROM buckets WHERE name = ? AND id = ? AND closing_at IS NULL',
        [name, id],
      );
      if (row === undefined) return undefined;
      const cursor = Number(row.cursor);
      if (ifCursor !== undefined && cursor !== ifCursor) return undefined;
      tx.run('UPDATE buckets SET cursor = ? WHERE name = ?', [cursor + count, name]);
      return cursor + 1;
    });
  }

  async commit(commit: Commit): Promise<CommitOutcome> {
    const keys = new Set(commit.changes.map(({ object }) => object.key));
    if (keys.size < commit.changes.length) {
      throw new Error('a transaction writes an item only once');
    }
    const made = this.database.write((tx): CommitOutcome => {
      if (this.isRepetition(commit)) return { result: 'committed' };
      const refusal = judge(tx, commit);
      if (refusal !== undefined) return refusal;
      for (const change of commit.changes) store(tx, commit, change);
      saveIdempotency(tx, commit.idempotency);
      this.remember(commit);
      return { result: 'committed' };
    });
    return made.catch((cause: unknown) => {
      this.recent.delete(commit.token);
      if (cause instanceof ServiceError) return { result: 'unknown', cause };
      throw cause;
    });
  }

  /** Reports whether the commit was made already. Throws when its token is that of another one. */
  private isRepetition(commit: Commit): boolean {
    const made = this.recent.get(commit.token);
    if (made === undefined) return false;
    if (json(made) === json(commit)) return true;
    throw new Error(`token ${commit.token} was used by another commit`);
  }

  private remember(commit: Commit): void {
    this.recent.set(commit.token, commit);
    const [oldest] = this.recent.keys();
    if (this.recent.size > MAX_RECENT && oldest !== undefined) this.recent.delete(oldest);
  }
}

/** Returns why the commit is refused, or undefined when it is not. */
function judge(tx: Transaction, commit: Commit): CommitOutcome | undefined {
  const { bucketId, changes, at, idempotency } = commit;
  requireAllocated(tx, commit);
  const entries = changes.map(({ object }) => entryAt(tx, bucketId, object.cursor));
  const taken = entries.find((entry) => entry !== undefined);
  const changed = changes.some((change) => isSuperseded(tx, bucketId, change));
  const settled = changes.some(
    ({ uploadId }) => uploadId !== undefined && !isOpen(uploadIn(tx, uploadId)),
  );
  const isDuplicate = isRepeated(tx, idempotency, secondsAt(at));
  if (taken === undefined && !changed && !settled && !isDuplicate) return undefined;
  return { result: 'refused', ...(taken && { taken }), changed, settled, isDuplicate };
}

/** Throws `unavailable` when the allocation was lost with a transaction that the disk refused. */
function requireAllocated(tx: Transaction, { bucketId, changes }: Commit): void {
  const last = changes.at(-1)?.object;
  const sql = 'SELECT cursor FROM buckets WHERE name = ? AND id = ?';
  const bucket = last && tx.get(sql, [last.bucket, bucketId]);
  if (bucket && Number(bucket.cursor) < last.cursor) throw unavailable();
}

function entryAt(tx: Transaction, bucketId: string, cursor: number): ChangeEntry | undefined {
  const sql = 'SELECT entry FROM changes WHERE bucket_id = ? AND cursor = ?';
  return parsed(tx.get(sql, [bucketId, cursor]), 'entry');
}

/** The key has another record than the one that was read, or one of a later cursor. */
function isSuperseded(tx: Transaction, bucketId: string, { object, previous }: Change): boolean {
  const sql = 'SELECT cursor FROM objects WHERE bucket_id = ? AND key = ?';
  const row = tx.get(sql, [bucketId, object.key]);
  const cursor = row && Number(row.cursor);
  return cursor !== previous?.cursor || (cursor !== undefined && cursor >= object.cursor);
}

function store(tx: Transaction, commit: Commit, change: Change): void {
  const { bucketId } = commit;
  const { object, uploadId } = change;
  const { key, cursor, version } = object;
  tx.run('INSERT INTO changes VALUES (?, ?, ?)', [
    ...[bucketId, cursor, json(entryOf(commit, change))],
  ]);
  const slot = object.state === 'live' ? dueSlotOf(object) : undefined;
  const expiresAt = object.state === 'live' ? object.expiresAt : undefined;
  tx.run('INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?, ?, ?)', [
    ...[bucketId, key, cursor, json(object), slot ?? null, expiresAt ?? null],
  ]);
  const upload: Upload | undefined = uploadId === undefined ? undefined : uploadIn(tx, uploadId);
  if (upload === undefined) return;
  const ttl = secondsAt(commit.at) + LIMITS.uploadRowSeconds;
  putUpload(tx, { ...upload, state: 'committed', committed: { version, cursor }, ttl });
}
