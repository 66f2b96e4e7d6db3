/** The events that have arrived and that the reader has not read, in order. */
import type { SubscriptionEvent } from './events';

interface Queued {
  event: SubscriptionEvent;
  readonly key: string;
}

/**
 * Keeps only the newest of consecutive unread cursor events of a bucket, and of consecutive unread
 * status events. So it holds at most two entries per change, and two more per bucket.
 */
export class EventQueue {
  #queued: Queued[] = [];
  #next = 0;
  /** The last queued entry of each key. */
  readonly #last = new Map<string, Queued>();
  #wakeReader: (() => void) | undefined;
  #end: { readonly error?: unknown } | undefined;

  get size(): number {
    return this.#queued.length - this.#next;
  }

  push(event: SubscriptionEvent): void {
    if (this.#end) return;
    const key = event.type === 'status' ? `status of ${event.buckets[0]}` : event.bucket;
    const last = this.#last.get(key);
    const isReplaceable = event.type === 'cursor' || event.type === 'status';
    if (isReplaceable && last?.event.type === event.type) {
      last.event = event;
    } else {
      const queued = { event, key };
      this.#queued.push(queued);
      this.#last.set(key, queued);
    }
    this.#wake();
  }

  /** Ends the queue once the queued events are read: `shift` then throws `error`, if given. */
  end(error?: unknown): void {
    this.#end ??= error === undefined ? {} : { error };
    this.#wake();
  }

  /** Ends the queue at once and drops the queued events. */
  discard(): void {
    this.#queued = [];
    this.#next = 0;
    this.#end = {};
    this.#wake();
  }

  /** Returns the next event, or undefined when the queue has ended. */
  async shift(): Promise<SubscriptionEvent | undefined> {
    while (this.size === 0) {
      if (this.#end) {
        if ('error' in this.#end) throw this.#end.error;
        return undefined;
      }
      await new Promise<void>((resolve) => {
        this.#wakeReader = resolve;
      });
    }
    return this.#take();
  }

  #take(): SubscriptionEvent | undefined {
    const queued = this.#queued[this.#next];
    if (!queued) return undefined;
    this.#next += 1;
    if (this.#last.get(queued.key) === queued) this.#last.delete(queued.key);
    // Array.shift would move all the other entries each time.
    if (this.#next >= 1024 || this.#next === this.#queued.length) {
      this.#queued.splice(0, this.#next);
      this.#next = 0;
    }
    return queued.event;
  }

  #wake(): void {
    this.#wakeReader?.();
    this.#wakeReader = undefined;
  }
}
