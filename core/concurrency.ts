/** Asynchronous work that runs concurrently. */

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

/**
 * Returns the values of all calls. Waits for all of them in any case, because a function must not
 * be frozen with a call in flight, and throws the first error in their order.
 */
export async function allEnded<T>(calls: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(calls);
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
