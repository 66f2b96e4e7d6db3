import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, link, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { forEachConcurrently } from '../../core/concurrency';
import { unavailable } from '../../core/errors';
import { isUlid } from '../../core/names';
import type { ByteRange } from '../../core/store/blobs';
import type { Ids } from '../../core/system';

/** Bytes that were received: in memory, or in a file of the folder. */
export interface Received {
  readonly size: number;
  /** Hex. */
  readonly md5: string;
  /** Base64. Absent: it was not asked for. */
  readonly sha256?: string;
  readonly bytes?: Buffer;
  readonly file?: string;
}

interface Receiving {
  readonly length: number;
  readonly sha256?: boolean;
  readonly isPart?: boolean;
}

/** A file of the folder. */
export interface StoredFile {
  readonly name: string;
  readonly size: number;
}

/** Content of up to this size lies in the database: SQLite reads it faster than a file. */
const MAX_INLINE = 64 * 1024;

/** The folders of content: nothing else is touched. */
const SHARD = /^([0-9a-f]{2}|incoming)$/;

/** Files that are removed at once. */
const REMOVALS = 8;

/**
 * The files of the service's content. A file has a name that was never used, does not change once
 * it has that name, and is on the disk before `receive` resolves.
 */
export class ContentFolder {
  /** The folders below this one that exist. */
  private readonly shards = new Set<string>();

  private constructor(
    private readonly folder: string | undefined,
    private readonly ids: Pick<Ids, 'ulid'>,
  ) {}

  /** Opens the folder, or creates it. `folder` absent: all content stays in memory. */
  static async open(folder: string | undefined, ids: Pick<Ids, 'ulid'>): Promise<ContentFolder> {
    if (folder !== undefined) {
      await mkdir(path.join(folder, 'incoming'), { recursive: true, mode: 0o700 });
    }
    return new ContentFolder(folder, ids);
  }

  /** Stores bytes that are in memory. */
  async store(bytes: Uint8Array, hash: { readonly sha256: boolean }): Promise<Received> {
    const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const { md5, sha256 } = hashesOf(hash.sha256);
    md5.update(content);
    sha256?.update(content);
    const digests = { md5: md5.digest('hex'), sha256: sha256?.digest('base64') };
    if (this.isInline(content.length)) return { size: content.length, ...digests, bytes: content };
    const file = await this.create(async (handle) => void (await handle.writeFile(content)));
    return { size: content.length, ...digests, file };
  }

  /**
   * Stores the bytes of a stream. Rejects, and leaves nothing behind, when the stream fails.
   * `length`: bytes that the sender announced. `isPart`: of an upload in parts, which are joined
   * without being read again, so each is a file.
   */
  async receive(source: Readable, { length, isPart, ...hash }: Receiving): Promise<Received> {
    const { md5, sha256 } = hashesOf(hash.sha256 ?? false);
    let size = 0;
    const update = (chunk: Buffer) => {
      md5.update(chunk);
      sha256?.update(chunk);
      size += chunk.length;
    };
    const digests = () => ({ md5: md5.digest('hex'), sha256: sha256?.digest('base64') });
    if (this.folder === undefined || (!isPart && this.isInline(length))) {
      const chunks: Buffer[] = [];
      for await (const chunk of source) {
        update(chunk);
        chunks.push(chunk);
      }
      return { size, ...digests(), bytes: Buffer.concat(chunks) };
    }
    const file = await this.create(async (handle) => {
      for await (const chunk of source) {
        update(chunk);
        await handle.writeFile(chunk);
      }
    });
    return { size, ...digests(), file };
  }

  /** Opens the whole files, each when it is its turn. */
  *readWhole(files: readonly StoredFile[]): Generator<Readable> {
    for (const { name, size } of files) {
      // Not more than its size: what a damaged file has beyond it would follow the response.
      yield this.read([{ name, size }], { start: 0, end: size - 1 });
    }
  }

