/**
 * A SQLite file, or a database in memory. Writes that arrive together share one transaction, so
 * they share one fsync: https://www.sqlite.org/wal.html and
 * https://www.sqlite.org/pragma.html#pragma_synchronous.
 */
import Sqlite from 'libsql';
import { unavailable } from '../../core/errors';
import { migrate } from './schema';

export type Value = string | number | null | Uint8Array;

export type Row = Readonly<Record<string, unknown>>;

export interface DatabaseOptions {
  /** The path of the file. Absent: in memory. */
  readonly file?: string;
  /** `relaxed`: a commit does not wait for the disk. For tests. @default 'full' */
  readonly durability?: 'full' | 'relaxed';
}

/** A backup that begins or ends holds a lock for a moment. Milliseconds. */
const WAITS = 'busy_timeout = 5000';

/** Reads and writes inside the open transaction. */
export interface Transaction {
  get(sql: string, values: readonly Value[]): Row | undefined;
  all(sql: string, values: readonly Value[]): readonly Row[];
  /** Returns the number of rows that changed. */
  run(sql: string, values: readonly Value[]): number;
}

/** A transaction that is open, and the callers that wait for its end. */
interface Batch {
  readonly ends: ((error?: unknown) => void)[];
  failure?: unknown;
}

/**
 * Reads see what is committed, and only that: no response can show what a power failure undoes.
 * Every change runs alone, from its first read to its last write.
 */
export class Database {
  private readonly writer: Connection;
  private readonly reader: Connection;
  private batch?: Batch;

  /** Opens the database, or creates it. Throws when its schema is of a later release. */
  constructor({ file, durability = 'full' }: DatabaseOptions = {}) {
    if (file === undefined) {
      this.writer = new Connection(':memory:', []);
      this.reader = this.writer;
    } else {
      const synchronous = `synchronous = ${durability === 'full' ? 'FULL' : 'OFF'}`;
      this.writer = new Connection(file, [WAITS, 'journal_mode = WAL', synchronous]);
      this.reader = new Connection(file, [WAITS, 'query_only = ON']);
    }
    migrate(this.writer);
  }

  /** Returns the first row, as it is committed. */
  get(sql: string, ...values: readonly Value[]): Row | undefined {
    return this.reader.get(sql, values);
  }

  /** Returns all rows, as they are committed. */
  all(sql: string, ...values: readonly Value[]): readonly Row[] {
    return this.reader.all(sql, values);
  }

  /** As `all`, with what is not committed yet: for what `writeSoon` saves. */
  current(sql: string, ...values: readonly Value[]): readonly Row[] {
    return this.writer.all(sql, values);
  }

  /**
   * Runs the change, and resolves when it is durable. A change makes its checks before its first
   * write: what it throws itself undoes nothing. Throws `unavailable` when the disk is full or
   * fails.
   */
  async write<T>(change: (tx: Transaction) => T): Promise<T> {
    const batch = this.begin();
    const result = run(batch, change, this.writer);
    await new Promise<void>((resolve, reject) => {
      batch.ends.push((error) => (error === undefined ? resolve() : reject(error)));
    });
    return result;
  }

  /**
   * Runs the change, and resolves at once. It becomes durable before or with every later write. For
   * what no response shows, such as a cursor that was allocated and not committed yet.
   */
  async writeSoon<T>(change: (tx: Transaction) => T): Promise<T> {
    return run(this.begin(), change, this.writer);
  }

  /** Ends the open transaction and closes the file. */
  close(): void {
    if (this.batch) this.commit(this.batch);
    if (this.reader !== this.writer) this.reader.close();
    this.writer.close();
  }

  private begin(): Batch {
    if (this.batch) return this.batch;
    this.writer.run('BEGIN IMMEDIATE', []);
    const batch: Batch = { ends: [] };
    this.batch = batch;
    // After the requests that have already arrived.
    setImmediate(() => this.commit(batch));
    return batch;
  }

  private commit(batch: Batch): void {
    if (this.batch !== batch) return;
    this.batch = undefined;
    let { failure } = batch;
    try {
      this.writer.run(failure === undefined ? 'COMMIT' : 'ROLLBACK', []);
    } catch (error) {
      failure ??= unavailable(error);
      if (this.writer.isInTransaction) this.writer.run('ROLLBACK', []);
    }
    for (const end of batch.ends) end(failure);
  }
}

/** Runs a change. What fails in SQLite fails the whole transaction: a part of it may be undone. */
function run<T>(batch: Batch, change: (tx: Transaction) => T, writer: Connection): T {
  try {
    return change(writer);
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError)) throw error;
    batch.failure ??= unavailable(error);
    throw batch.failure;
  }
}

/** A connection with its prepared statements. */
class Connection implements Transaction {
  private readonly sqlite: Sqlite.Database;
  private readonly statements = new Map<string, Sqlite.Statement>();

  constructor(file: string, pragmas: readonly string[]) {
    this.sqlite = new Sqlite(file);
    for (const pragma of pragmas) this.sqlite.pragma(pragma);
  }

  get isInTransaction(): boolean {
    return this.sqlite.inTransaction;
  }

  get(sql: string, values: readonly Value[]): Row | undefined {
    return this.prepared(sql).get(...values) as Row | undefined;
  }

  all(sql: string, values: readonly Value[]): readonly Row[] {
    return this.prepared(sql).all(...values) as readonly Row[];
  }

  run(sql: string, values: readonly Value[]): number {
    return this.prepared(sql).run(...values).changes;
  }

  exec(sql: string): void {
    this.sqlite.exec(sql);
  }

  close(): void {
    this.sqlite.close();
  }

  private prepared(sql: string): Sqlite.Statement {
    const known = this.statements.get(sql);
    if (known) return known;
    const statement = this.sqlite.prepare(sql);
    this.statements.set(sql, statement);
    return statement;
  }
}
