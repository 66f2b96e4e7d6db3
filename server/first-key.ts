import { systemClock, systemIds } from '../adapters/system';
import { createKey } from '../core/access/keys';
import { ACTIONS } from '../core/access/permissions';
import type { LocalStores } from './stores';

/** Creates a key that may do everything in every bucket. Returns its text, which is not stored. */
export async function createFirstKey({ keys }: LocalStores, by: string): Promise<string> {
  const deps = { keys, clock: systemClock, ids: systemIds };
  const permissions = [{ buckets: ['*'], actions: [...ACTIONS] }];
  const settings = { name: 'first key', permissions, tier: 'default' };
  return (await createKey(deps, { id: by, name: by }, settings)).text;
}
