/** Runs asynchronous work with a limit on the number of concurrent calls. */

/**
 * Calls `work` for each item, in order, at most `limit` at a time. Rejects with the first error;
 * the other calls continue in the background, so `work` should handle the errors of its item
 * itself.
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
