/** Lists of stored records, page by page and as a whole. */

import { compareNames } from '../../../../core/names';
import { listObjects } from '../../../../core/objects/listing';
import type { ObjectRecord, Objects } from '../../../../core/store/objects';
import { createFakes } from '../../../support/fakes/fakes';

export const ID = 'b00000000001';

export function record(key: string, state: 'live' | 'deleted' = 'live'): ObjectRecord {
  const common = { bucket: 'photos', key, version: 1, cursor: 1, ancestors: [] };
  const at = '2026-01-01T00:00:00.000Z';
  if (state === 'deleted') return { ...common, state, deletedAt: at };
  return {
    ...common,
    state,
    size: 1,
    etag: 'e',
    createdAt: at,
    updatedAt: at,
    contentType: 'a/b',
    headers: {},
    metadata: {},
    blob: key,
  };
}

/** The records of the fakes. */
export function stored(live: readonly string[], deleted: readonly string[] = []) {
  const fakes = createFakes();
  const records = fakes.state.objectsOf(ID);
  for (const key of deleted) records.set(key, record(key, 'deleted'));
  for (const key of live) records.set(key, record(key));
  return { objects: fakes.objects };
}

/**
 * Many objects, their keys in order, and what was read of them. Keys that end with `~` are deleted.
 * Queries at the same time end at the same time.
 */
export function sorted(keys: readonly string[]) {
  const cost = { queries: 0, inSequence: 0, records: 0 };
  const waiting: (() => void)[] = [];
  const indexOf = (name: string) => {
    let [low, high] = [0, keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareNames(keys[middle] ?? '', name) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const objects: Pick<Objects, 'listShown'> = {
    listShown: async (_, { from, before }, limit) => {
      cost.queries += 1;
      if (waiting.length === 0) {
        setImmediate(() => {
          cost.inSequence += 1;
          for (const answer of waiting.splice(0)) answer();
        });
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
      const end = before === undefined ? keys.length : indexOf(before);
      const start = indexOf(from);
      const read = keys.slice(start, Math.min(end, start + limit));
      const items = read.map((key) => record(key, key.endsWith('~') ? 'deleted' : 'live'));
      cost.records += items.length;
      return { items, more: end - start >= limit };
    },
  };
  return { objects, cost };
}

/** The complete list by S3's rule, without pages. */
export function listed(
  keys: readonly string[],
  prefix: string,
  delimiter: string,
  startAfter?: string,
) {
  const objects: string[] = [];
  const prefixes = new Set<string>();
  for (const key of [...new Set(keys)].sort(compareNames)) {
    if (!key.startsWith(prefix)) continue;
    if (startAfter !== undefined && compareNames(key, startAfter) <= 0) continue;
    const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    if (at < 0) objects.push(key);
    else prefixes.add(key.slice(0, at + delimiter.length));
  }
  return { objects, prefixes: [...prefixes] };
}

export async function listAll(
  objects: Pick<Objects, 'listShown'>,
  query: Parameters<typeof listObjects>[2],
  start: string,
) {
  const pages: { objects: string[]; prefixes: string[] } = { objects: [], prefixes: [] };
  let from: string | undefined = start;
  while (from !== undefined) {
    const page: Awaited<ReturnType<typeof listObjects>> = await listObjects(
      objects,
      ID,
      query,
      from,
    );
    expect(page.objects.length + page.prefixes.length).toBeLessThanOrEqual(query.limit);
    pages.objects.push(...page.objects.map(({ key }) => key));
    pages.prefixes.push(...page.prefixes);
    from = page.next;
  }
  return pages;
}
