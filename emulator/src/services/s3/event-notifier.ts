/**
 * Emits the events of changes, at least once, as S3 does. When `emit` rejects, the event is emitted
 * again after a delay. When `emit` resolves, the event is acknowledged in the bucket's journal;
 * events that are not acknowledged are emitted again at the next start.
 */

import type { S3ObjectEvent } from './storage/object-event';
import type { BucketStore } from './storage/store';

const FIRST_DELAY_MILLISECONDS = 1000;
const LONGEST_DELAY_MILLISECONDS = 60_000;

export type Emit = (event: S3ObjectEvent) => void | Promise<void>;

export class EventNotifier {
  readonly #emit: Emit;
  readonly #report: (error: unknown) => void;
  readonly #emitted = new Map<BucketStore, number[]>();
  readonly #retries = new Set<NodeJS.Timeout>();
  #flush: NodeJS.Immediate | undefined;
  #stopped = false;

  constructor(emit: Emit, report: (error: unknown) => void) {
    this.#emit = emit;
    this.#report = report;
  }

  /** Returns at once; calls `emit` after the change has been applied. */
  notify(
    store: BucketStore,
    number: number,
    event: S3ObjectEvent,
    delay = FIRST_DELAY_MILLISECONDS,
  ): void {
    if (this.#stopped) return;
    Promise.resolve()
      .then(() => this.#emit(event))
      .then(
        () => this.#acknowledge(store, number),
        (error) => {
          this.#report(error);
          this.#retryAfter(delay, () => {
            this.notify(store, number, event, Math.min(delay * 2, LONGEST_DELAY_MILLISECONDS));
          });
        },
      );
  }

  /**
   * Acknowledges what has been emitted so far. Events for which `emit` has not resolved yet are
   * emitted again at the next start.
   */
  stop(): void {
    this.#record();
    this.#stopped = true;
    clearImmediate(this.#flush);
    for (const retry of this.#retries) clearTimeout(retry);
  }

  #acknowledge(store: BucketStore, number: number): void {
    if (this.#stopped) return;
    const numbers = this.#emitted.get(store) ?? [];
    numbers.push(number);
    this.#emitted.set(store, numbers);
    // One journal line for all that finish in one turn of the event loop.
    this.#flush ??= setImmediate(() => this.#record());
  }

  #record(): void {
    this.#flush = undefined;
    const emitted = [...this.#emitted];
    this.#emitted.clear();
    for (const [store, numbers] of emitted) {
      try {
        store.acknowledge(numbers);
      } catch (error) {
        this.#report(error);
      }
    }
  }

  #retryAfter(milliseconds: number, task: () => void): void {
    const retry = setTimeout(() => {
      this.#retries.delete(retry);
      task();
    }, milliseconds);
    this.#retries.add(retry);
  }
}
