/**
 * State of a sync in an append-only file: the content of each file, so that it is not read again,
 * and for `--watch` the list of the bucket at a cursor. A line that a crash cut off is ignored.
 * Without the file, a sync compares everything.
 */
import { type FileHandle, mkdir, open, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ObjectDescriptor } from '../../client/index';
import { localFiles, lockFile } from '../../client/transfer/local-files';
import { UserError } from '../shared/errors';
import { replaceOwn, textOfOwn } from '../shared/own-file';

/** The content of a file when it was last read. */
export interface Known {
  /** LocalFile.sign. */
  readonly sign: string;
  /** contentOf() of the object that has the same content. */
  readonly content: string;
  /** Time of the `stat` before the file was read, in milliseconds since the epoch. */
  readonly at: number;
}

/** A bucket at a cursor. */
export interface SavedList {
  readonly bucketId: string;
  readonly cursor: number;
  readonly objects: ReadonlyMap<string, ObjectDescriptor>;
}

export interface ListChange {
  readonly key: string;
  /** Undefined when the object was deleted. */
  readonly object?: ObjectDescriptor;
}

type Line =
  | ['sync', 1, string]
  | ['file', string, string, string, number]
  | ['gone', string]
  | ['mark', string]
  | ['clear']
  | ['object', ObjectDescriptor]
  | ['deleted', string]
  | ['cursor', string, number];

/** Superfluous lines after which the file is rewritten. */
const SLACK = 20_000;

export class SyncState {
  readonly known = new Map<string, Known>();
  #list: { bucketId: string; cursor: number; objects: Map<string, ObjectDescriptor> } | undefined;
  #mark: string | undefined;
  #lines = 0;
  #handle: FileHandle | undefined;
  #writing: Promise<void> = Promise.resolve();
  #pending: string[] = [];
  #failure: unknown;
  #unlock: (() => Promise<void>) | undefined;

  private constructor(
    private readonly file: string | undefined,
    private readonly about: string,
  ) {}

  /**
   * Opens the state of one sync. `about` names what it keeps in step: the state of another sync is
   * not used. Throws StowageError `conflict` when another process has it, and UserError for a file
   * of something else. Without a file nothing is kept.
   */
  static async open(file: string | undefined, about: string): Promise<SyncState> {
    const state = new SyncState(file, about);
    if (file === undefined) return state;
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    for (const own of [file, `${file}.new`]) await requireState(own);
    state.#unlock = await lockFile(
      await localFiles(),
      `${file}.lock`,
      "another 'stowage sync' keeps this in step",
    );
    state.#load(await readFile(file, 'utf8').catch(() => ''));
    await state.#rewrite(file);
    return state;
  }

  /** The list that was saved last, with its cursor. */
  get list(): SavedList | undefined {
    return this.#list;
  }

  /** The last name of an import that was interrupted: every name up to it is done. */
  get mark(): string | undefined {
    return this.#mark;
  }

  saveMark(name: string | undefined): void {
    this.#mark = name;
    this.#append([['mark', name ?? '']]);
  }

  remember(name: string, known: Known): void {
    this.known.set(name, known);
    this.#append([['file', name, known.sign, known.content, known.at]]);
  }

  forget(name: string): void {
    if (this.known.delete(name)) this.#append([['gone', name]]);
  }

  /** Saves the changes up to a cursor, all or none. `isNew`: the list begins with them. */
  saveList(
    at: { readonly bucketId: string; readonly cursor: number },
    changes: readonly ListChange[],
    isNew: boolean,
  ): void {
    const lines: Line[] = isNew ? [['clear']] : [];
    for (const { key, object } of changes)
      lines.push(object ? ['object', object] : ['deleted', key]);
    lines.push(['cursor', at.bucketId, at.cursor]);
    for (const line of lines) this.#apply(line);
    this.#append(lines);
  }

  /**
   * Writes what is pending, and lets other processes have the state. Throws the error that
   * prevented writing.
   */
  async close(): Promise<void> {
    await this.#writing;
    await this.#handle?.close();
    await this.#unlock?.();
    if (this.#failure !== undefined) throw this.#failure;
  }

  #staged: Line[] = [];

  #load(text: string): void {
    const lines = text.split('\n').map(parsed);
    const [first] = lines;
    if (first?.[0] !== 'sync' || first[2] !== this.about) return;
    for (const line of lines.slice(1)) {
      if (line?.[0] === 'file') {
        this.known.set(line[1], { sign: line[2], content: line[3], at: line[4] });
      } else if (line?.[0] === 'gone') this.known.delete(line[1]);
      else if (line?.[0] === 'mark') this.#mark = line[1] || undefined;
      else if (line) this.#apply(line);
    }
    this.#staged = [];
  }

  /** Changes of the list count when the line with their cursor is there. */
  #apply(line: Line): void {
    this.#staged.push(line);
    if (line[0] !== 'cursor') return;
    const [, bucketId, cursor] = line;
    const isNew = this.#staged.some(([kind]) => kind === 'clear') || !this.#list;
    const objects = isNew ? new Map() : (this.#list?.objects ?? new Map());
    for (const each of this.#staged) {
      if (each[0] === 'object') objects.set(each[1].key, each[1]);
      else if (each[0] === 'deleted') objects.delete(each[1]);
    }
    this.#list = { bucketId, cursor, objects };
    this.#staged = [];
  }

  #append(lines: readonly Line[]): void {
    const { file } = this;
    if (file === undefined) return;
    this.#pending.push(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
    this.#lines += lines.length;
    if (this.#pending.length > 1) return;
    this.#writing = this.#writing.then(async () => {
      if (this.#failure !== undefined) return;
      const needed = this.known.size + (this.#list?.objects.size ?? 0);
      if (this.#lines > 2 * needed + SLACK) {
        this.#pending = [];
        await this.#rewrite(file);
        return;
      }
      const text = this.#pending.join('');
      this.#pending = [];
      await this.#handle?.appendFile(text);
    });
    // A gap would make later lines wrong, so nothing more is written.
    this.#writing = this.#writing.catch((error: unknown) => {
      this.#failure ??= error;
    });
  }

  /** Replaces the file in one step. */
  async #rewrite(file: string): Promise<void> {
    const lines: Line[] = [['sync', 1, this.about]];
    for (const [name, { sign, content, at }] of this.known) {
      lines.push(['file', name, sign, content, at]);
    }
    if (this.#mark !== undefined) lines.push(['mark', this.#mark]);
    if (this.#list) {
      for (const object of this.#list.objects.values()) lines.push(['object', object]);
      lines.push(['cursor', this.#list.bucketId, this.#list.cursor]);
    }
    await this.#handle?.close();
    const text = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
    await replaceOwn(file, text);
    this.#handle = await open(file, 'a');
    this.#lines = lines.length;
  }
}

/** `--state` names a file of the user, and a mistyped one would be replaced. */
async function requireState(file: string): Promise<void> {
  const text = await textOfOwn(file);
  if (text === '' || text.startsWith('["sync",')) return;
  throw new UserError(`${file} is not the state of a sync: name another file, or move it away`);
}

function parsed(text: string): Line | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return Array.isArray(line) ? (line as Line) : undefined;
  } catch {
    return undefined;
  }
}
