/**
 * Progress of a migration in a file: for each bucket how far its objects are copied, and then the
 * cursor up to which its changes are applied. The content of large objects is kept in a folder
 * beside the file while it is on its way.
 */
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { isRecord } from '../../client/resources';
import { localFiles, lockFile } from '../../client/transfer/local-files';
import { UserError } from '../shared/errors';
import { replaceOwn, textOfOwn } from '../shared/own-file';

export interface BucketProgress {
  /** The incarnation of the source, and that of the target. */
  readonly ids: readonly [source: string, target: string];
  /** Every change up to this cursor is in the target, once all objects are copied. */
  readonly cursor: number;
  /** Every object up to this key is copied; undefined when all are. */
  readonly copiedTo?: string;
  /** Whether the target has objects of others, which stay. */
  readonly isShared: boolean;
}

interface Saved {
  readonly migration: 1;
  /** The URLs of the source and of the target. */
  readonly services: readonly [string, string];
  readonly buckets: Readonly<Record<string, BucketProgress>>;
}

export class MigrationState {
  readonly #buckets: Map<string, BucketProgress>;
  #writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly file: string,
    private readonly services: Saved['services'],
    buckets: Saved['buckets'],
    private readonly unlock: () => Promise<void>,
  ) {
    this.#buckets = new Map(Object.entries(buckets));
  }

  /**
   * Opens the state of a migration. Throws StowageError `conflict` when another process has it, and
   * UserError when the file is something else.
   */
  static async open(file: string, services: Saved['services']): Promise<MigrationState> {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    const [text] = await Promise.all([file, `${file}.new`].map(ownText));
    const busy = "another 'stowage migrate' does this migration";
    const unlock = await lockFile(await localFiles(), `${file}.lock`, busy);
    try {
      const saved = text ? parsed(text) : undefined;
      if (saved && saved.services.join() !== services.join()) {
        throw new UserError(
          `${file} is the state of a migration from ${saved.services.join(' to ')}: ` +
            'name another file with --state',
        );
      }
      const content = `${file}.content`;
      if (!saved && existsSync(content)) {
        throw new UserError(`${content} is in the way: move it away, or name another --state`);
      }
      const state = new MigrationState(file, services, saved?.buckets ?? {}, unlock);
      await state.#write();
      await mkdir(content, { recursive: true, mode: 0o700 });
      return state;
    } catch (error) {
      await unlock();
      throw error;
    }
  }

  /** The folder for content that is on its way. */
  get contentFolder(): string {
    return `${this.file}.content`;
  }

  get names(): Iterable<string> {
    return this.#buckets.keys();
  }

  of(bucket: string): BucketProgress | undefined {
    return this.#buckets.get(bucket);
  }

  /** Saves the progress of a bucket; `undefined` forgets the bucket. */
  async save(bucket: string, progress: BucketProgress | undefined): Promise<void> {
    if (progress) this.#buckets.set(bucket, progress);
    else this.#buckets.delete(bucket);
    await this.#write();
  }

  /** Lets other processes have the state. */
  async close(): Promise<void> {
    await this.#writing.catch(() => undefined);
    await this.unlock();
  }

  /** Removes what interrupted transfers have left. */
  async removeContent(): Promise<void> {
    await rm(this.contentFolder, { recursive: true, force: true });
  }

  /** Replaces the file in one step. */
  #write(): Promise<void> {
    const { file, services } = this;
    this.#writing = this.#writing.then(async () => {
      const buckets = Object.fromEntries(this.#buckets);
      const saved: Saved = { migration: 1, services, buckets };
      await replaceOwn(file, `${JSON.stringify(saved)}\n`);
    });
    return this.#writing;
  }
}

const BEGINNING = '{"migration":1,';

/** `--state` names a file of the user, and a mistyped one would be replaced. */
async function ownText(file: string): Promise<string> {
  const text = await textOfOwn(file);
  if (text === '' || BEGINNING.startsWith(text) || text.startsWith(BEGINNING)) return text;
  throw new UserError(
    `${file} is not the state of a migration: name another file, or move it away`,
  );
}

function parsed(text: string): Saved {
  const value: unknown = JSON.parse(text);
  if (isRecord(value) && Array.isArray(value.services) && isRecord(value.buckets)) {
    return value as unknown as Saved;
  }
  throw new UserError('the state of the migration is damaged: delete it, and start over');
}
