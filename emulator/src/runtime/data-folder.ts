import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../errors/user-error';
import { hasCode, readIfThere } from '../machine/file-errors';
import { startOfProcess } from '../machine/processes';
import { replaceFile } from '../machine/replace-file';
import { isRecord } from '../values/json';

/** The folder of all data. One process at a time uses it. */
export class DataFolder {
  private constructor(readonly path: string) {}

  /**
   * Creates the folder if missing, closes it to other users and locks it. Throws UserError when it
   * cannot be written, belongs to another user, and while another process uses it.
   */
  static open(path: string): DataFolder {
    try {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      closeToOthers(path);
      lock(join(path, LOCK));
    } catch (error) {
      throw folderError(error, path);
    }
    return new DataFolder(path);
  }

  file(name: string): string {
    return join(this.path, name);
  }

  /**
   * Random text from which the local credentials derive. The folder saves it.
   */
  seed(): string {
    const file = this.file('seed');
    const saved = readIfThere(file);
    if (saved !== undefined) return saved;
    const seed = randomBytes(32).toString('hex');
    this.write('seed', seed);
    return seed;
  }

  /** Replaces a file atomically. Only this user can read it. */
  write(name: string, content: string): void {
    replaceFile(this.file(name), content);
  }

  close(): void {
    rmSync(this.file(LOCK), { force: true });
  }
}

/** Returns a failure that the user can correct as one sentence; any other as it is. */
function folderError(error: unknown, path: string): unknown {
  const reason = isRecord(error) ? REASONS[String(error.code)] : undefined;
  if (reason === undefined) return error;
  return new UserError(`${path}: the data folder cannot be used: ${reason}`, { cause: error });
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EROFS: 'the file system is read-only',
  EEXIST: 'there is a file of that name',
  ENOTDIR: 'a part of its path is a file',
  ENOSPC: 'the disk is full',
};

/** An existing folder may be open to other users. */
function closeToOthers(path: string): void {
  try {
    chmodSync(path, 0o700);
  } catch (error) {
    if (!hasCode(error, 'EPERM')) throw error;
    throw new UserError(`${path}: the data folder belongs to another user`);
  }
}

const LOCK = 'runtime.pid';

/** The file names the process. The file of a process that was killed is replaced. */
function lock(file: string): void {
  const own = JSON.stringify({ pid: process.pid, started: startOfProcess(process.pid) });
  const temporary = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(temporary, own, { mode: 0o600 });
  try {
    for (;;) {
      try {
        // Fails if the name exists, and never creates half a file.
        linkSync(temporary, file);
        return;
      } catch (error) {
        if (!hasCode(error, 'EEXIST')) throw error;
      }
      const holder = readIfThere(file);
      if (holder !== undefined && isAlive(holder)) {
        throw new UserError(`${file}: the data folder is in use by process ${pidOf(holder)}`);
      }
      rmSync(file, { force: true });
    }
  } finally {
    rmSync(temporary, { force: true });
  }
}

function isAlive(holder: string): boolean {
  const pid = pidOf(holder);
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return false;
  }
  // Pids are reused, for example after a restart of the machine: then the start time differs.
  return (JSON.parse(holder) as { started?: unknown }).started === startOfProcess(pid);
}

function pidOf(holder: string): number | undefined {
  try {
    const { pid } = JSON.parse(holder) as { pid?: unknown };
    return typeof pid === 'number' ? pid : undefined;
  } catch {
    return undefined;
  }
}
