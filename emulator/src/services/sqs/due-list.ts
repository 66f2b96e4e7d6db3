/**
 * A priority queue of values by the time at which they are due, the earliest first; of equal times,
 * the one that was added first.
 */
export class DueList<T> {
  /** A binary heap: an entry is never later than its two children. */
  private readonly heap: Entry<T>[] = [];
  private added = 0;

  add(time: number, value: T): void {
    let place = this.heap.length;
    const entry = { time, order: this.added++, value };
    this.heap.push(entry);
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = this.heap[above];
      if (parent === undefined || isBefore(parent, entry)) break;
      this.heap[place] = parent;
      place = above;
    }
    this.heap[place] = entry;
  }

  first(): { readonly time: number; readonly value: T } | undefined {
    return this.heap[0];
  }

  takeFirst(): T | undefined {
    const [first] = this.heap;
    const last = this.heap.pop();
    if (first === undefined || last === undefined) return undefined;
    if (this.heap.length > 0) this.sink(last);
    return first.value;
  }

  private sink(entry: Entry<T>): void {
    let place = 0;
    for (;;) {
      const left = this.heap[2 * place + 1];
      const right = this.heap[2 * place + 2];
      const child = left && right && isBefore(right, left) ? right : left;
      if (child === undefined || isBefore(entry, child)) break;
      this.heap[place] = child;
      place = 2 * place + (child === left ? 1 : 2);
    }
    this.heap[place] = entry;
  }
}

interface Entry<T> {
  readonly time: number;
  readonly order: number;
  readonly value: T;
}

function isBefore<T>(a: Entry<T>, b: Entry<T>): boolean {
  return a.time < b.time || (a.time === b.time && a.order < b.order);
}
