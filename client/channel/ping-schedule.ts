/** When a channel sends its next ping, and when a ping without a pong ends the connection. */

/** A bucket of which nothing was received for this long is asked for by a ping. */
const PING_MS = 30_000;
/**
 * Each further ping waits this long: only a change that is lost after a pong needs another look.
 * Shorter than the five minutes after which networks forget a silent connection.
 */
const QUIET_MS = 240_000;
/** Changes take the place of pings, but not for longer: API Gateway ends what it takes for idle. */
const AT_MOST_MS = 300_000;
/** A ping without a pong is repeated once; then the connection counts as dead. */
const AGAIN_MS = 5_000;
const PONG_MS = 10_000;
/** A timer this late was delayed in this process: a pong may have arrived and not yet be read. */
const DELAYED_MS = 2_000;

/** When changes were applied last, milliseconds. */
export interface LastHeard {
  /** Of the bucket that is silent for the longest time. */
  readonly oldest: number;
  /** Of any bucket. */
  readonly newest: number;
}

export class PingSchedule {
  #pingAt: number;
  #pingedAt: number;
  /** How long nothing was received when the next ping is sent. */
  #silence = PING_MS;
  #deadAt = Number.POSITIVE_INFINITY;

  constructor(openedAt: number) {
    this.#pingAt = openedAt + PING_MS;
    this.#pingedAt = openedAt;
  }

  get pingAt(): number {
    return this.#pingAt;
  }

  /** When the connection counts as dead; infinite while no pong is awaited. */
  get deadAt(): number {
    return this.#deadAt;
  }

  sent(now: number): void {
    const isFirst = this.#deadAt === Number.POSITIVE_INFINITY;
    if (isFirst && now >= this.#pingAt) this.#silence = QUIET_MS;
    this.#pingAt = now + AGAIN_MS;
    this.#pingedAt = now;
    this.#deadAt = Math.min(this.#deadAt, now + PONG_MS);
  }

  received(now: number, heard: LastHeard): void {
    const isAnswer = this.#deadAt !== Number.POSITIVE_INFINITY;
    if (isAnswer) {
      this.#deadAt = Number.POSITIVE_INFINITY;
      this.#pingAt = now + this.#silence;
    }
    if (heard.newest === now) {
      this.#silence = PING_MS;
      this.#pingAt = Math.min(this.#pingAt, now + PING_MS);
    }
    const silentAt = Math.min(heard.oldest + PING_MS, this.#pingedAt + AT_MOST_MS);
    this.#pingAt = Math.max(this.#pingAt, silentAt);
  }

  /** Whether the connection is dead. A late timer waits for the pong once more. */
  isDead(now: number): boolean {
    if (now < this.#deadAt) return false;
    if (now <= this.#deadAt + DELAYED_MS) return true;
    this.#deadAt = now + PONG_MS;
    return false;
  }
}