  /** Returns a stream of the bytes of files, one behind the other. */
  read(files: readonly StoredFile[], { start, end }: ByteRange): Readable {
    const parts: { readonly file: string; readonly start: number; readonly end: number }[] = [];
    let offset = 0;
    for (const { name, size } of files) {
      const first = Math.max(start - offset, 0);
      const last = Math.min(end - offset, size - 1);
      if (first <= last) parts.push({ file: this.pathOf(name), start: first, end: last });
      offset += size;
    }
    const [only] = parts;
    if (only && parts.length === 1) return createReadStream(only.file, only);
    return Readable.from(concatenated(parts), { objectMode: false });
  }

  /** Gives the bytes of a file a second name. The names are independent of each other. */
  async copy({ name, size }: StoredFile): Promise<StoredFile> {
    const copy = this.ids.ulid();
    await link(this.pathOf(name), await this.newPath(copy));
    await syncFolder(path.dirname(this.pathOf(copy)));
    return { name: copy, size };
  }

  /** Removes files. A file that does not exist is no error. */
  async remove(names: readonly string[]): Promise<void> {
    await forEachConcurrently([...names], REMOVALS, (name) =>
      rm(this.pathOf(name), { force: true }),
    );
  }

  /**
   * Removes the files whose name is not known, and returns their number: a process died before it
   * saved their names. Only for the start: it would remove what is being received.
   */
  async sweep(isKnown: (name: string) => boolean): Promise<number> {
    const { folder } = this;
    if (folder === undefined) return 0;
    let removed = 0;
    for (const shard of await readdir(folder, { withFileTypes: true })) {
      if (!shard.isDirectory() || !SHARD.test(shard.name)) continue;
      for (const name of await readdir(path.join(folder, shard.name))) {
        if (isKnown(name) || !isUlid(name)) continue;
        await rm(path.join(folder, shard.name, name), { force: true });
        removed += 1;
      }
    }
    return removed;
  }

  private isInline(size: number): boolean {
    return this.folder === undefined || size <= MAX_INLINE;
  }

  private async create(fill: (handle: FileHandle) => Promise<void>): Promise<string> {
    const name = this.ids.ulid();
    const incoming = path.join(this.folder ?? '', 'incoming', name);
    const handle = await open(incoming, 'wx', 0o600);
    try {
      await fill(handle);
      await handle.datasync();
      await handle.close();
      await rename(incoming, await this.newPath(name));
      await syncFolder(path.dirname(this.pathOf(name)));
      return name;
    } catch (error) {
      await handle.close().catch(() => undefined);
      await rm(incoming, { force: true });
      throw isOfDisk(error) ? unavailable(error) : error;
    }
  }

  private pathOf(name: string): string {
    return contentPath(this.folder ?? '', name);
  }

  /** Returns the path of a new file, whose folder exists. */
  private async newPath(name: string): Promise<string> {
    const shard = path.dirname(this.pathOf(name));
    if (!this.shards.has(shard)) {
      await mkdir(shard, { recursive: true, mode: 0o700 });
      await syncFolder(this.folder ?? '');
      this.shards.add(shard);
    }
    return this.pathOf(name);
  }
}

/** The disk is full, a quota is used up, a file may not grow, or the device fails. */
const DISK_ERRORS = ['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS'];

function isOfDisk(error: unknown): boolean {
  return DISK_ERRORS.includes(String((error as NodeJS.ErrnoException | undefined)?.code));
}

/** Returns the path of a file of content: in one of 256 folders, so that none has too many. */
export function contentPath(folder: string, name: string): string {
  return path.join(folder, createHash('md5').update(name).digest('hex').slice(0, 2), name);
}

function hashesOf(isHashed: boolean) {
  return { md5: createHash('md5'), sha256: isHashed ? createHash('sha256') : undefined };
}

async function* concatenated(
  parts: readonly { readonly file: string; readonly start: number; readonly end: number }[],
): AsyncGenerator<Buffer> {
  for (const part of parts) yield* createReadStream(part.file, part);
}

/** Makes the names in a folder durable. Windows opens no folders, and needs no sync. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
}
