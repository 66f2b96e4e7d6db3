import type { DeferredTask, DeferredTasks } from '../../../../core/channel/ports';
import type { Clock } from '../../../../core/system';
import type { FakeClock } from '../clock';
import { copy, type FakeState } from '../state';

const MAX_DELAY_SECONDS = 900;
/** A test that takes more has a handler that adds tasks without end. */
const MAX_DRAINED = 100_000;

/** The DeferredTasks port in memory. */
export class FakeDeferredTasks implements DeferredTasks {
  constructor(
    private readonly state: FakeState,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  async add(task: DeferredTask, delaySeconds: number): Promise<void> {
    if (!(delaySeconds >= 0 && delaySeconds <= MAX_DELAY_SECONDS)) {
      throw new RangeError(`a delay of ${delaySeconds} s`);
    }
    const dueAt = this.clock.now() + Math.ceil(delaySeconds) * 1000;
    this.state.deferredTasks.push({ task: copy(task), dueAt });
  }
}

/** Simulates SQS for a consumer: returns the tasks that are due. */
export class FakeQueue {
  constructor(
    private readonly state: FakeState,
    private readonly clock: FakeClock,
  ) {}

  /** The number of queued tasks, due or not. */
  get length(): number {
    return this.state.deferredTasks.length;
  }

  /**
   * Epoch milliseconds at which the earliest task is or was due; undefined when the queue is empty.
   */
  nextAt(): number | undefined {
    const times = this.state.deferredTasks.map(({ dueAt }) => dueAt);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Removes and returns all tasks that are due, earliest first. */
  take(): DeferredTask[] {
    const now = this.clock.now();
    const due = this.state.deferredTasks.filter(({ dueAt }) => dueAt <= now);
    const rest = this.state.deferredTasks.filter(({ dueAt }) => dueAt > now);
    this.state.deferredTasks.splice(0, Infinity, ...rest);
    return due.sort((a, b) => a.dueAt - b.dueAt).map(({ task }) => task);
  }

  /**
   * Calls the handler with each task when it is due, moving the clock, until the queue is empty.
   * Includes tasks that the handler adds.
   */
  async drain(handler: (task: DeferredTask) => Promise<void>): Promise<void> {
    let drained = 0;
    for (let at = this.nextAt(); at !== undefined; at = this.nextAt()) {
      this.clock.advance(Math.max(0, at - this.clock.now()));
      for (const task of this.take()) {
        await handler(task);
        drained += 1;
        if (drained > MAX_DRAINED) throw new Error(`still not empty after ${drained} tasks`);
      }
    }
  }
}
