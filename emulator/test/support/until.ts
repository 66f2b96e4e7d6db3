/**
 * Polls until the condition returns a truthy value, and returns that value. Rejects when there is
 * none after `timeoutMs`.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  timeoutMs = 30_000,
  intervalMs = 5,
): Promise<NonNullable<T>> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`still false after ${timeoutMs} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, intervalMs));
  }
}
