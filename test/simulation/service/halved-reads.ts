/** Reads of several items, which AWS does not make at one moment: here in two halves. */
import type { NameRange, Page } from '../../../core/pages';
import type { ObjectRecord, ShownRecord } from '../../../core/store/objects';

type Call = (...parameters: never[]) => Promise<unknown>;

/** A Query is no snapshot: the second half of the page is read later. */
export function listInHalves(call: Call): Call {
  return async (...parameters: never[]) => {
    const [bucketId, range, limit] = parameters as unknown as [string, NameRange, number];
    const list = (from: string, most: number) =>
      call(...([bucketId, { ...range, from }, most] as never[])) as Promise<Page<ShownRecord>>;
    const first = await list(range.from, limit);
    const half = first.items.length >> 1;
    const middle = first.items[half];
    if (middle === undefined || half === 0) return first;
    const second = await list(middle.key, limit - half);
    return { items: [...first.items.slice(0, half), ...second.items], more: second.more };
  };
}

/** Nor is a BatchGetItem. */
export function getInHalves(call: Call): Call {
  return async (...parameters: never[]) => {
    const [bucketId, keys] = parameters as unknown as [string, readonly string[]];
    const half = keys.length >> 1;
    const parts = half === 0 ? [keys] : [keys.slice(0, half), keys.slice(half)];
    const found = await Promise.all(parts.map((part) => call(...([bucketId, part] as never[]))));
    return (found as ObjectRecord[][]).flat();
  };
}
