/** Random edits of a bucket and a folder with the same names, some of which conflict. */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { CommitChange, StowageClient } from '../../../client';
import { inParallel } from '../support/client';

export type Random = (below: number) => number;

/** Changes of one commit. */
const COMMITTED = 32;

/** So that the files that go with a folder are as few of many as of 1,000. */
const FILES_PER_FOLDER = 50;

export class Names {
  readonly all: readonly string[];

  constructor(files: number) {
    const folders = Math.max(20, Math.floor(files / FILES_PER_FOLDER));
    this.all = Array.from({ length: files }, (_, n) =>
      n % 3 === 0 ? `file ${n}` : `folder-${n % folders}/${n % 3}/file-${n}.txt`,
    );
  }

  /** One of all, or of a few besides: files that are also folders of others. */
  any(random: Random): string {
    const n = random(350);
    const kind = random(10);
    if (kind === 0) return `swap/${n % 7}`;
    if (kind === 1) return `swap/${n % 7}/${n % 50}`;
    return this.all[random(this.all.length)] ?? '';
  }
}

export class BucketEdits {
  #count = 0;

  constructor(
    private readonly client: StowageClient,
    private readonly bucket: string,
    private readonly names: Names,
  ) {}

  /** Every name has an object. */
  async fill(): Promise<void> {
    const missing = new Set(this.names.all);
    for await (const { key } of this.client.objects(this.bucket)) missing.delete(key);
    const puts = [...missing].map((key) => ({ op: 'put', key, content: `of ${key}` }) as const);
    // In a commit, a change takes a fraction of the time of a PUT.
    await inParallel(4, Math.ceil(puts.length / COMMITTED), async (n) => {
      const some = puts.slice(n * COMMITTED, (n + 1) * COMMITTED);
      await this.client.commit(this.bucket, some);
    });
  }

  async edit(random: Random, edits: number): Promise<void> {
    const { client, bucket } = this;
    for (let edit = 0; edit < edits; edit++) {
      const key = this.names.any(random);
      const kind = random(10);
      const content = contentOf(kind < 3 ? 0 : kind, this.#count++);
      if (kind < 7) await client.put(bucket, key, content);
      else if (kind < 9) await client.delete(bucket, key).catch(unlessAbsent);
      else await client.commit(bucket, this.#changes(random, content));
    }
  }

  #changes(random: Random, content: string): readonly CommitChange[] {
    const keys = new Set([1, 2, 3].map(() => this.names.any(random)));
    return [...keys].map((key, n) =>
      n === 0 ? { op: 'delete', key, ifExists: true } : { op: 'put', key, content },
    );
  }
}

export class FolderEdits {
  #count = 0;

  constructor(
    private readonly folder: string,
    private readonly names: Names,
  ) {}

  /** Every name has a file. */
  fill(): void {
    for (const name of this.names.all) {
      if (!existsSync(this.#fileOf(name))) this.#write(name, `in ${name}`);
    }
  }

  async edit(random: Random, edits: number): Promise<void> {
    for (let edit = 0; edit < edits; edit++) {
      const name = this.names.any(random);
      const file = this.#fileOf(name);
      const kind = random(10);
      if (kind < 7) this.#write(name, contentOf(kind < 4 ? 0 : kind, this.#count++));
      else if (kind < 8) remove(file);
      else if (kind < 9) remove(this.#folderOf(file, random));
      else this.#rename(name, this.names.any(random));
      mkdirSync(this.folder, { recursive: true });
      // Lets the command see some of the edits in between.
      if (random(10) === 0) await wait(random(50));
    }
  }

  #fileOf(name: string): string {
    return path.join(this.folder, name);
  }

  /** Of a file at the top rarely all of it: there would be nothing left to edit. */
  #folderOf(file: string, random: Random): string {
    const folder = path.dirname(file);
    return folder === this.folder && random(this.names.all.length) > 4 ? file : folder;
  }

  /** Replaces folders by files, and files by folders. */
  #write(name: string, content: string): void {
    const file = this.#fileOf(name);
    const parent = path.dirname(file);
    try {
      mkdirSync(parent, { recursive: true });
    } catch {
      rmSync(parent, { force: true });
      mkdirSync(parent, { recursive: true });
    }
    try {
      writeFileSync(file, content);
    } catch {
      rmSync(file, { force: true, recursive: true });
      writeFileSync(file, content);
    }
  }

  #rename(from: string, to: string): void {
    try {
      renameSync(this.#fileOf(from), this.#fileOf(to));
    } catch {
      // One of both is not there, or a folder.
    }
  }
}

/** Of 0 the size is always the same, so that only contents and times differ. */
function contentOf(size: number, count: number): string {
  return `${size === 0 ? 'same' : 'other'.repeat(size)} ${1000 + (count % 1000)}`;
}

/** A file may be where the path has a folder: then there is nothing to remove. */
function remove(at: string): void {
  if (existsSync(at)) rmSync(at, { recursive: true });
}

function unlessAbsent(error: unknown): void {
  if ((error as { code?: unknown }).code !== 'not_found') throw error;
}
