/** When a channel sends its next ping, and when a ping without a pong ends the connection. */

/** Silence of a bucket after which a ping asks for its changes. */
const PING_MS = 30_000;
/**
 * Silence before each further ping, which finds only changes that were lost after the last pong.
 * Networks forget a connection that is silent for five minutes.
 */
const QUIET_MS = 240_000;
/** Longest time without a ping, although changes arrive: API Gateway closes idle connections. */
const AT_MOST_MS = 300_000;
/** A ping without a pong is repeated after AGAIN_MS; the connection is dead after PONG_MS. */
const AGAIN_MS = 5_000;
const PONG_MS = 10_000;
/** A timer that is later than this was delayed in this process: a pong may have arrived unread. */
const DELAYED_MS = 2_000;

/** When changes were last applied, in milliseconds. */
export interface LastHeard {
  /** For the bucket that has been silent longest. */
  readonly oldest: number;
  /** For the bucket that changed last. */
  readonly newest: number;
}

export class PingSchedule {
  #pingAt: number;
  #pingedAt: number;
  /** The silence after which the next ping is sent. */
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

  /** Returns whether the connection is dead. A late timer waits for the pong once more. */
  isDead(now: number): boolean {
    if (now < this.#deadAt) return false;
    if (now <= this.#deadAt + DELAYED_MS) return true;
    this.#deadAt = now + PONG_MS;
    return false;
  }
}
