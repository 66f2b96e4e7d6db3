/** Waits and rates. Full jitter: clients that were cut together do not come back together. */

/** Uniform in [0, 1). */
export type Random = () => number;

/** Milliseconds to wait before attempt `attempt` (0 = the first repetition). */
export function fullJitter(attempt: number, random: Random, baseMs = 500, capMs = 30_000): number {
  return random() * Math.min(capMs, baseMs * 2 ** Math.min(attempt, 20));
}

/** A token bucket: `burst` messages at once, `perSecond` in the long run. */
export class Pacer {
  #tokens: number;
  #at = 0;

  constructor(
    readonly burst: number,
    readonly perSecond: number,
  ) {
    this.#tokens = burst;
  }

  /** Takes a token if there is one. */
  take(now: number): boolean {
    this.#refill(now);
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** When the next token is there. */
  readyAt(now: number): number {
    this.#refill(now);
    return this.#tokens >= 1 ? now : now + Math.ceil(((1 - this.#tokens) * 1000) / this.perSecond);
  }

  #refill(now: number): void {
    const elapsed = Math.max(0, now - this.#at);
    this.#tokens = Math.min(this.burst, this.#tokens + (elapsed * this.perSecond) / 1000);
    this.#at = now;
  }
}
