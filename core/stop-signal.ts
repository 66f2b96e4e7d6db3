/**
 * Stops long work when its time is over; an `AbortSignal` is one. The signals of this file need no
 * timer: they read the clock each time `aborted` is read, so a test decides when they abort.
 */
import type { Clock } from './system';

export type StopSignal = Pick<AbortSignal, 'aborted'>;

/** A signal that is aborted whenever `condition` holds. */
export function stopWhen(condition: () => boolean): StopSignal {
  return {
    get aborted() {
      return condition();
    },
  };
}

/** A signal that is aborted from `time` (epoch milliseconds) on. */
export function stopAt(clock: Pick<Clock, 'now'>, time: number): StopSignal {
  return stopWhen(() => clock.now() >= time);
}

export const NEVER_STOP: StopSignal = { aborted: false };
