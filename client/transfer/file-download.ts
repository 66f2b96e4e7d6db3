/**
 * Downloads to a file by concurrent ranges. Until the file is complete, its bytes and the list of
 * received blocks are beside it under names that no object gets: a repeated call continues from
 * there. A lock prevents a second download.
 */
import { StowageError } from '../errors';
import type { ObjectDescriptor } from '../resources';
import { concurrently } from './concurrently';
import { type FileHandle, identityOf, type LocalFiles, localFiles, lockFile } from './local-files';
import { type BytesWanted, type Download, type DownloadDeps, receiveRange } from './ranges';
import { BLOCK_BYTES, ReceivedBlocks, savedBlocks } from './received-blocks';

/** Blocks that one range covers. */
const RANGE_BLOCKS = 4;

/** Chunks are written together: writing each by itself would take longer than receiving it. */
const WRITE_BYTES = 1024 ** 2;

const HASHED_BYTES = 1024 ** 2;

/** The working files of a download. */
export interface WorkingFiles {
  readonly partial: string;
  readonly notes: string;
  readonly lock: string;
}

/**
 * Returns the working files of a download to a path. Their names depend on its name and have 46
 * characters at most, so a name of any length has them. Code that names files by keys leaves these
 * out: `isWorkingName`.
 */
export async function workingFiles(path: string): Promise<WorkingFiles> {
  const files = await localFiles();
  const { folder, name } = files.split(path);
  const hash = files.createHash('sha256');
  hash.update(new TextEncoder().encode(name));
  const partial = `${folder}.stowage-${hash.digest('base64url').slice(0, 22)}.part`;
  return { partial, notes: `${partial}.json`, lock: `${partial}.lock` };
}

/** Reports whether a file of this name may be the working file of a download. */
export function isWorkingName(name: string): boolean {
  return /^\.stowage-[\w-]{22}\.part(\.|$)/i.test(name);
}

/**
 * Throws StowageError `conflict` when another download writes to the same file, or somebody else's
 * file has the name of a working file.
 */
export async function downloadToFile(
  deps: DownloadDeps,
  started: Download,
  path: string,
  concurrency: number,
): Promise<void> {
  const files = await localFiles();
  const working = await workingFiles(path);
  const unlock = await lockFile(files, working.lock, 'another download writes to this file');
  try {
    await downloadAlone(files, deps, started, { path, working, concurrency });
  } finally {
    await unlock();
  }
}

async function downloadAlone(
  files: LocalFiles,
  deps: DownloadDeps,
  started: Download,
  to: { readonly path: string; readonly working: WorkingFiles; readonly concurrency: number },
): Promise<void> {
  const { object } = started;
  const { path, working, concurrency } = to;
  const { partial, notes } = working;
  const { handle, file, saved } = await openPartial(files, working, object);
  const about = { files, handle, path: notes, version: versionOf(object), file, concurrency };
  const blocks = new ReceivedBlocks(saved, about);
  // Without notes nobody would know it.
  const removeNew = async (error: unknown) => {
    await files.rm(partial, { force: true });
    throw error;
  };
  let isRight = false;
  let isOwn = false;
  try {
    if (saved.length === 0) await blocks.save().catch(removeNew);
    // After a failure too: the blocks that were received are saved.
    await receiveBlocks(deps, started, { handle, concurrency, blocks }).finally(() =>
      blocks.settled(),
    );
    await handle.truncate(object.size);
    isRight = await hasChecksum(files, handle, object);
    // While the file is open, no other one can get its identity.
    const found = await files.linkFactsOf(partial);
    isOwn = found !== undefined && identityOf(found) === file;
  } finally {
    await handle.close();
  }
  if (!isRight) {
    for (const own of isOwn ? [partial, notes] : [notes]) await files.rm(own, { force: true });
    throw new StowageError(
      'invalid_answer',
      'the received bytes do not match the checksum of the object: download it again',
      { details: { checksum_sha256: object.checksum_sha256 } },
    );
  }
  if (!isOwn) {
    throw new StowageError('conflict', `another program has replaced ${partial}: try again`);
  }
  await files.rm(notes, { force: true });
  await files.rename(partial, path);
}

/** Identifies the content, also across buckets of the same name. */
function versionOf({ bucket, key, version, cursor, etag, size }: ObjectDescriptor): string {
  return JSON.stringify([bucket, key, version, cursor, etag, size]);
}

/**
 * Opens the file that the notes name, with the blocks that it has, or a new one. Throws
 * StowageError `conflict` for a file that is not known to be of a download.
 */
