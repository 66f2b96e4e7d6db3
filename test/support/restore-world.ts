/**
 * A service in memory whose tables can be put back to an earlier moment, as point-in-time recovery
 * does, or lost.
 */

import { BucketIds } from '../../core/buckets/bucket-ids';
import { type Restored, restore } from '../../core/maintenance/recovery/recovery';
import type { RestoreOptions } from '../../core/maintenance/recovery/recovery-deps';
import type { World } from './bucket-world';
import { createFakes } from './fakes/fakes';
import type { YieldPoint } from './fakes/interleaved';
import { copy, type FakeState } from './fakes/state';

/** The tables that point-in-time recovery restores; S3 keeps its present content. */
const TABLES = [
  'buckets',
  'stats',
  'lifecycles',
  'corrected',
  'deletedBuckets',
  'objects',
  'changes',
  'uploads',
  'service',
] as const;

export type Backup = { readonly [table in (typeof TABLES)[number]]: FakeState[table] };

export const EMPTY = Object.fromEntries(TABLES.map((table) => [table, new Map()])) as Backup;

export function backUp(state: FakeState): Backup {
  return Object.fromEntries(TABLES.map((table) => [table, clone(state[table])])) as Backup;
}

/** The tables as they were then, and function instances with empty caches. */
export function putBack(deps: World, backup: Backup): World {
  for (const table of TABLES) {
    const map: Map<unknown, unknown> = deps.state[table];
    map.clear();
    for (const [key, value] of clone(backup[table])) map.set(key, value);
  }
  return { ...deps, bucketIds: new BucketIds(deps.buckets) };
}

/** Of maps that hold maps or plain data; empty inner maps are left out. */
function clone<K>(map: ReadonlyMap<K, unknown>): Map<K, unknown> {
  const kept = [...map].filter(([, value]) => !isMap(value) || value.size > 0);
  return new Map(kept.map(([key, value]) => [key, isMap(value) ? clone(value) : copy(value)]));
}

const isMap = (value: unknown): value is ReadonlyMap<unknown, unknown> => value instanceof Map;

export async function runRestore(
  deps: World,
  options: Partial<RestoreOptions>,
  yieldPoint?: YieldPoint,
): Promise<readonly Restored[]> {
  const fakes = createFakes({ state: deps.state, clock: deps.clock, ids: deps.ids, yieldPoint });
  const all: Restored[] = [];
  const whole = { moment: Number.NEGATIVE_INFINITY, dropNewer: false, apply: true, ...options };
  const log = deps.log;
  for await (const one of restore({ ...fakes, backoff: async () => undefined, log }, whole)) {
    all.push(one);
  }
  return all;
}
