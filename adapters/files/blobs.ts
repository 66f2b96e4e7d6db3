import { Readable } from 'node:stream';
import type { Page } from '../../core/pages';
import type {
  BlobContent,
  BlobProperties,
  Blobs,
  ByteRange,
  DownloadOptions,
  ListedBlob,
  PartOptions,
  PresignedRequest,
  UploadContent,
  UploadOptions,
} from '../../core/store/blobs';
import type { CopiedPart, PartCopies, PartsOf } from '../../core/store/copies';
import type { CopySource } from '../../core/store/uploads';
import type { Clock, Ids } from '../../core/system';
import type { Database, Row, Transaction } from '../sqlite/database';
import { damaged, joinedEtag, md5Of, verified } from './checksums';
import type { ContentFolder, Received, StoredFile } from './content-folder';
import type { ContentSigner } from './signer';

/** The type that S3 gives to content without one. */
const UNNAMED_TYPE = 'binary/octet-stream';

/** Blobs that one page of `list`, and one call of `remove`, has at most. */
const MAX_BLOBS = 1000;

interface Properties {
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
}

interface Deps {
  readonly database: Database;
  readonly folder: ContentFolder;
  readonly signer: ContentSigner;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'ulid'>;
}

/**
 * The Blobs and PartCopies ports: the bytes in files or, up to 64 KiB, in the database. A blob's
 * row is written after its files, and removed before them, so a row always has its bytes.
 */
export class FileBlobs implements Blobs {
  readonly bucketName = 'content';

  constructor(private readonly deps: Deps) {}

  async put(
    blob: string,
    body: Uint8Array,
    content: BlobContent,
  ): Promise<{ readonly etag: string }> {
    const received = await this.deps.folder.store(body, { sha256: true });
    if (received.sha256 !== content.checksumSha256) {
      await this.discard([received]);
      throw new Error(`BadDigest: the bytes of ${blob} do not have the checksum that was sent`);
    }
    if (await this.save(blob, received, content)) return { etag: received.md5 };
    const existing = await this.head(blob);
    const isSame = existing?.checksumSha256 === content.checksumSha256;
    if (existing && isSame) return { etag: existing.etag };
    throw new Error(`PreconditionFailed: ${blob} was written before`);
  }

  /** Stores what a client has sent. Returns false, and keeps nothing, when the blob exists. */
  async save(blob: string, received: Received, properties: UploadContent): Promise<boolean> {
    const { size, md5, sha256, bytes, file } = received;
    const files = file === undefined ? undefined : [{ name: file, size }];
    const stored = { size, etag: md5, checksum: sha256, properties, bytes, files };
    const isNew = await this.deps.database.write((tx) => this.insert(tx, blob, stored));
    if (!isNew) await this.discard([received]);
    return isNew;
  }

  async copy(
    source: CopySource,
    blob: string,
    content: Omit<BlobContent, 'checksumSha256'>,
  ): Promise<{ readonly etag: string } | undefined> {
    const row = this.row(source.blob);
    if (row === undefined || row.etag !== source.etag) return undefined;
    const files = await Promise.all((filesOf(row) ?? []).map((one) => this.deps.folder.copy(one)));
    const isNew = await this.deps.database.write((tx) =>
      this.insert(tx, blob, {
        size: Number(row.size),
        etag: String(row.etag),
        ...(row.checksum !== null && { checksum: String(row.checksum) }),
        properties: content,
        ...(row.bytes === null ? { files } : { bytes: row.bytes as Buffer }),
      }),
    );
    if (isNew) return { etag: String(row.etag) };
    await this.deps.folder.remove(files.map(({ name }) => name));
    // An earlier attempt has made the copy.
    const existing = await this.head(blob);
    if (existing?.size === Number(row.size)) return { etag: existing.etag };
    throw new Error(`PreconditionFailed: ${blob} was written before`);
  }

  async get(blob: string, range?: ByteRange): Promise<Readable | undefined> {
    const row = this.row(blob);
    if (row === undefined) return undefined;
    const size = Number(row.size);
    if (range && range.start >= size) throw new RangeError(`InvalidRange: ${blob}`);
    return this.read(row, range ?? { start: 0, end: size - 1 });
  }

  async head(blob: string): Promise<BlobProperties | undefined> {
    const row = this.row(blob);
    if (row === undefined) return undefined;
    const properties: Properties = JSON.parse(String(row.properties));
    return {
      size: Number(row.size),
      etag: String(row.etag),
      ...properties,
      ...(row.checksum !== null && { checksumSha256: String(row.checksum) }),
      lastModified: String(row.last_modified),
    };
  }

