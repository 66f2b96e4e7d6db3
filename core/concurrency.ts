/** Runs asynchronous work with a bound on how much of it is under way at once. */

/**
 * Calls `work` for each item, in order, with at most `limit` calls under way. Rejects with the
 * first error; calls that are under way then still run to their end.
 */
export async function forEachConcurrently<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}
