/** Times in which nobody writes: hours, so that logs are trimmed, or a day, so that rules apply. */
import type { SeededRandom } from '../machine/random';
import type { Schedule } from '../service/schedule';
import type { Follower } from './followers';
import type { Setting } from './setting';

const HOUR_MS = 3_600_000;

/** A long one. Rules count whole days, and are looked at every 20 hours. */
const LONG_HOURS = [21, 30] as const;

/** In which every job runs once a long one is over: beside the writers. */
const AWAKE_MS = 20_000;

export interface LullOptions {
  readonly followers: readonly Follower[];
  readonly schedules: readonly Schedule[];
  /** Whether the next one may be long. */
  readonly mayBeLong: () => boolean;
}

export class Lulls {
  private lull: Promise<void> | undefined;
  private wake: () => void = () => undefined;

  /** Resolves when nobody is asked to rest. */
  get present(): Promise<void> | undefined {
    return this.lull;
  }

  /** Ends the present one. */
  end(): void {
    this.wake();
  }

  async run(setting: Setting, options: LullOptions): Promise<void> {
    const { pause, isEnding, simulation } = setting;
    const plan = simulation.random('lulls');
    const isSleepy = plan.chance(0.5);
    while (!isEnding()) {
      await pause(plan.between(500, isSleepy ? 3_000 : 20_000));
      if (isEnding()) return;
      const isLong = options.mayBeLong() && plan.chance(0.5);
      this.begin(plan, options, isLong);
      // Polls of an hour would be most of the events. Some others sleep, and come back too late.
      for (const one of options.followers) {
        if (isLong || one.options.transport === 'poll' || plan.chance(0.5)) one.rest();
      }
      const hours = isLong ? plan.between(...LONG_HOURS) : plan.between(10, 150) / 60;
      await pause(hours * HOUR_MS);
      this.end();
    }
  }

  /** What jobs do in a day would be most of the events, so they have one run afterwards. */
  private begin(plan: SeededRandom, { schedules }: LullOptions, isLong: boolean): void {
    if (isLong) for (const one of schedules) one.stop();
    this.lull = new Promise((resolve) => {
      this.wake = () => {
        this.lull = undefined;
        this.wake = () => undefined;
        if (isLong) for (const one of schedules) one.next(plan.between(1, AWAKE_MS));
        resolve();
      };
    });
  }
}
