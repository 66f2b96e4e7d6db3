/**
 * Records which blocks of a file were received, so that a repeated download continues. The notes
 * never claim bytes that are not on the disk.
 */
import { isRecord } from '../resources';
import type { FileHandle, LocalFiles, Path } from './local-files';

/** Size of a block. After a crash, incomplete blocks are received again. */
export const BLOCK_BYTES = 4 * 1024 ** 2;

/** Blocks per concurrent range that may wait for the disk before more is received. */
const WAITING = 2;

interface Saved {
  readonly version: string;
  readonly blockBytes: number;
  /** The number of complete blocks from the first one on, and the numbers of others. */
  readonly first: number;
  readonly others: readonly number[];
}

/** Returns the blocks of this version that the disk has according to the notes. */
export async function savedBlocks(
  files: LocalFiles,
  notes: Path,
  version: string,
): Promise<number[]> {
  try {
    const saved: unknown = JSON.parse(await files.readFile(notes, 'utf8'));
    if (!isRecord(saved) || saved.version !== version) return [];
    const { blockBytes, first, others } = saved;
    if (blockBytes !== BLOCK_BYTES || !Number.isSafeInteger(first)) return [];
    if (!Array.isArray(others)) return [];
    return [...Array(Number(first)).keys(), ...others.filter((each) => Number.isSafeInteger(each))];
  } catch {
    return [];
  }
}

export interface BlockNotes {
  readonly files: LocalFiles;
  readonly handle: FileHandle;
  readonly path: Path;
  readonly version: string;
  readonly concurrency: number;
}

/** Flushes the file and saves which blocks it has, while the next ones are received. */
export class ReceivedBlocks {
  readonly #saved: Set<number>;
  readonly #notes: BlockNotes;
  /** Written, and not yet saved. */
  #waiting = new Set<number>();
  #saving: Promise<void> | undefined;
  /** The flush in progress. */
  #flushing: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;

  constructor(saved: Iterable<number>, notes: BlockNotes) {
    this.#saved = new Set(saved);
    this.#notes = notes;
  }

  has(block: number): boolean {
    return this.#saved.has(block);
  }

  /**
   * Records that the block was written. Waits while too many blocks wait for the disk. Throws the
   * failure of the disk.
   */
  async add(block: number): Promise<void> {
    this.#throwFailure();
    this.#waiting.add(block);
    this.#saving ??= this.#saveAll();
    while (this.#waiting.size > WAITING * this.#notes.concurrency) await this.#flushing;
  }

  /** Waits until every block is on the disk. Throws the failure of the disk. */
  async settled(): Promise<void> {
    await this.#saving;
    this.#throwFailure();
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error;
  }

  async #saveAll(): Promise<void> {
    try {
      while (this.#waiting.size > 0) {
        this.#flushing = this.#flush([...this.#waiting]);
        await this.#flushing;
      }
    } catch (error) {
      this.#failure = { error };
    } finally {
      this.#saving = undefined;
    }
  }

  async #flush(blocks: readonly number[]): Promise<void> {
    await this.#notes.handle.datasync();
    for (const block of blocks) this.#saved.add(block);
    await this.#write();
    for (const block of blocks) this.#waiting.delete(block);
  }

  async #write(): Promise<void> {
    const { files, path, version } = this.#notes;
    let first = 0;
    while (this.#saved.has(first)) first++;
    const others = [...this.#saved].filter((block) => block > first);
    const saved: Saved = { version, blockBytes: BLOCK_BYTES, first, others };
    const written = beside(path, '.new');
    await files.writeFile(written, JSON.stringify(saved));
    await files.rename(written, path);
  }
}

export function beside(path: Path, end: string): Path {
  return typeof path === 'string' ? `${path}${end}` : new URL(`${path.href}${end}`);
}
