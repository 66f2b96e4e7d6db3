/**
 * A token bucket: permits `burst` messages or requests at once and `perSecond` of them in the long
 * run.
 */
export class MessageRate {
  #tokens: number;
  #at = 0;

  constructor(
    readonly burst: number,
    readonly perSecond: number,
  ) {
    this.#tokens = burst;
  }

  /** Takes a token. Returns false when there is none. */
  take(now: number): boolean {
    this.#refill(now);
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** The time at which the next token is available. */
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
