import type { Change, FifoMessage, Message, Sent } from './message';
import type { FifoSettings } from './queue-definition';
import { QueueState } from './queue-state';

/** Milliseconds in which SQS deduplicates a message that is sent again. */
const DEDUPLICATION_MS = 5 * 60_000;

/**
 * The messages of a FIFO queue. The messages of a group are received in the order of their sending,
 * and none while an earlier one of the group is hidden.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-queues-understanding-logic.html
 */
export class FifoState extends QueueState {
  /** Messages that takeDue has returned and that are neither changed nor put back yet. */
  private readonly taken = new Set<string>();
  private readonly sent = new Map<string, Sent>();
  private last = 0;

  constructor(private readonly settings: FifoSettings) {
    super();
  }

  override apply(change: Change): void {
    if ('sent' in change) this.addSent(change.sent);
    if ('put' in change && change.put.fifo) {
      const { id, sentAt, fifo } = change.put;
      this.addSent({ id, sentAt, ...fifo });
    }
    super.apply(change);
    if (!('drop' in change)) return;
    this.taken.delete(change.drop);
    // The next message of the group can be received now.
    this.wake();
  }

  /** Returns the message that was sent with that deduplication id in the last five minutes. */
  findDuplicate(
    message: Pick<FifoMessage, 'groupId' | 'deduplicationId'>,
    now: number,
  ): Sent | undefined {
    const sent = this.sent.get(this.deduplicationKey(message));
    return sent && sent.sentAt > now - DEDUPLICATION_MS ? sent : undefined;
  }

  /** Returns a sequence number above all earlier ones, also across restarts. */
  nextSequence(now: number): number {
    return Math.max(this.last + 1, now * 1000);
  }

  override *recentlySent(now: number): Generator<Sent> {
    for (const [name, sent] of this.sent) {
      if (sent.sentAt > now - DEDUPLICATION_MS) yield sent;
      else this.sent.delete(name);
    }
  }

  override takeDue(now: number): Message | undefined {
    const waiting = new Set<string | undefined>();
    for (const message of this.all()) {
      const group = message.fifo?.groupId;
      if (this.taken.has(message.id) || waiting.has(group)) continue;
      if (message.visibleAt <= now) {
        this.taken.add(message.id);
        return message;
      }
      waiting.add(group);
    }
    return undefined;
  }

  override putBack({ id }: Message): void {
    this.taken.delete(id);
  }

  override nextDue(): number | undefined {
    const first = new Map<string | undefined, number>();
    for (const { fifo, visibleAt } of this.all()) {
      if (!first.has(fifo?.groupId)) first.set(fifo?.groupId, visibleAt);
    }
    return first.size === 0 ? undefined : Math.min(...first.values());
  }

  private addSent(sent: Sent): void {
    this.sent.set(this.deduplicationKey(sent), sent);
    this.last = Math.max(this.last, sent.sequence);
  }

  private deduplicationKey({
    groupId,
    deduplicationId,
  }: Pick<FifoMessage, 'groupId' | 'deduplicationId'>) {
    return this.settings.scope === 'queue'
      ? deduplicationId
      : JSON.stringify([groupId, deduplicationId]);
  }
}
