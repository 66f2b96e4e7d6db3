/** Resolves once the condition holds; rejects when it does not hold after `timeoutMs`. */
export async function until(
  condition: () => unknown,
  timeoutMs = 30_000,
  intervalMs = 5,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`still false after ${timeoutMs} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, intervalMs));
  }
}
