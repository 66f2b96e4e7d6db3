/** Entries and the commits that wrote them. */
import type { ShownRecord } from '../store/objects';
import type { Change, ChangeEntry, Commit, CursorRange, OwnEntry, ShownEntry } from './ports';

/** The entry of one of the commit's changes. */
export function entryOf(commit: Pick<Commit, 'changes' | 'at'>, change: Change): OwnEntry {
  const { object, previous } = change;
  const range = rangeOf(commit.changes);
  return {
    type: object.state === 'live' ? 'put' : 'delete',
    bucket: object.bucket,
    cursor: object.cursor,
    at: commit.at,
    object,
    ...(previous && { previous }),
    ...(range && { commit: range }),
  };
}

/** Returns undefined when a single change is a commit of its own. */
function rangeOf(changes: readonly Change[]): CursorRange | undefined {
  const first = changes[0]?.object.cursor;
  const last = changes.at(-1)?.object.cursor;
  if (first === undefined || last === undefined || first === last) return undefined;
  return { first, last };
}

/** The commit of several changes that wrote the entry. */
export function commitOf(entry: ShownEntry | undefined): CursorRange | undefined {
  return entry === undefined || entry.type === 'noop' ? undefined : entry.commit;
}

/** The commit in which the consecutive entries end, if they end before it does. */
export function endsInside(entries: readonly ShownEntry[]): CursorRange | undefined {
  const last = entries.at(-1);
  const commit = commitOf(last);
  return last && commit && commit.last > last.cursor ? commit : undefined;
}

/**
 * Returns the first `limit` of the consecutive entries, without those of a commit that ends after
 * them; the whole of that commit if nothing else is left.
 */
export function wholeCommits<R extends ShownRecord>(
  entries: readonly ChangeEntry<R>[],
  limit: number,
): readonly ChangeEntry<R>[] {
  const some = entries.slice(0, limit);
  const [first] = entries;
  const commit = endsInside(some);
  if (!first || !commit) return some;
  const end = commit.first > first.cursor ? commit.first : commit.last + 1;
  return entries.slice(0, end - first.cursor);
}

/** Every cursor of the commits that wrote one of the entries, and of `commit`. */
export function committedCursors(
  entries: readonly ShownEntry[],
  commit?: CursorRange,
): ReadonlySet<number> {
  const cursors = new Set<number>();
  for (const range of [commit, ...entries.map(commitOf)]) {
    if (range === undefined || cursors.has(range.first)) continue;
    for (let cursor = range.first; cursor <= range.last; cursor++) cursors.add(cursor);
  }
  return cursors;
}

/** An item of the groups that `byCommit` returns. */
interface AtCursor {
  readonly cursor: number;
  readonly commit?: CursorRange;
}

/** A range of cursors that readers see as a whole, with its changes. */
export interface Unit<T> {
  readonly first: number;
  readonly changes: readonly T[];
}

/** The changes, which are in cursor order, in units: those of one commit together. */
export function byCommit<T extends AtCursor>(changes: readonly T[]): Unit<T>[] {
  const units: { readonly first: number; readonly changes: T[] }[] = [];
  for (const change of changes) {
    const first = change.commit?.first ?? change.cursor;
    const unit = units.at(-1);
    if (unit?.first === first) unit.changes.push(change);
    else units.push({ first, changes: [change] });
  }
  return units;
}
