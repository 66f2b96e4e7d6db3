import { DueList } from './due-list';
import type { Change, Message, Sent } from './message';

export interface QueueCounts {
  readonly visible: number;
  /** Received, and neither deleted nor visible again. */
  readonly inFlight: number;
  /** Sent with a delay that has not passed. */
  readonly delayed: number;
}

/** An entry in the list of due messages; compared by identity. */
interface DueEntry {
  readonly id: string;
}

/** The messages of one queue in memory, as the changes in the journal leave them. */
export class QueueState {
  private readonly messages = new Map<string, Message>();
  /**
   * Messages by the time at which they can be received. An entry counts only while `dueEntries`
   * has it; others are skipped.
   */
  private readonly due = new DueList<DueEntry>();
  private readonly dueEntries = new Map<string, DueEntry>();
  private readonly waiters = new Set<() => void>();

  apply(change: Change): void {
    if ('sent' in change) return;
    if ('drop' in change) {
      this.messages.delete(change.drop);
      this.dueEntries.delete(change.drop);
      return;
    }
    const message = 'put' in change ? change.put : this.patched(change.id, change.set);
    if (message === undefined) return;
    this.messages.set(message.id, message);
    this.putBack(message);
    this.wake();
  }

  /** Lets the waiting receives check for messages again. */
  protected wake(): void {
    for (const wake of [...this.waiters]) wake();
  }

  get(id: string): Message | undefined {
    return this.messages.get(id);
  }

  all(): Iterable<Message> {
    return this.messages.values();
  }

  /** Messages that were sent recently, for deduplication; none in a standard queue. */
  *recentlySent(_now: number): Generator<Sent> {}

  get size(): number {
    return this.messages.size;
  }

  /** Returns the next message that can be received. The caller must change it or put it back. */
  takeDue(now: number): Message | undefined {
    const time = this.nextDue();
    if (time === undefined || time > now) return undefined;
    const place = this.due.takeFirst();
    if (place === undefined) return undefined;
    this.dueEntries.delete(place.id);
    return this.messages.get(place.id);
  }

  putBack({ id, visibleAt }: Message): void {
    const place = { id };
    this.dueEntries.set(id, place);
    this.due.add(visibleAt, place);
  }

  /**
   * Epoch milliseconds at which the next message can be received; undefined: the queue is empty.
   */
  nextDue(): number | undefined {
    for (let first = this.due.first(); first !== undefined; first = this.due.first()) {
      if (this.dueEntries.get(first.value.id) === first.value) return first.time;
      this.due.takeFirst();
    }
    return undefined;
  }

  counts(now: number): QueueCounts {
    let visible = 0;
    let inFlight = 0;
    for (const message of this.messages.values()) {
      if (message.visibleAt <= now) visible++;
      else if (message.receiveCount > 0) inFlight++;
    }
    return { visible, inFlight, delayed: this.messages.size - visible - inFlight };
  }

  /**
   * Resolves when a message may have become visible, at the deadline (epoch milliseconds), or when
   * the signal is aborted.
   */
  arrival(deadline: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.waiters.delete(end);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const until = Math.min(deadline, this.nextDue() ?? deadline);
      const timer = setTimeout(end, Math.max(until - Date.now(), 1));
      this.waiters.add(end);
      signal.addEventListener('abort', end, { once: true });
    });
  }

  private patched(id: string, set: Partial<Message>): Message | undefined {
    const message = this.messages.get(id);
    return message && { ...message, ...set };
  }
}
