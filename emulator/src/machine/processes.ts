/** What the operating system reports about other processes. */
import { spawnSync } from 'node:child_process';
import { readIfThere } from './file-errors';

/**
 * Returns a text that differs between processes with the same pid, because pids are reused: the
 * start time, on Linux in ticks since boot with the id of the boot. Null when there is no such
 * process, and on Windows, which has no quick way to ask.
 */
export function startOfProcess(pid: number, platform = process.platform): string | null {
  if (platform === 'win32') return null;
  if (platform !== 'linux') return askPs(pid, 'lstart');
  const stat = readIfThere(`/proc/${pid}/stat`);
  if (stat === undefined) return null;
  // proc(5): the second field is a command in parentheses, perhaps with spaces; the start is the
  // 20th field after it.
  const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return `${ticks}@${readIfThere('/proc/sys/kernel/random/boot_id')?.trim()}`;
}

/** Returns the command with its arguments; empty when there is no such process, and on Windows. */
export function commandOfProcess(pid: number, platform = process.platform): string {
  if (platform === 'win32') return '';
  if (platform !== 'linux') return askPs(pid, 'command') ?? '';
  return (readIfThere(`/proc/${pid}/cmdline`) ?? '').replaceAll('\0', ' ').trim();
}

/** ps(1) as in POSIX, which macOS and the BSDs have in place of /proc. */
function askPs(pid: number, column: 'lstart' | 'command'): string | null {
  const { status, stdout } = spawnSync('ps', ['-o', `${column}=`, '-p', `${pid}`], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  });
  return status === 0 && stdout.trim() !== '' ? stdout.trim() : null;
}
