import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.join(__dirname, '../..');

const NOT_OURS = new Set(['node_modules', 'dist', 'cdk.out', 'coverage', '.git', '.local']);

/** A file of the project, its path relative to the root with forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Every file below a folder (`''` = the whole project) that ends in one of `extensions`. */
export function filesBelow(folder: string, extensions: readonly string[]): readonly SourceFile[] {
  const absolute = path.join(ROOT, folder);
  if (!existsSync(absolute)) return [];
  return readdirSync(absolute, { withFileTypes: true }).flatMap((entry) => {
    const relative = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (NOT_OURS.has(entry.name)) return [];
    if (entry.isDirectory()) return filesBelow(relative, extensions);
    if (!entry.isFile() || !extensions.some((extension) => entry.name.endsWith(extension)))
      return [];
    return [{ path: relative, text: readFileSync(path.join(ROOT, relative), 'utf8') }];
  });
}
