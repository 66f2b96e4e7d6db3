/** Copies of a data folder: made while a server uses it, and restored to a new folder. */
import {
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { copyFile, mkdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { contentPath } from '../../adapters/files/content-folder';
import { Snapshot } from '../../adapters/sqlite/snapshot';
import { forEachConcurrently } from '../../core/concurrency';
import { isUlid } from '../../core/names';

/** The names in a data folder. */
export const DATABASE_FILE = 'stowage.db';
export const CONTENT_FOLDER = 'content';

/** The file that only a backup has: no served folder is ever renewed as one. */
const MARKER = 'stowage-backup';

export interface BackupReport {
  /** Files of content in the backup, and those of them that this run copied. */
  readonly files: number;
  readonly copied: number;
}

/** Files that are copied at once. */
const COPIES = 4;

/** Attempts while the server removes content that the last one was to copy. */
const ATTEMPTS = 5;

/**
 * Makes or renews a backup in a folder of its own: the state of one moment, which a server may go
 * on to change. Content never changes under its name, so only new files are copied, and a run that
 * was stopped continues. Throws when the folder has something else in it.
 */
export async function backUp(source: string, target: string): Promise<BackupReport> {
  requireDataFolder(source);
  requireApart(source, target);
  if (existsSync(target) && !existsSync(path.join(target, MARKER))) {
    requireEmpty(target, 'a folder for backups');
  }
  mkdirSync(target, { recursive: true, mode: 0o700 });
  writeFileSync(path.join(target, MARKER), 'A backup that stowage makes and renews.\n');
  for (let attempt = 1; ; attempt++) {
    const fresh = path.join(target, `${DATABASE_FILE}.new`);
    rmSync(fresh, { force: true });
    Snapshot.write(path.join(source, DATABASE_FILE), fresh);
    const names = namesIn(fresh);
    const copied = await copyContent(source, target, names);
    if (copied !== undefined) {
      await rename(fresh, path.join(target, DATABASE_FILE));
      await removeOthers(path.join(target, CONTENT_FOLDER), new Set(names));
      return { files: names.length, copied };
    }
    if (attempt === ATTEMPTS) {
      throw new Error(
        `content was removed ${ATTEMPTS} times while it was copied: try again when fewer objects are deleted`,
      );
    }
  }
}

/**
 * Restores a backup to a folder that is empty or does not exist. The backup stays as it is. Throws,
 * and leaves an incomplete folder that no server opens, when a file of the backup is missing.
 */
export async function restoreBackup(backup: string, target: string): Promise<BackupReport> {
  requireDataFolder(backup);
  requireApart(backup, target);
  if (existsSync(target)) requireEmpty(target, 'a folder that is empty or new');
  mkdirSync(target, { recursive: true, mode: 0o700 });
  const names = namesIn(path.join(backup, DATABASE_FILE));
  const copied = await copyContent(backup, target, names);
  if (copied === undefined) {
    throw new Error(`files of the backup ${backup} are missing: 'stowage check' names them`);
  }
  // Last: a folder without it is no data folder.
  Snapshot.write(path.join(backup, DATABASE_FILE), path.join(target, DATABASE_FILE));
  return { files: names.length, copied };
}

/** Throws when one of the folders is the other, or is inside it. */
function requireApart(source: string, target: string): void {
  const [from, to] = [realPathOf(source), realPathOf(target)];
  const isInside = (inner: string, outer: string) =>
    `${inner}${path.sep}`.startsWith(`${outer}${path.sep}`);
  if (isInside(from, to) || isInside(to, from)) {
    throw new Error(`${source} and ${target} are one folder, or one is inside the other`);
  }
}

/** Returns the path without links, also of a folder that does not exist yet. */
function realPathOf(folder: string): string {
  const full = path.resolve(folder);
  if (existsSync(full) || full === path.dirname(full)) return realpathSync(full);
  return path.join(realPathOf(path.dirname(full)), path.basename(full));
}

/** Throws when there is no data folder at this path. */
export function requireDataFolder(folder: string): void {
  if (!existsSync(path.join(folder, DATABASE_FILE))) {
    throw new Error(`${folder} is no data folder: it has no ${DATABASE_FILE}`);
  }
}

function requireEmpty(folder: string, wanted: string): void {
  if (readdirSync(folder).length > 0) {
    throw new Error(`${folder} has other files in it: name ${wanted}`);
  }
}

function namesIn(file: string): readonly string[] {
  const snapshot = new Snapshot(file);
  try {
    return snapshot.files();
  } finally {
    snapshot.close();
  }
}

/** Returns the number of files that were copied, or undefined when one does not exist any more. */
async function copyContent(
  source: string,
  target: string,
  names: readonly string[],
): Promise<number | undefined> {
  let copied = 0;
  let isComplete = true;
  await forEachConcurrently([...names], COPIES, async (name) => {
    if (!isComplete) return;
    const from = contentPath(path.join(source, CONTENT_FOLDER), name);
    const to = contentPath(path.join(target, CONTENT_FOLDER), name);
    if (existsSync(to)) return;
    await mkdir(path.dirname(to), { recursive: true, mode: 0o700 });
    try {
      // A file system that shares blocks copies none of them.
      await copyFile(from, `${to}.new`, constants.COPYFILE_FICLONE);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      isComplete = false;
      return;
    }
    await rename(`${to}.new`, to);
    copied += 1;
  });
  return isComplete ? copied : undefined;
}

async function removeOthers(folder: string, kept: ReadonlySet<string>): Promise<void> {
  if (!existsSync(folder)) return;
  for (const shard of readdirSync(folder)) {
    const inside = path.join(folder, shard);
    if (!(await stat(inside)).isDirectory()) continue;
    for (const name of readdirSync(inside)) {
      if (!kept.has(name) && isUlid(name)) await rm(path.join(inside, name), { force: true });
    }
  }
}
