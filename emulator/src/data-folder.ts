import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from './storage/replace-file';
import { isRecord } from './template/json';
import { UserError } from './user-error';

/** The folder that holds all that a runtime keeps. One runtime at a time. */
export class DataFolder {
  private constructor(readonly path: string) {}

  /**
   * Makes the folder if missing, closes it to other users and locks it. Throws UserError for
   * somebody else's folder, and while another runtime uses it.
   */
  static open(path: string): DataFolder {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    closeToOthers(path);
    lock(join(path, LOCK));
    return new DataFolder(path);
  }

  file(name: string): string {
    return join(this.path, name);
  }

  /**
   * Random text that stays the same for the life of the folder: from it come the local credentials.
   */
  seed(): string {
    const file = this.file('seed');
    const known = readIfThere(file);
    if (known !== undefined) return known;
    const seed = randomBytes(32).toString('hex');
    this.write('seed', seed);
    return seed;
  }

  /** Replaces a file that only this user may read. A kill leaves the old one or the new one. */
  write(name: string, content: string): void {
    replaceFile(this.file(name), content);
  }

  close(): void {
    rmSync(this.file(LOCK), { force: true });
  }
}

/** A folder that was there before may be open to all. */
function closeToOthers(path: string): void {
  try {
    chmodSync(path, 0o700);
  } catch (error) {
    if (!hasCode(error, 'EPERM')) throw error;
    throw new UserError(`${path}: the data folder belongs to somebody else`);
  }
}

const LOCK = 'runtime.pid';

/**
 * The file names the process. One that was killed leaves it behind, which is seen and passed over.
 */
function lock(file: string): void {
  const own = JSON.stringify({ pid: process.pid, started: startOf(process.pid) });
  const temporary = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(temporary, own, { mode: 0o600 });
  try {
    for (;;) {
      try {
        // Fails if the name is taken, and never shows half a file.
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
  // A pid is used again after a restart of the machine, or a long time: then the start differs.
  return (JSON.parse(holder) as { started?: unknown }).started === startOf(pid);
}

function pidOf(holder: string): number | undefined {
  try {
    const { pid } = JSON.parse(holder) as { pid?: unknown };
    return typeof pid === 'number' ? pid : undefined;
  } catch {
    return undefined;
  }
}

/**
 * When the process was started, in ticks since the boot, with the boot's id; null where there is no
 * /proc.
 */
function startOf(pid: number): string | null {
  const stat = readIfThere(`/proc/${pid}/stat`);
  if (stat === undefined) return null;
  // The second field is a command in parentheses that may hold spaces; the start is the 20th after
  // it.
  const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return `${ticks}@${readIfThere('/proc/sys/kernel/random/boot_id')?.trim()}`;
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ESRCH')) return undefined;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return isRecord(error) && error.code === code;
}
