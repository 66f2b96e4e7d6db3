/** What the two sides of a sync contain, and how they differ. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The SHA-256 of each file below a folder, by its name. */
export function filesOf(folder: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(folder, file);
    if (!entry.isFile() || name.startsWith('.stowage-sync/')) continue;
    try {
      files.set(name, createHash('sha256').update(readFileSync(file)).digest('base64'));
    } catch {
      files.set(name, 'was replaced during the comparison');
    }
  }
  return files;
}

export function differences(
  what: string,
  wanted: ReadonlyMap<string, string>,
  found: ReadonlyMap<string, string>,
): readonly string[] {
  return [...new Set([...wanted.keys(), ...found.keys()])]
    .filter((name) => wanted.get(name) !== found.get(name))
    .map((name) => `${what}: ${name}: wanted ${wanted.get(name)}, found ${found.get(name)}`);
}