async function openPartial(
  files: LocalFiles,
  { partial, notes }: WorkingFiles,
  object: ObjectDescriptor,
): Promise<{
  readonly handle: FileHandle;
  readonly file: string;
  readonly saved: readonly number[];
}> {
  const saved = await savedBlocks(files, notes);
  const found = await files.linkFactsOf(partial);
  if (found && (!found.isFile() || saved?.file !== identityOf(found))) {
    throw new StowageError('conflict', `${partial} is not of a download: move it away`);
  }
  if (!saved && (await files.linkFactsOf(notes))) {
    throw new StowageError('conflict', `${notes} is not of a download: move it away`);
  }
  if (found && saved?.version === versionOf(object) && saved.blocks.length > 0) {
    const needed = Math.min((Math.max(...saved.blocks) + 1) * BLOCK_BYTES, object.size);
    const handle = await files.open(partial, 'r+');
    const file = identityOf(await handle.facts());
    if (file === saved.file && found.size >= needed) return { handle, file, saved: saved.blocks };
    await handle.close();
  }
  // Before the file: notes must not outlive the bytes that they are about.
  await files.rm(notes, { force: true });
  await files.rm(partial, { force: true });
  const handle = await files.open(partial, 'wx+');
  return { handle, file: identityOf(await handle.facts()), saved: [] };
}

interface Receiving {
  readonly handle: FileHandle;
  readonly concurrency: number;
  readonly blocks: ReceivedBlocks;
}

async function receiveBlocks(
  deps: DownloadDeps,
  { object, onProgress, signal }: Download,
  { handle, concurrency, blocks }: Receiving,
): Promise<void> {
  const ranges = missingRanges(object.size, blocks);
  let received = object.size - ranges.reduce((sum, { from, to }) => sum + to - from, 0);
  await concurrently(ranges, { concurrency, signal }, async (range, stop) => {
    const writer = new RangeWriter(handle, range, object.size, blocks);
    const download = { object, onProgress, signal: stop };
    try {
      await receiveRange(deps, download, range, async (bytes) => {
        await writer.write(bytes);
        received += bytes.length;
        onProgress(received);
      });
    } finally {
      await writer.end();
    }
  });
}

/** Returns the missing bytes as ranges to request. */
function missingRanges(size: number, blocks: ReceivedBlocks): BytesWanted[] {
  const ranges: { from: number; to: number }[] = [];
  for (let block = 0; block * BLOCK_BYTES < size; block++) {
    if (blocks.has(block)) continue;
    const from = block * BLOCK_BYTES;
    const to = Math.min(from + BLOCK_BYTES, size);
    const last = ranges.at(-1);
    if (last?.to === from && to - last.from <= RANGE_BLOCKS * BLOCK_BYTES) last.to = to;
    else ranges.push({ from, to });
  }
  return ranges;
}

/** Writes the bytes of a range while the next ones are received. */
class RangeWriter {
  #chunks: Uint8Array[] = [];
  #held = 0;
  /** Where the next write begins. */
  #at: number;
  #writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly handle: FileHandle,
    { from }: BytesWanted,
    private readonly size: number,
    private readonly blocks: ReceivedBlocks,
  ) {
    this.#at = from;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#chunks.push(bytes);
    this.#held += bytes.length;
    if (this.#held >= WRITE_BYTES) await this.#flush();
  }

  /** Writes the rest. Throws when a write has failed. */
  async end(): Promise<void> {
    await this.#flush();
    await this.#writing;
  }

  async #flush(): Promise<void> {
    await this.#writing;
    if (this.#held === 0) return;
    const [chunks, from] = [this.#chunks, this.#at];
    this.#at += this.#held;
    const to = this.#at;
    this.#chunks = [];
    this.#held = 0;
    this.#writing = this.#store(chunks, from, to);
    // It is awaited by the next flush.
    this.#writing.catch(() => undefined);
  }

  async #store(chunks: readonly Uint8Array[], from: number, to: number): Promise<void> {
    await this.handle.writeAll(chunks, from);
    const first = Math.floor(from / BLOCK_BYTES);
    for (let block = first; block * BLOCK_BYTES < to; block++) {
      if (to >= Math.min((block + 1) * BLOCK_BYTES, this.size)) await this.blocks.add(block);
    }
  }
}

/**
 * Returns whether the file has the checksum of the object; true when the service does not know it.
 */
async function hasChecksum(
  files: LocalFiles,
  handle: FileHandle,
  { checksum_sha256: checksum, size }: ObjectDescriptor,
): Promise<boolean> {
  if (checksum === undefined) return true;
  const hash = files.createHash('sha256');
  const buffer = new Uint8Array(HASHED_BYTES);
  for (let at = 0; at < size; ) {
    const read = await handle.readInto(buffer, at);
    if (read === 0) return false;
    hash.update(buffer.subarray(0, read));
    at += read;
  }
  return hash.digest('base64') === checksum;
}
