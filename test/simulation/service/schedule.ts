/** A schedule of EventBridge, which invokes a function at an interval. */
import type { Timer, VirtualTime } from '../machine/virtual-time';
import type { Outcome } from './lambda-function';

/** A run of a job that has ended, on the virtual clock. */
export interface EndedRun {
  readonly from: number;
  readonly until: number;
  /** Whether it did not fail. */
  readonly isDone: boolean;
}

/** Called with what became of a run. */
export type Done = (outcome: Outcome<unknown>) => void;

export interface ScheduleOptions {
  readonly minutes: number;
  readonly invoke: (done: Done) => void;
  readonly onEnded?: (run: EndedRun) => void;
}

/** A run that fails is left to the next one. */
export class Schedule {
  private timer: Timer | undefined;

  constructor(
    private readonly time: VirtualTime,
    private readonly options: ScheduleOptions,
  ) {
    this.next();
  }

  /** The next run is so many milliseconds from now; later ones follow at the interval. */
  next(milliseconds = this.options.minutes * 60_000): void {
    this.stop();
    this.timer = this.time.after(milliseconds, () => this.run());
  }

  stop(): void {
    this.time.cancel(this.timer);
  }

  private run(): void {
    const { time, options } = this;
    const from = time.now;
    options.invoke((outcome) =>
      options.onEnded?.({ from, until: time.now, isDone: 'result' in outcome }),
    );
    this.next();
  }
}
