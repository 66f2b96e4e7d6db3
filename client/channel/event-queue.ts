/** What has come and is not yet consumed, in order. */
import type { SubscriptionEvent } from './events';

interface Queued {
  event: SubscriptionEvent;
  readonly key: string;
}

/**
 * A cursor that was not consumed yet gives way to the newer one, and so does a status: the queue
 * holds at most two entries per change, and two more per bucket.
 */
export class EventQueue {
  #queued: Queued[] = [];
  #next = 0;
  /** Of each key the last one, while it is queued. */
  readonly #last = new Map<string, Queued>();
  #waiting: (() => void) | undefined;
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

  /** What is queued is still handed out; then the queue ends, or throws `error`. */
  end(error?: unknown): void {
    this.#end ??= error === undefined ? {} : { error };
    this.#wake();
  }

  /** Ends at once. */
  discard(): void {
    this.#queued = [];
    this.#next = 0;
    this.#end = {};
    this.#wake();
  }

  /** The next event, when there is one. undefined: the end. */
  async shift(): Promise<SubscriptionEvent | undefined> {
    while (this.size === 0) {
      if (this.#end) {
        if ('error' in this.#end) throw this.#end.error;
        return undefined;
      }
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
    return this.#take();
  }

  #take(): SubscriptionEvent | undefined {
    const queued = this.#queued[this.#next];
    if (!queued) return undefined;
    this.#next += 1;
    if (this.#last.get(queued.key) === queued) this.#last.delete(queued.key);
    // Not by Array.shift, which moves all the others.
    if (this.#next >= 1024 || this.#next === this.#queued.length) {
      this.#queued.splice(0, this.#next);
      this.#next = 0;
    }
    return queued.event;
  }

  #wake(): void {
    this.#waiting?.();
    this.#waiting = undefined;
  }
}
