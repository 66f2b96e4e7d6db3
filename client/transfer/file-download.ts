/**
 * Downloads to a file by concurrent ranges. Until the file is complete, its bytes are in
 * `<path>.partial` and the list of received blocks is in `<path>.partial.json`: a repeated call
 * continues from there. `<path>.partial.lock` prevents a second download.
 */
import { StowageError } from '../errors';
import type { ObjectDescriptor } from '../resources';
import { concurrently } from './concurrently';
import { type FileHandle, type LocalFiles, localFiles, lockFile, type Path } from './local-files';
import { type BytesWanted, type Download, type DownloadDeps, receiveRange } from './ranges';
import { BLOCK_BYTES, beside, ReceivedBlocks, savedBlocks } from './received-blocks';

/** Blocks that one range covers. */
const RANGE_BLOCKS = 4;

/** Chunks are written together: writing each by itself would take longer than receiving it. */
const WRITE_BYTES = 1024 ** 2;

const HASHED_BYTES = 1024 ** 2;

/** Throws StowageError `conflict` when another download writes to the same file. */
export async function downloadToFile(
  deps: DownloadDeps,
  started: Download,
  path: Path,
  concurrency: number,
): Promise<void> {
  const files = await localFiles();
  const busy = 'another download writes to this file';
  const unlock = await lockFile(files, beside(path, '.partial.lock'), busy);
  try {
    await downloadAlone(files, deps, started, { path, concurrency });
  } finally {
    await unlock();
  }
}

async function downloadAlone(
  files: LocalFiles,
  deps: DownloadDeps,
  started: Download,
  { path, concurrency }: { readonly path: Path; readonly concurrency: number },
): Promise<void> {
  const { object } = started;
  const partial = beside(path, '.partial');
  const notes = beside(path, '.partial.json');
  const { handle, saved } = await openPartial(files, { partial, notes }, object);
  const about = { files, handle, path: notes, version: versionOf(object), concurrency };
  const blocks = new ReceivedBlocks(saved, about);
  let isRight = false;
  try {
    // After a failure too: the blocks that were received are saved.
    await receiveBlocks(deps, started, { handle, concurrency, blocks }).finally(() =>
      blocks.settled(),
    );
    await handle.truncate(object.size);
    isRight = await hasChecksum(files, handle, object);
  } finally {
    await handle.close();
  }
  await files.rm(notes, { force: true });
  if (!isRight) {
    await files.rm(partial, { force: true });
    throw new StowageError(
      'invalid_answer',
      'the received bytes do not match the checksum of the object: download it again',
      { details: { checksum_sha256: object.checksum_sha256 } },
    );
  }
  await files.rename(partial, path);
}

/** Identifies the content, also across buckets of the same name. */
function versionOf({ bucket, key, version, cursor, etag, size }: ObjectDescriptor): string {
  return JSON.stringify([bucket, key, version, cursor, etag, size]);
}

/** Opens the file with the blocks that the notes name. Without notes the file starts empty. */
async function openPartial(
  files: LocalFiles,
  { partial, notes }: { readonly partial: Path; readonly notes: Path },
  object: ObjectDescriptor,
): Promise<{ readonly handle: FileHandle; readonly saved: readonly number[] }> {
  const saved = await savedBlocks(files, notes, versionOf(object));
  const handle = saved.length > 0 && (await files.open(partial, 'r+').catch(() => undefined));
  if (handle) {
    const { size } = await handle.stat();
    const needed = Math.min((Math.max(...saved) + 1) * BLOCK_BYTES, object.size);
    if (size >= needed) return { handle, saved };
    await handle.close();
  }
  // Before the file: notes must not outlive the bytes that they are about.
  await files.rm(notes, { force: true });
  return { handle: await files.open(partial, 'w+'), saved: [] };
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
