import { renameSync, writeFileSync } from 'node:fs';

/**
 * Replaces the content of a file that only this user may read. A process that is killed while it
 * writes leaves the old content or the new one, never a part of it.
 */
export function replaceFile(path: string, content: string): void {
  const temporary = `${path}.tmp`;
  writeFileSync(temporary, content, { mode: 0o600 });
  renameSync(temporary, path);
}
