import type { Rate } from '../../../core/limits';

/**
 * Counts the requests of one key, and how many of them a token bucket with the same limit in this
 * process would have allowed.
 */
export class RateTally {
  requests = 0;
  allowed = 0;
  due = 0;
  private tokens: number;
  private readonly start: number;
  private last: number;

  constructor(
    private readonly limit: Rate,
    /** Milliseconds. */
    private readonly now: () => number,
  ) {
    this.tokens = limit.burst;
    this.start = now();
    this.last = this.start;
  }

  count(isAllowed: boolean): void {
    const now = this.now();
    const refilled = this.tokens + ((now - this.last) / 1000) * this.limit.rate;
    this.tokens = Math.min(this.limit.burst, refilled);
    this.last = now;
    this.requests += 1;
    if (isAllowed) this.allowed += 1;
    if (this.tokens >= 1) {
      this.tokens -= 1;
      this.due += 1;
    }
  }

  /**
   * Returns how many of the counted requests a correct limiter allows at most, however they were
   * distributed over that time.
   */
  most(): number {
    return Math.floor(this.limit.burst + ((this.last - this.start) / 1000) * this.limit.rate);
  }
}

/** Compares the requests that several keys were allowed with their limits. */
export function rateReport(what: string, tallies: readonly RateTally[], writes: number) {
  const total = (of: 'requests' | 'allowed' | 'due') =>
    tallies.reduce((sum, tally) => sum + tally[of], 0);
  const [requests, allowed, due] = [total('requests'), total('allowed'), total('due')];
  const share = allowed / due;
  const offBy = Math.max(...tallies.map((tally) => Math.abs(tally.allowed - tally.due)));
  const writesPerRequest = writes / requests;
  const text =
    `${what}: ${requests} requests, ${allowed} allowed; allowed/limit ${share.toFixed(3)}, ` +
    `no key off by more than ${offBy}; ${writes} writes, ${writesPerRequest.toFixed(3)} a request\n`;
  return { share, offBy, writesPerRequest, text };
}
