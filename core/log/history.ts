/**
 * Finds an older version. Every record names the cursors of a few of its key's earlier versions,
 * spaced by powers of two, so that the way back from version v to version n takes at most about
 * 2·log2(v) reads instead of v - n.
 *
 * ancestors[k] is the cursor of the latest earlier version that is divisible by 2^k.
 */

import { forEachConcurrently } from '../concurrency';
import type { LiveObject, ObjectRecord } from '../store/objects';
import type { ChangeLog } from './ports';
import { EntriesTrimmed } from './reader';

/** The ancestors of the version that follows `previous`. */
export function nextAncestors(previous: ObjectRecord | undefined): number[] {
  if (!previous) return [];
  const ancestors: number[] = [];
  for (let k = 0; 2 ** k <= previous.version; k++) {
    const older = previous.ancestors[k];
    ancestors.push(
      previous.version % 2 ** k === 0 || older === undefined ? previous.cursor : older,
    );
  }
  return ancestors;
}

/** The index of the furthest ancestor whose version is not below `target`. */
function furthestAncestor(version: number, target: number): number {
  let best = 0;
  for (let k = 0; 2 ** k < version; k++) {
    if (Math.floor((version - 1) / 2 ** k) * 2 ** k >= target) best = k;
  }
  return best;
}

/**
 * Version `wanted` of the key whose record is `current`; undefined when there is none, it was a
 * delete, or the entry that superseded it has been trimmed: an old version is stored in that entry.
 */
export async function findVersion(
  log: Pick<ChangeLog, 'get'>,
  bucketId: string,
  current: ObjectRecord,
  wanted: number,
): Promise<LiveObject | undefined> {
  const found = await findRecord(log, bucketId, current, wanted);
  return found?.state === 'live' ? found : undefined;
}

/** As `findVersion`, but also finds deletes. */
async function findRecord(
  log: Pick<ChangeLog, 'get'>,
  bucketId: string,
  current: ObjectRecord,
  wanted: number,
): Promise<ObjectRecord | undefined> {
  if (wanted === current.version) return current;
  let at: ObjectRecord = current;
  while (at.version > wanted + 1) {
    const cursor = at.ancestors[furthestAncestor(at.version, wanted + 1)];
    const entry = cursor === undefined ? undefined : await log.get(bucketId, cursor);
    if (!entry || entry.type === 'noop' || entry.object.version >= at.version) return undefined;
    at = entry.object;
  }
  if (at.version !== wanted + 1) return undefined;
  const entry = await log.get(bucketId, at.cursor);
  return entry && entry.type !== 'noop' ? entry.previous : undefined;
}

/** Entries that are read at the same time. */
const CONCURRENT_READS = 16;

/**
 * The kept versions of the key from `newest` down, deletes included, at most `limit` of them. AWS
 * calls: 1 GetItem for each version but the first, in about log2(limit) rounds of up to 16 at a
 * time, and those of `findVersion` when `newest` is not the current one.
 */
export async function listVersions(
  log: Pick<ChangeLog, 'get'>,
  bucketId: string,
  current: ObjectRecord,
  { newest, limit }: { readonly newest: number; readonly limit: number },
): Promise<readonly ObjectRecord[]> {
  const first = await findRecord(log, bucketId, current, newest);
  if (first === undefined) return [];
  const lowest = Math.max(1, newest - limit + 1);
  const found = new Map([[first.version, first]]);
  const asked = new Set<number>();
  // Each entry holds the version before its own, and names entries further back.
  for (let round = entriesOf(first, lowest); round.length > 0; ) {
    const next: number[] = [];
    for (const cursor of round) asked.add(cursor);
    await forEachConcurrently(round, CONCURRENT_READS, async (cursor) => {
      const entry = await log.get(bucketId, cursor);
      if (!entry || entry.type === 'noop') return;
      if (entry.previous) found.set(entry.previous.version, entry.previous);
      next.push(...entriesOf(entry.object, lowest));
    });
    round = [...new Set(next)].filter((cursor) => !asked.has(cursor));
  }
  const versions: ObjectRecord[] = [];
  for (let version = newest; version >= lowest; version--) {
    const record = found.get(version);
    if (record === undefined) break;
    versions.push(record);
  }
  return versions;
}

/** The cursors of the record's and its ancestors' entries that hold a version from `lowest` on. */
function entriesOf({ version, cursor, ancestors }: ObjectRecord, lowest: number): number[] {
  const older = ancestors.filter((_, k) => Math.floor((version - 1) / 2 ** k) * 2 ** k > lowest);
  return version > lowest ? [...new Set([cursor, ...older])] : [];
}

/**
 * The record of the key whose record is `current`, as it was at the cursor, or undefined when there
 * was none. Throws EntriesTrimmed when an entry after the cursor is missing. AWS calls: none when
 * `current` is not newer, or is the key's first version; else 1 GetItem, and about 2·log2 of the
 * versions since.
 */
export async function recordAsOf(
  log: Pick<ChangeLog, 'get'>,
  bucketId: string,
  current: ObjectRecord | undefined,
  asOf: number,
): Promise<ObjectRecord | undefined> {
  if (current === undefined || current.cursor <= asOf) return current;
  const entryAt = async (cursor: number) => {
    const entry = await log.get(bucketId, cursor);
    if (!entry || entry.type === 'noop') throw new EntriesTrimmed(undefined);
    return entry;
  };
  // The first version superseded nothing.
  if (current.ancestors.length === 0) return undefined;
  // The ancestors' cursors descend: the last one above the cursor is the furthest step.
  const earlier = ({ ancestors }: ObjectRecord) => ancestors.findLast((cursor) => cursor > asOf);
  let entry = await entryAt(earlier(current) ?? current.cursor);
  for (let next = earlier(entry.object); next !== undefined; next = earlier(entry.object)) {
    entry = await entryAt(next);
  }
  return entry.previous;
}