  async remove(blobs: readonly string[]): Promise<void> {
    if (blobs.length > MAX_BLOBS) {
      throw new RangeError(`a call removes at most ${MAX_BLOBS} blobs, got ${blobs.length}`);
    }
    const files = await this.deps.database.write((tx) =>
      blobs.flatMap((blob) => {
        const row = tx.get('SELECT files FROM blobs WHERE blob = ?', [blob]);
        const names = (row && filesOf(row))?.map(({ name }) => name) ?? [];
        tx.run('DELETE FROM blobs WHERE blob = ?', [blob]);
        forgetFiles(tx, names);
        return names;
      }),
    );
    await this.deps.folder.remove(files);
  }

  async list(prefix: string, startAfter = ''): Promise<Page<ListedBlob>> {
    // The character behind every other one: no name that begins with the prefix is above it.
    const rows = this.deps.database.all(
      'SELECT blob, size, last_modified FROM blobs WHERE blob > ? AND blob >= ? AND blob < ? ORDER BY blob LIMIT ?',
      ...[startAfter, prefix, `${prefix}\u{10ffff}`, MAX_BLOBS + 1],
    );
    const items = rows.slice(0, MAX_BLOBS).map(({ blob, size, last_modified }) => ({
      blob: String(blob),
      size: Number(size),
      lastModified: String(last_modified),
    }));
    return { items, more: rows.length > MAX_BLOBS };
  }

  async presignGet(blob: string, options: DownloadOptions): Promise<PresignedRequest> {
    const { expiresIn, ...response } = options;
    return this.deps.signer.sign({ method: 'GET', blob, response }, expiresIn);
  }

  async presignPut(blob: string, options: UploadOptions): Promise<PresignedRequest> {
    const { contentType, headers, metadata = {}, contentLength, checksumSha256 } = options;
    const named = Object.entries(metadata).map(([name, value]) => [`x-amz-meta-${name}`, value]);
    return this.deps.signer.sign({ method: 'PUT', blob }, options.expiresIn, {
      'if-none-match': '*',
      ...(contentType !== undefined && { 'content-type': contentType }),
      ...headers,
      ...Object.fromEntries(named),
      ...(contentLength !== undefined && { 'content-length': String(contentLength) }),
      ...(checksumSha256 !== undefined && { 'x-amz-checksum-sha256': checksumSha256 }),
    });
  }

  async createMultipart(blob: string, content: UploadContent): Promise<string> {
    const id = this.deps.ids.ulid();
    await this.deps.database.write((tx) =>
      tx.run('INSERT INTO multiparts VALUES (?, ?, ?)', [id, blob, propertiesText(content)]),
    );
    return id;
  }

  async presignPart(
    blob: string,
    { multipartId, number: part, length, expiresIn }: PartOptions,
  ): Promise<PresignedRequest> {
    const headers = { 'content-length': String(length) };
    return this.deps.signer.sign({ method: 'PUT', blob, multipartId, part }, expiresIn, headers);
  }

  async presignComplete(blob: string, multipartId: string, expiresIn: number) {
    const headers = { 'if-none-match': '*' };
    return this.deps.signer.sign({ method: 'POST', blob, multipartId }, expiresIn, headers);
  }

  async presignAbort(blob: string, multipartId: string, expiresIn: number) {
    return this.deps.signer.sign({ method: 'DELETE', blob, multipartId }, expiresIn);
  }

  async abortMultipart(blob: string, multipartId: string): Promise<void> {
    const files = await this.deps.database.write((tx) => {
      const sql = 'DELETE FROM multiparts WHERE id = ? AND blob = ?';
      return tx.run(sql, [multipartId, blob]) > 0 ? dropParts(tx, multipartId) : [];
    });
    await this.deps.folder.remove(files);
  }

  /** Stores a part in place of an earlier one. Returns false when there is no such upload. */
  async savePart({ blob, multipartId }: PartsOf, number: number, received: Received) {
    const replaced = await this.deps.database.write((tx) => {
      if (!isStarted(tx, { blob, multipartId })) return undefined;
      const sql = 'SELECT file FROM parts WHERE multipart_id = ? AND number = ?';
      const earlier = tx.get(sql, [multipartId, number])?.file;
      const { size, md5, bytes = null, file = null } = received;
      const part = [multipartId, number, size, md5, bytes, file];
      tx.run('INSERT OR REPLACE INTO parts VALUES (?, ?, ?, ?, ?, ?)', part);
      if (file !== null) tx.run('INSERT INTO files VALUES (?)', [file]);
      const names = typeof earlier === 'string' ? [earlier] : [];
      forgetFiles(tx, names);
      return names;
    });
    if (replaced) await this.deps.folder.remove(replaced);
    else await this.discard([received]);
    return replaced !== undefined;
  }

