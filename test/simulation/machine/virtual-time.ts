/**
 * The one clock and the one scheduler of a simulation. Nothing happens between two events: each is
 * followed by everything that Node.js does for it without waiting (microtasks, `process.nextTick`).
 */
import { FAKE_EPOCH } from '../../support/fakes/clock';

export interface Timer {
  readonly at: number;
  /** Orders timers of the same millisecond. */
  readonly order: number;
  run: (() => void) | undefined;
}

const { setImmediate: nextTurn } = globalThis;

/** Until all work that is not waiting for an event is done. */
const settled = () => new Promise<void>((resolve) => nextTurn(resolve));

export class VirtualTime {
  now = FAKE_EPOCH;
  /** Events so far. A timer that was cancelled is none. */
  events = 0;
  /** Of the times and the order of all events: the same seed has the same. */
  trace = 0x811c9dc5;
  private readonly heap: Timer[] = [];
  private orders = 0;

  after(milliseconds: number, run: () => void): Timer {
    const at = this.now + Math.max(0, Math.ceil(milliseconds) || 0);
    this.orders += 1;
    const timer = { at, order: this.orders, run };
    this.heap.push(timer);
    this.rise(this.heap.length - 1);
    return timer;
  }

  cancel(timer: Timer | undefined): void {
    if (timer) timer.run = undefined;
  }

  /** Adds something else to the trace. */
  note(value: number): void {
    this.trace = Math.imul(this.trace ^ value, 0x01000193);
  }

  /** Runs events in order of time until `isOver` holds before one, or there is none left. */
  async run(isOver: () => boolean): Promise<void> {
    await settled();
    while (!isOver()) {
      const timer = this.take();
      if (timer === undefined) return;
      if (timer.run === undefined) continue;
      this.now = timer.at;
      this.events += 1;
      this.note(timer.at);
      this.note(timer.order);
      timer.run();
      await settled();
    }
  }

  private take(): Timer | undefined {
    const { heap } = this;
    const [first] = heap;
    const last = heap.pop();
    if (last !== undefined && first !== last) {
      heap[0] = last;
      this.sink();
    }
    return first;
  }

  private rise(from: number): void {
    for (let index = from; index > 0; ) {
      const parent = (index - 1) >> 1;
      if (!this.swapUnlessOrdered(parent, index)) return;
      index = parent;
    }
  }

  private sink(): void {
    for (let index = 0; ; ) {
      const left = 2 * index + 1;
      const right = left + 1;
      const { heap } = this;
      if (left >= heap.length) return;
      const child = right < heap.length && isBefore(heap[right], heap[left]) ? right : left;
      if (!this.swapUnlessOrdered(index, child)) return;
      index = child;
    }
  }

  private swapUnlessOrdered(parent: number, child: number): boolean {
    const above = this.heap[parent];
    const below = this.heap[child];
    if (above === undefined || below === undefined || !isBefore(below, above)) return false;
    this.heap[parent] = below;
    this.heap[child] = above;
    return true;
  }
}

function isBefore(a: Timer | undefined, b: Timer | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
