/** Wakes the readers that wait for the next record of a shard. */
export class Arrivals {
  private readonly waiting = new Set<() => void>();

  /** Resolves with the next `wake`, or when the signal is aborted. */
  async next(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = () => {
        this.waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  wake(): void {
    for (const wake of this.waiting) wake();
  }
}