  /**
   * Makes the parts a blob, in this order. `missing`: there is no such upload. `exists`: the blob
   * was written before. `invalid`: there is no part of that number and etag.
   */
  async join(
    upload: PartsOf,
    wanted: readonly { readonly number: number; readonly etag?: string }[],
  ): Promise<{ readonly result: 'joined' | 'missing' | 'exists' | 'invalid'; etag?: string }> {
    const { blob, multipartId } = upload;
    const outcome = await this.deps.database.write((tx) => {
      if (!isStarted(tx, upload)) return { result: 'missing', unused: [] } as const;
      if (tx.get('SELECT 1 FROM blobs WHERE blob = ?', [blob])) {
        return { result: 'exists', unused: [] } as const;
      }
      const parts = wanted.flatMap(({ number, etag }) => {
        const sql = 'SELECT * FROM parts WHERE multipart_id = ? AND number = ?';
        const part = tx.get(sql, [multipartId, number]);
        return part && (etag === undefined || part.etag === etag) ? [part] : [];
      });
      if (parts.length === 0 || parts.length < wanted.length) {
        return { result: 'invalid', unused: [] } as const;
      }
      const etag = etagOf(parts);
      const row = tx.get('SELECT properties FROM multiparts WHERE id = ?', [multipartId]);
      this.insert(tx, blob, {
        size: parts.reduce((sum, { size }) => sum + Number(size), 0),
        etag,
        properties: JSON.parse(String(row?.properties)),
        ...joinedContent(parts),
      });
      const used = new Set(parts.map(({ file }) => file));
      const sql = 'SELECT file FROM parts WHERE multipart_id = ? AND file IS NOT NULL';
      const unused = tx
        .all(sql, [multipartId])
        .flatMap(({ file }) => (used.has(file) ? [] : [file]));
      tx.run('DELETE FROM parts WHERE multipart_id = ?', [multipartId]);
      tx.run('DELETE FROM multiparts WHERE id = ?', [multipartId]);
      forgetFiles(tx, unused.map(String));
      return { result: 'joined', etag, unused } as const;
    });
    await this.deps.folder.remove(outcome.unused.map(String));
    return outcome;
  }

  /** Returns the etags of the parts by number, or undefined when there is no such upload. */
  parts({ blob, multipartId }: PartsOf): ReadonlyMap<number, string> | undefined {
    const { database } = this.deps;
    const sql = 'SELECT 1 FROM multiparts WHERE id = ? AND blob = ?';
    if (database.get(sql, multipartId, blob) === undefined) return undefined;
    const rows = database.all(
      'SELECT number, etag FROM parts WHERE multipart_id = ? ORDER BY number',
      multipartId,
    );
    return new Map(rows.map(({ number, etag }) => [Number(number), String(etag)]));
  }

  /** Removes the files that no row names. Only for the start of a process. */
  async sweep(): Promise<number> {
    const { database, folder } = this.deps;
    const sql = 'SELECT 1 FROM files WHERE name = ?';
    return folder.sweep((name) => database.get(sql, name) !== undefined);
  }

  private row(blob: string): Row | undefined {
    return this.deps.database.get('SELECT * FROM blobs WHERE blob = ?', blob);
  }

  private read(row: Row, range: ByteRange): Readable {
    const files = filesOf(row);
    const etag = String(row.etag);
    const isWhole = range.start === 0 && range.end === Number(row.size) - 1;
    if (files !== undefined) {
      const { folder } = this.deps;
      if (!isWhole) return folder.read(files, range);
      return verified(folder.readWhole(files), etag, String(row.blob));
    }
    const all = row.bytes as Buffer;
    // Joined parts are in memory only.
    if (!etag.includes('-') && md5Of(all) !== etag) throw damaged(String(row.blob));
    const bytes = all.subarray(range.start, range.end + 1);
    return Readable.from([bytes], { objectMode: false });
  }

