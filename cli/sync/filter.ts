/** Selects the names of a sync by `--include` and `--exclude`. */
import picomatch from 'picomatch';
import { foldersOf } from './names';

export interface Filters {
  /** Only names, or names in folders, that match one of them. @default all */
  readonly include?: readonly string[];
  /** None of these, whatever is included. */
  readonly exclude?: readonly string[];
}

/** Reports whether a name is excluded: it is neither sent nor deleted. */
export type IsExcluded = (name: string) => boolean;

export function excludedBy({ include = [], exclude = [] }: Filters): IsExcluded {
  const isIncluded = include.length === 0 ? () => true : matcher(include);
  const isExcluded = matcher(exclude);
  return (name) => isExcluded(name) || !isIncluded(name);
}

/** Reports whether everything in a folder of this name is excluded. */
export function prunedBy({ exclude = [] }: Filters): IsExcluded {
  return matcher(exclude);
}

/**
 * A pattern without a slash matches a name in any folder, one with a slash from the top; what
 * matches a folder matches everything in it.
 */
function matcher(patterns: readonly string[]): (name: string) => boolean {
  const matches = patterns.map((pattern) => {
    const isAnchored = pattern.replace(/(?<!\/)\/+$/, '').includes('/');
    const trimmed = pattern.replace(/^\/+|(?<!\/)\/+$/g, '');
    return picomatch(trimmed, { dot: true, basename: !isAnchored });
  });
  return (name) => {
    if (matches.length === 0) return false;
    const candidates = [...foldersOf(name), name];
    return matches.some((match) => candidates.some((candidate) => match(candidate)));
  };
}
