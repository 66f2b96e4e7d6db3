/** The tables, and the steps from each version of them to the next. */

/** The connection, while its schema is made. */
export interface Migrated {
  get(sql: string, values: readonly []): Readonly<Record<string, unknown>> | undefined;
  exec(sql: string): void;
}

/**
 * The steps: the first makes version 1, the second makes version 2 of it, and so on. A step that
 * was released never changes. Records are JSON; columns are what a query needs. Names and keys
 * compare by the bytes of UTF-8, as in DynamoDB. Tables whose rows may exceed a quarter of a page
 * have a rowid, because SQLite gives each such row of the others a page of its own:
 * https://www.sqlite.org/withoutrowid.html
 */
const STEPS: readonly string[] = [
  `
  CREATE TABLE buckets (
    name TEXT PRIMARY KEY, id TEXT NOT NULL, cursor INTEGER NOT NULL, created_at TEXT NOT NULL,
    closing_at TEXT, closing_by TEXT, stats TEXT NOT NULL, lifecycle TEXT,
    corrected INTEGER NOT NULL DEFAULT -1
  ) WITHOUT ROWID;
  CREATE TABLE deleted_buckets (id TEXT PRIMARY KEY, record TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE objects (
    bucket_id TEXT NOT NULL, key TEXT NOT NULL, cursor INTEGER NOT NULL, record TEXT NOT NULL,
    due_slot TEXT, expires_at TEXT, PRIMARY KEY (bucket_id, key)
  ) WITHOUT ROWID;
  CREATE INDEX objects_due ON objects (due_slot, expires_at, bucket_id, key)
    WHERE due_slot IS NOT NULL;
  CREATE TABLE changes (
    bucket_id TEXT NOT NULL, cursor INTEGER NOT NULL, entry TEXT NOT NULL,
    PRIMARY KEY (bucket_id, cursor)
  );
  CREATE TABLE uploads (
    id TEXT PRIMARY KEY, state TEXT NOT NULL, expires_at TEXT NOT NULL, ttl INTEGER NOT NULL,
    record TEXT NOT NULL
  );
  CREATE INDEX uploads_open ON uploads (id) WHERE state IN ('pending', 'staged');
  CREATE INDEX uploads_ttl ON uploads (ttl);
  CREATE TABLE idempotency (
    id TEXT PRIMARY KEY, expires_at INTEGER NOT NULL, record TEXT NOT NULL
  );
  CREATE INDEX idempotency_expiry ON idempotency (expires_at);
  CREATE TABLE pending_copies (id TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE api_keys (
    id TEXT PRIMARY KEY, session_of TEXT, ends_at TEXT, revision INTEGER NOT NULL,
    record TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX api_keys_sessions ON api_keys (session_of) WHERE session_of IS NOT NULL;
  CREATE TABLE audit (id TEXT PRIMARY KEY, record TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE rates (key_id TEXT PRIMARY KEY, full_at TEXT NOT NULL, changed_at INTEGER)
    WITHOUT ROWID;
  CREATE TABLE key_hours (
    key_id TEXT NOT NULL, hour TEXT NOT NULL, counts TEXT NOT NULL, PRIMARY KEY (key_id, hour)
  ) WITHOUT ROWID;
  CREATE TABLE service_state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE consumers (
    bucket_id TEXT NOT NULL, name TEXT NOT NULL, prefix TEXT NOT NULL, cursor INTEGER NOT NULL,
    updated_at TEXT NOT NULL, PRIMARY KEY (bucket_id, name)
  ) WITHOUT ROWID;
  CREATE TABLE links (
    bucket_id TEXT NOT NULL, hash TEXT NOT NULL, expires_at TEXT NOT NULL, record TEXT NOT NULL,
    attempts_until INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (bucket_id, hash)
  );
  CREATE TABLE registrations (
    target TEXT PRIMARY KEY, since INTEGER NOT NULL, complete INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE target_cursors (
    target TEXT NOT NULL, bucket_id TEXT NOT NULL, bucket TEXT NOT NULL, cursor INTEGER NOT NULL,
    failures INTEGER NOT NULL, holder TEXT, until INTEGER NOT NULL,
    PRIMARY KEY (target, bucket_id)
  ) WITHOUT ROWID;
  CREATE TABLE blobs (
    blob TEXT PRIMARY KEY, size INTEGER NOT NULL, etag TEXT NOT NULL, checksum TEXT,
    properties TEXT NOT NULL, last_modified TEXT NOT NULL, bytes BLOB, files TEXT
  );
  CREATE TABLE multiparts (id TEXT PRIMARY KEY, blob TEXT NOT NULL, properties TEXT NOT NULL)
    WITHOUT ROWID;
  CREATE TABLE parts (
    multipart_id TEXT NOT NULL, number INTEGER NOT NULL, size INTEGER NOT NULL, etag TEXT NOT NULL,
    bytes BLOB, file TEXT, PRIMARY KEY (multipart_id, number)
  );
  CREATE TABLE files (name TEXT PRIMARY KEY) WITHOUT ROWID;
  `,
];

/**
 * Brings the schema to the version of this release, each step in a transaction. Throws for a file
 * of a later release: an older one would not know what it must keep.
 */
export function migrate(connection: Migrated): void {
  const row = connection.get('PRAGMA user_version', []);
  const version = Number(row?.user_version);
  if (version > STEPS.length) {
    throw new Error(
      `the data folder is of a later release (schema ${version}, this release knows ${STEPS.length}): start that release, or restore a backup`,
    );
  }
  for (const [index, step] of STEPS.entries()) {
    if (index < version) continue;
    connection.exec(`BEGIN IMMEDIATE; ${step} PRAGMA user_version = ${index + 1}; COMMIT;`);
  }
}