  private insert(
    tx: Transaction,
    blob: string,
    stored: {
      readonly size: number;
      readonly etag: string;
      readonly checksum?: string;
      readonly properties: UploadContent;
      readonly bytes?: Buffer;
      readonly files?: readonly StoredFile[];
    },
  ): boolean {
    if (tx.get('SELECT 1 FROM blobs WHERE blob = ?', [blob])) return false;
    const { size, etag, checksum = null, properties, bytes = null, files } = stored;
    // S3 knows the second in which a blob was written, no more.
    const at = new Date(Math.floor(this.deps.clock.now() / 1000) * 1000).toISOString();
    const names = files ? JSON.stringify(files.map(({ name, size }) => [name, size])) : null;
    const row = [blob, size, etag, checksum, propertiesText(properties), at, bytes, names];
    tx.run('INSERT INTO blobs VALUES (?, ?, ?, ?, ?, ?, ?, ?)', row);
    for (const { name } of files ?? []) tx.run('INSERT OR IGNORE INTO files VALUES (?)', [name]);
    return true;
  }

  private discard(received: readonly Received[]): Promise<void> {
    return this.deps.folder.remove(received.flatMap(({ file }) => file ?? []));
  }
}

/** The PartCopies port. */
export class FilePartCopies implements PartCopies {
  constructor(
    private readonly blobs: FileBlobs,
    private readonly folder: ContentFolder,
  ) {}

  async list(upload: PartsOf): Promise<ReadonlyMap<number, string> | undefined> {
    return this.blobs.parts(upload);
  }

  async copy(
    upload: PartsOf,
    source: CopySource,
    { number, start, end }: CopiedPart,
  ): Promise<string | undefined> {
    const found = await this.blobs.head(source.blob);
    if (found === undefined || found.etag !== source.etag) return undefined;
    if (end >= found.size) throw new RangeError(`InvalidArgument: ${source.blob}`);
    const bytes = await this.blobs.get(source.blob, { start, end });
    if (bytes === undefined) return undefined;
    const length = end - start + 1;
    const received = await this.folder.receive(bytes, { length, isPart: true });
    const isSaved = await this.blobs.savePart(upload, number, received);
    if (!isSaved) throw new Error(`NoSuchUpload: ${upload.blob}`);
    return received.md5;
  }

  async complete(upload: PartsOf, etags: readonly string[]): Promise<void> {
    const parts = etags.map((etag, index) => ({ number: index + 1, etag }));
    const { result } = await this.blobs.join(upload, parts);
    if (result === 'invalid') throw new Error(`InvalidPart: ${upload.blob}`);
  }
}

function propertiesText({
  contentType = UNNAMED_TYPE,
  headers = {},
  metadata = {},
}: UploadContent) {
  return JSON.stringify({ contentType, headers, metadata } satisfies Properties);
}

function filesOf({ files }: Row): readonly StoredFile[] | undefined {
  if (typeof files !== 'string') return undefined;
  const named: readonly (readonly [string, number])[] = JSON.parse(files);
  return named.map(([name, size]) => ({ name, size }));
}

function isStarted(tx: Transaction, { blob, multipartId }: PartsOf): boolean {
  const sql = 'SELECT 1 FROM multiparts WHERE id = ? AND blob = ?';
  return tx.get(sql, [multipartId, blob]) !== undefined;
}

/** Removes the rows of an upload's parts. Returns the names of their files. */
function dropParts(tx: Transaction, multipartId: string): readonly string[] {
  const sql = 'SELECT file FROM parts WHERE multipart_id = ? AND file IS NOT NULL';
  const files = tx.all(sql, [multipartId]).map(({ file }) => String(file));
  tx.run('DELETE FROM parts WHERE multipart_id = ?', [multipartId]);
  forgetFiles(tx, files);
  return files;
}

function forgetFiles(tx: Transaction, names: readonly string[]): void {
  for (const name of names) tx.run('DELETE FROM files WHERE name = ?', [name]);
}

/** Returns S3's etag of an object that was uploaded in parts. */
function etagOf(parts: readonly Row[]): string {
  return joinedEtag(parts.map(({ etag }) => String(etag)));
}

/** Returns the content of the parts: in memory all of them are bytes, else all are files. */
function joinedContent(parts: readonly Row[]) {
  if (parts.every(({ bytes }) => bytes !== null)) {
    return { bytes: Buffer.concat(parts.map(({ bytes }) => bytes as Buffer)) };
  }
  return { files: parts.map(({ file, size }) => ({ name: String(file), size: Number(size) })) };
}
