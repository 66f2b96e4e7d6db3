import { readFileSync } from 'node:fs';
import { isRecord } from '../values/json';

/** Reports whether a system call failed with `code`, such as `ENOENT`. */
export function hasCode(error: unknown, code: string): boolean {
  return isRecord(error) && error.code === code;
}

/** Returns undefined when there is no such file; `/proc` says ESRCH while a process ends. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ESRCH')) return undefined;
    throw error;
  }
}
