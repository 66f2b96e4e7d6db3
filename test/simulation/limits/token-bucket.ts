/** A rate with a burst, on the virtual clock: what it admits is determined by the times alone. */
export class TokenBucket {
  private tokens: number;
  private filledAt: number;

  constructor(
    private readonly ratePerSecond: number,
    /** At most so many units at once. */
    private readonly burst: number,
    /** Milliseconds of the virtual clock. */
    now: number,
  ) {
    this.tokens = burst;
    this.filledAt = now;
  }

  /** Whether there are so many units now. */
  has(units: number, now: number): boolean {
    const filled = this.tokens + ((now - this.filledAt) / 1000) * this.ratePerSecond;
    this.tokens = Math.min(this.burst, filled);
    this.filledAt = now;
    return this.tokens >= units;
  }

  /** Takes the units if there are as many. */
  take(units: number, now: number): boolean {
    if (!this.has(units, now)) return false;
    this.tokens -= units;
    return true;
  }
}
