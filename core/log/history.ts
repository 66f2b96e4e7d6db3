/**
 * Finds an older version. Every record names the cursors of a few of its key's earlier versions,
 * spaced by powers of two, so that the way back from version v to version n takes at most about
 * 2·log2(v) reads instead of v - n.
 *
 * ancestors[k] is the cursor of the latest earlier version that is divisible by 2^k.
 */

import type { LiveObject, ObjectRecord } from '../objects/ports';
import type { ChangeLog } from './ports';

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
  if (wanted === current.version) return current.state === 'live' ? current : undefined;
  let at: ObjectRecord = current;
  while (at.version > wanted + 1) {
    const cursor = at.ancestors[furthestAncestor(at.version, wanted + 1)];
    const entry = cursor === undefined ? undefined : await log.get(bucketId, cursor);
    if (!entry || entry.type === 'noop' || entry.object.version >= at.version) return undefined;
    at = entry.object;
  }
  if (at.version !== wanted + 1) return undefined;
  const entry = await log.get(bucketId, at.cursor);
  const found = entry && entry.type !== 'noop' ? entry.previous : undefined;
  return found?.state === 'live' && found.version === wanted ? found : undefined;
}
