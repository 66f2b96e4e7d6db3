/** Where objects and folders go when they are copied or moved. */
import type { Relocation } from '../jobs/job';
import { keyError } from '../upload/file-identity';
import { parentOf } from './entries';

/** Each keeps its name below the folder. */
export function relocationsOf(
  keys: readonly string[],
  prefixes: readonly string[],
  folder: string,
): readonly Relocation[] {
  const below = folder === '' || folder.endsWith('/') ? folder : `${folder}/`;
  const relocation = (from: string, isFolder: boolean): Relocation => ({
    ...{ from, to: below + from.slice(parentOf(from).length), isFolder },
  });
  return [
    ...keys.map((key) => relocation(key, false)),
    ...prefixes.map((prefix) => relocation(prefix, true)),
  ];
}

/** Returns why nothing can be copied or moved there. */
export function problemOf(
  relocations: readonly Relocation[],
  isSameBucket: boolean,
): string | undefined {
  // A search finds objects of one name in several folders.
  const taken = new Set<string>();
  for (const { from, to, isFolder } of relocations) {
    const problem = keyError(to);
    if (problem !== undefined) return problem;
    if (taken.has(to)) return `Two of them have the same name: ${to} would be both.`;
    taken.add(to);
    if (!isSameBucket) continue;
    if (from === to) return 'They are there already: choose another folder.';
    if (isFolder && to.startsWith(from)) return 'A folder cannot be put into itself.';
  }
  return undefined;
}
