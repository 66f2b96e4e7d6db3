/** Pages of a bucket's changes, with checks of their form. */

import type { Call } from './exchange';
import { call } from './http';
import { demand, expectStatus, isJson, jsonOf } from './responses';

export const SYNC = '/api/v2/storage/sync';

export interface Change {
  readonly cursor: number;
  readonly type: string;
  readonly object: Readonly<Record<string, unknown>>;
}

export interface ChangesPage {
  readonly bucket_id: string;
  readonly from: number;
  readonly to: number;
  readonly head: number;
  readonly has_more: boolean;
  readonly changes: readonly Change[];
}

export function sync(query: Readonly<Record<string, string>>, options: Call = {}) {
  return call('GET', `${SYNC}?${new URLSearchParams(query)}`, options);
}

/** Requests a page, which must be returned: a range, and inside it the changes in order. */
export async function page(
  query: Readonly<Record<string, string>>,
  options: Call = {},
): Promise<ChangesPage> {
  const response = expectStatus(await sync(query, options), 200);
  const found = jsonOf(response);
  demand(found.bucket === query.bucket, 'the bucket', response);
  demand(Array.isArray(found.changes), 'changes', response);
  const changes = readChanges(found);
  demand(response.headers.etag === `"${changes.head}"`, 'the head as ETag', response);
  return changes;
}

/**
 * Returns the range and the changes of a page, or of a message of the channel. Throws when they
 * contradict each other.
 */
export function readChanges(found: Readonly<Record<string, unknown>>): ChangesPage {
  const { bucket_id, from, to, head, has_more = false, changes } = found;
  const cursors = Array.isArray(changes)
    ? changes.map((change) => (isJson(change) ? change.cursor : undefined))
    : [];
  const numbers = [from, ...cursors, to, head];
  const isOrdered = numbers.every(
    (number, n) =>
      Number.isInteger(number) && (n === 0 || Number(number) >= Number(numbers[n - 1])),
  );
  if (!isOrdered || new Set(cursors).size < cursors.length || cursors.includes(from)) {
    throw new Error(`not a range: ${JSON.stringify(found)}`);
  }
  if (typeof bucket_id !== 'string' || typeof has_more !== 'boolean' || !Array.isArray(changes)) {
    throw new Error(`not a page of changes: ${JSON.stringify(found)}`);
  }
  return { bucket_id, from: Number(from), to: Number(to), head: Number(head), has_more, changes };
}
