import type { DeferredTask, DeferredTasks } from '../../../core/channel/ports';
import type { Clock } from '../../../core/system';
import type { FakeClock } from './clock';
import { copy, type FakeState } from './state';

const MAX_DELAY_SECONDS = 900;
/** A test that takes more has a handler that adds work for ever. */
const MAX_DRAINED = 100_000;

export interface QueuedFollowUp {
  readonly followUp: DeferredTask;
  /** Epoch milliseconds. */
  readonly dueAt: number;
}

/** The FollowUps port in memory. */
export class FakeFollowUps implements DeferredTasks {
  constructor(
    private readonly state: FakeState,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  async add(followUp: DeferredTask, delaySeconds: number): Promise<void> {
    if (!(delaySeconds >= 0 && delaySeconds <= MAX_DELAY_SECONDS)) {
      throw new RangeError(`a delay of ${delaySeconds} s`);
    }
    const dueAt = this.clock.now() + Math.ceil(delaySeconds) * 1000;
    this.state.followUps.push({ followUp: copy(followUp), dueAt });
  }
}

/** Plays SQS towards a consumer: hands out what is due. */
export class FakeQueue {
  constructor(
    private readonly state: FakeState,
    private readonly clock: FakeClock,
  ) {}

  /** How many are queued, due or not. */
  get length(): number {
    return this.state.followUps.length;
  }

  /** Epoch milliseconds at which the next one is or was due. */
  nextAt(): number | undefined {
    const times = this.state.followUps.map(({ dueAt }) => dueAt);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Takes away all that is due, in the order in which it came to be. */
  take(): DeferredTask[] {
    const now = this.clock.now();
    const due = this.state.followUps.filter(({ dueAt }) => dueAt <= now);
    const rest = this.state.followUps.filter(({ dueAt }) => dueAt > now);
    this.state.followUps.splice(0, Infinity, ...rest);
    return due.sort((a, b) => a.dueAt - b.dueAt).map(({ followUp }) => followUp);
  }

  /**
   * Gives everything to the handler when it is due, moving the clock, until nothing is left, also
   * not of what the handler adds.
   */
  async drain(handler: (followUp: DeferredTask) => Promise<void>): Promise<void> {
    let drained = 0;
    for (let at = this.nextAt(); at !== undefined; at = this.nextAt()) {
      this.clock.advance(Math.max(0, at - this.clock.now()));
      for (const followUp of this.take()) {
        await handler(followUp);
        drained += 1;
        if (drained > MAX_DRAINED) throw new Error(`still not empty after ${drained} follow-ups`);
      }
    }
  }
}
