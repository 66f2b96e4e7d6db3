/** The new names of objects and folders that are copied or moved. */

import { shownText } from '../../../core/hidden';
import type { Relocation } from '../jobs/job';
import { keyError } from '../upload/file-identity';
import { parentOf } from './entries';

/** Returns the new names in the folder: the last part of each name stays. */
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

/** Returns why the copy or move is not possible; undefined: it is. */
export function problemOf(
  relocations: readonly Relocation[],
  isSameBucket: boolean,
): string | undefined {
  // Results of a search may have the same name, in different folders.
  const taken = new Set<string>();
  for (const { from, to, isFolder } of relocations) {
    const problem = keyError(to);
    if (problem !== undefined) return problem;
    if (taken.has(to)) return `Two of them would get the same name: ${shownText(to)}.`;
    taken.add(to);
    if (!isSameBucket) continue;
    if (from === to) return 'They are there already: choose another folder.';
    if (isFolder && to.startsWith(from)) return 'A folder cannot be put into itself.';
  }
  return undefined;
}
