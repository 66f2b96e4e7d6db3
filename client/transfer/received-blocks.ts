/**
 * Records which blocks of a file were received, so that a repeated download continues. The notes
 * never claim bytes that are not on the disk.
 */
import { parse } from '../http';
import { isRecord } from '../resources';
import { type FileHandle, type LocalFiles, type Path, replaceFile } from './local-files';

/** Size of a block. After a crash, incomplete blocks are received again. */
export const BLOCK_BYTES = 4 * 1024 ** 2;

/** Blocks per concurrent range that may wait for the disk before more is received. */
const WAITING = 2;

interface Saved {
  /** Of the content. */
  readonly version: string;
  /** `identityOf` the file with the bytes. */
  readonly file: string;
  readonly blockBytes: number;
  /** The number of complete blocks from the first one on, and the numbers of others. */
  readonly first: number;
  readonly others: readonly number[];
}

/** What the notes say. */
export interface SavedBlocks {
  readonly version: string;
  readonly file: string;
  readonly blocks: readonly number[];
}

/** Returns undefined when there are no notes, or they are not of a download. */
export async function savedBlocks(
  files: LocalFiles,
  notes: Path,
): Promise<SavedBlocks | undefined> {
  return parsed(await files.readFile(notes, 'utf8').catch(() => ''));
}

function parsed(text: string): SavedBlocks | undefined {
  const saved = parse(text);
  if (!isRecord(saved)) return undefined;
  const { version, file, blockBytes, first, others } = saved;
  if (typeof version !== 'string' || typeof file !== 'string') return undefined;
  if (!Number.isSafeInteger(first) || !Array.isArray(others)) return undefined;
  const isKnown = blockBytes === BLOCK_BYTES;
  const numbers = [...Array(isKnown ? Number(first) : 0).keys(), ...(isKnown ? others : [])];
  return { version, file, blocks: numbers.filter((each) => Number.isSafeInteger(each)) };
}

export interface BlockNotes {
  readonly files: LocalFiles;
  readonly handle: FileHandle;
  readonly path: string;
  readonly version: string;
  readonly file: string;
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
    await this.save();
    for (const block of blocks) this.#waiting.delete(block);
  }

  /** Saves the notes. Without them the file is not known to be of a download. */
  async save(): Promise<void> {
    const { files, path, version, file } = this.#notes;
    let first = 0;
    while (this.#saved.has(first)) first++;
    const others = [...this.#saved].filter((block) => block > first);
    const saved: Saved = { version, file, blockBytes: BLOCK_BYTES, first, others };
    await replaceFile(files, path, JSON.stringify(saved), (left) => parsed(left) !== undefined);
  }
}
