import Sqlite from 'libsql';

/** Content as the database names it. */
export interface StoredContent {
  readonly blob: string;
  readonly size: number;
  readonly etag: string;
  readonly bytes?: Buffer;
  readonly files: readonly { readonly name: string; readonly size: number }[];
}

type Row = Readonly<Record<string, unknown>>;

/**
 * The state of a database at one moment, for checks and copies of it. The process that writes
 * the database is not disturbed.
 */
export class Snapshot {
  private readonly sqlite: Sqlite.Database;

  constructor(file: string) {
    this.sqlite = new Sqlite(file, { fileMustExist: true });
    this.sqlite.pragma('query_only = ON');
    this.sqlite.exec('BEGIN');
    // The moment is that of the first read.
    this.sqlite.prepare('SELECT count(*) FROM buckets').get();
  }

  /** Writes the state of a database to a new file. */
  static write(source: string, target: string): void {
    const sqlite = new Sqlite(source, { fileMustExist: true });
    try {
      sqlite.prepare('VACUUM INTO ?').run(target);
    } finally {
      sqlite.close();
    }
  }

  close(): void {
    this.sqlite.exec('COMMIT');
    this.sqlite.close();
  }

  /** Returns what SQLite finds wrong with its pages and indexes. */
  damage(): readonly string[] {
    const rows = this.all('PRAGMA integrity_check').map(({ integrity_check: text }) =>
      String(text),
    );
    return rows.filter((text) => text !== 'ok');
  }

  /** Returns the names of the files of content. */
  files(): readonly string[] {
    return this.all('SELECT name FROM files ORDER BY name').map(({ name }) => String(name));
  }

  buckets() {
    return this.all('SELECT name, id, cursor, stats FROM buckets ORDER BY name').map((row) => ({
      name: String(row.name),
      id: String(row.id),
      cursor: Number(row.cursor),
      oldest: Number(JSON.parse(String(row.stats)).oldest),
    }));
  }

  objectCount(): number {
    const [row] = this.all(
      "SELECT count(*) AS n FROM objects WHERE json_extract(record, '$.state') = 'live'",
    );
    return Number(row?.n);
  }

  /**
   * Yields the cursors below the last entry that have none. A cursor above it may have been
   * allocated by a request that failed.
   */
  *missingCursors(bucketId: string, oldest: number, cursor: number): Generator<number> {
    const rows = this.sqlite
      .prepare('SELECT cursor FROM changes WHERE bucket_id = ? AND cursor >= ? ORDER BY cursor')
      .iterate(bucketId, oldest) as IterableIterator<Row>;
    let expected = oldest;
    for (const row of rows) {
      for (; expected < Number(row.cursor) && expected <= cursor; expected++) yield expected;
      expected += 1;
    }
  }

  /** Returns the current and the earlier versions whose content has no row. */
  withoutContent() {
    const rows = this.all(`
      SELECT json_extract(entry, '$.bucket') AS bucket, json_extract(entry, '$.object.key') AS key,
        cursor FROM changes
      WHERE json_extract(entry, '$.object.blob') IS NOT NULL
        AND json_extract(entry, '$.object.blob') NOT IN (SELECT blob FROM blobs)
      UNION
      SELECT json_extract(record, '$.bucket'), key, cursor FROM objects
      WHERE json_extract(record, '$.blob') IS NOT NULL
        AND json_extract(record, '$.blob') NOT IN (SELECT blob FROM blobs)`);
    return rows.map(({ bucket, key, cursor }) => ({
      bucket: String(bucket),
      key: String(key),
      cursor: Number(cursor),
    }));
  }

  /** Yields the content of all blobs and parts. */
  *content(): Generator<StoredContent> {
    const sql = 'SELECT blob, size, etag, bytes, files FROM blobs';
    for (const row of this.sqlite.prepare(sql).iterate() as IterableIterator<Row>) {
      const named: [string, number][] = row.files === null ? [] : JSON.parse(String(row.files));
      yield {
        blob: String(row.blob),
        size: Number(row.size),
        etag: String(row.etag),
        ...(row.bytes !== null && { bytes: bytesOf(row.bytes) }),
        files: named.map(([name, size]) => ({ name, size })),
      };
    }
    const parts = 'SELECT multipart_id, number, size, etag, bytes, file FROM parts';
    for (const row of this.sqlite.prepare(parts).iterate() as IterableIterator<Row>) {
      const size = Number(row.size);
      yield {
        blob: `part ${row.number} of the upload ${row.multipart_id}`,
        size,
        etag: String(row.etag),
        ...(row.bytes !== null && { bytes: bytesOf(row.bytes) }),
        files: row.file === null ? [] : [{ name: String(row.file), size }],
      };
    }
  }

  private all(sql: string): readonly Row[] {
    return this.sqlite.prepare(sql).all() as readonly Row[];
  }
}

/** libsql gives an iterator's bytes as an ArrayBuffer. */
function bytesOf(value: unknown): Buffer {
  return value instanceof ArrayBuffer ? Buffer.from(value) : (value as Buffer);
}
