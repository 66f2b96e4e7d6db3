/**
 * Tells the outside about changes: at least once, as S3 does. An event counts as delivered when
 * `emit` has resolved; until that is on record in the bucket's journal it is delivered again, after
 * a pause or at the next start.
 */

import type { BucketStore } from '../storage/store';
import type { S3ObjectEvent } from './object-event';

const FIRST_PAUSE_MILLISECONDS = 1000;
const LONGEST_PAUSE_MILLISECONDS = 60_000;

export type Emit = (event: S3ObjectEvent) => void | Promise<void>;

export class EventDelivery {
  readonly #emit: Emit;
  readonly #report: (error: unknown) => void;
  readonly #delivered = new Map<BucketStore, number[]>();
  readonly #pauses = new Set<NodeJS.Timeout>();
  #flush: NodeJS.Immediate | undefined;
  #stopped = false;

  constructor(emit: Emit, report: (error: unknown) => void) {
    this.#emit = emit;
    this.#report = report;
  }

  /** Returns at once; `emit` runs after the change has been applied. */
  deliver(
    store: BucketStore,
    number: number,
    event: S3ObjectEvent,
    pause = FIRST_PAUSE_MILLISECONDS,
  ): void {
    if (this.#stopped) return;
    Promise.resolve()
      .then(() => this.#emit(event))
      .then(
        () => this.#acknowledge(store, number),
        (error) => {
          this.#report(error);
          this.#later(pause, () => {
            this.deliver(store, number, event, Math.min(pause * 2, LONGEST_PAUSE_MILLISECONDS));
          });
        },
      );
  }

  /**
   * Records what has been delivered so far. What is still on its way is delivered again at the next
   * start.
   */
  stop(): void {
    this.#record();
    this.#stopped = true;
    clearImmediate(this.#flush);
    for (const pause of this.#pauses) clearTimeout(pause);
  }

  #acknowledge(store: BucketStore, number: number): void {
    if (this.#stopped) return;
    const numbers = this.#delivered.get(store) ?? [];
    numbers.push(number);
    this.#delivered.set(store, numbers);
    // One line for all that finish in a turn of the event loop.
    this.#flush ??= setImmediate(() => this.#record());
  }

  #record(): void {
    this.#flush = undefined;
    const delivered = [...this.#delivered];
    this.#delivered.clear();
    for (const [store, numbers] of delivered) {
      try {
        store.acknowledge(numbers);
      } catch (error) {
        this.#report(error);
      }
    }
  }

  #later(milliseconds: number, task: () => void): void {
    const pause = setTimeout(() => {
      this.#pauses.delete(pause);
      task();
    }, milliseconds);
    this.#pauses.add(pause);
  }
}
