/** Lists: of now, which may show different moments of the time they took, and of a cursor. */

import type { Anomalies } from '../records/anomalies';
import type { BucketHistory, BucketState } from '../records/history';

export interface ListedObject {
  readonly key: string;
  readonly cursor: number;
}

export interface Listing {
  readonly objects: readonly ListedObject[];
  readonly cursor: number;
  readonly prefix: string;
  /** Of the virtual clock. */
  readonly from: number;
  readonly until: number;
}

/** Checks a complete list of what the bucket has now. */
export function checkList(history: BucketHistory, anomalies: Anomalies, list: Listing): void {
  const { objects, prefix, from, until } = list;
  const listed = new Map(objects.map(({ key, cursor }) => [key, cursor]));
  for (const [key, cursor] of listed) {
    anomalies.require(
      'a list shows objects that existed while it was read',
      wasCurrent(history, { key, cursor }, from),
      () => `${key} at ${cursor} was listed after it was superseded`,
    );
  }
  for (const key of history.ofKey.keys()) {
    if (!key.startsWith(prefix) || listed.has(key)) continue;
    const cursor = currentThroughout(history, key, { from, until });
    anomalies.require(
      'a list shows every object that existed throughout',
      cursor === undefined,
      () => `${key} has existed since cursor ${cursor}, and was not listed`,
    );
  }
  anomalies.require(
    'the cursor of a list is settled',
    history.settled >= list.cursor,
    () => `a list returned cursor ${list.cursor}, and the log is complete up to ${history.settled}`,
  );
}

/** Whether the change put an object that was the current one at `from` or later. */
export function wasCurrent(
  history: BucketHistory,
  { key, cursor }: ListedObject,
  from: number,
): boolean {
  const entry = history.entry(cursor);
  const next = history.ofKey.get(key)?.find((one) => one > cursor);
  const isWritten = entry?.type === 'put' && entry.object.key === key;
  return isWritten && (next === undefined || at(history, next) >= from);
}

/** The cursor of the object that the key had all the time; undefined: not one and the same. */
export function currentThroughout(
  history: BucketHistory,
  key: string,
  { from, until }: Pick<Listing, 'from' | 'until'>,
): number | undefined {
  const cursors = history.ofKey.get(key) ?? [];
  const before = cursors.findLast((one) => (history.entries[one]?.at ?? until) < from);
  if (before === undefined || history.entry(before)?.type !== 'put') return undefined;
  const changes = cursors.some((one) => one > before && at(history, one) <= until);
  return changes ? undefined : before;
}

function at(history: BucketHistory, cursor: number): number {
  return history.entries[cursor]?.at ?? 0;
}

export interface EarlierListing extends Pick<Listing, 'objects'> {
  readonly asOf: number;
  /** Whether the list shows the key. */
  readonly isShown: (key: string) => boolean;
}

/** Checks the list of an earlier state. */
export function checkEarlierList(
  history: BucketHistory,
  anomalies: Anomalies,
  { objects, asOf, isShown }: EarlierListing,
): void {
  const state = history.stateAt(wholeAt(history, asOf));
  const wanted = state && shown(state, isShown);
  const found = objects.map(({ key, cursor }) => `${key}@${cursor}`).sort();
  anomalies.require(
    'an earlier state is what it was',
    wanted?.join() === found.join(),
    () => `as of ${asOf}: ${found.join()} in place of ${wanted?.join()}`,
  );
}

/** A cursor inside a commit shows the state before the commit. */
export function wholeAt(history: BucketHistory, cursor: number): number {
  const entry = history.entry(cursor);
  const commit = entry === undefined || entry.type === 'noop' ? undefined : entry.commit;
  return commit && commit.last > cursor ? commit.first - 1 : cursor;
}

export function shown(state: BucketState, isShown: (key: string) => boolean): string[] {
  return [...state.values()]
    .filter(({ key }) => isShown(key))
    .map(({ key, cursor }) => `${key}@${cursor}`)
    .sort();
}
