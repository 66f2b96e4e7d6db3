import { LIMITS } from '../limits';
import type { Clock } from '../system';

/** Limits how long a commit is repeated. */
export class RepeatLimit {
  private readonly deadline: number;
  /** Start of the current run of throttled attempts. */
  private throttledAt: number | undefined;

  constructor(private readonly clock: Clock) {
    this.deadline = clock.now() + LIMITS.commitSeconds * 1000;
  }

  /** After an attempt that committed nothing. */
  failed(isThrottled: boolean): void {
    this.throttledAt = isThrottled ? (this.throttledAt ?? this.clock.now()) : undefined;
  }

  isReached(): boolean {
    const now = this.clock.now();
    const throttledMs = this.throttledAt === undefined ? 0 : now - this.throttledAt;
    return now >= this.deadline || throttledMs >= LIMITS.throttledCommitSeconds * 1000;
  }
}
