/** The queues of a stack and their journal. */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Journal } from '../../machine/journal';
import type { ReceivedMessage, ReceiveOptions } from '../events/queue-source';
import { Disorder, type QueueDisorder } from './disorder';
import { invalidParameter, SqsError } from './errors';
import { FifoState } from './fifo-state';
import {
  asChanges,
  type Change,
  type FifoMessage,
  type Message,
  md5,
  type Receipt,
  readHandle,
  systemAttributes,
  writeHandle,
} from './message';
import type { QueueDefinition } from './queue-definition';
import { type QueueCounts, QueueState } from './queue-state';

/** Most messages in flight in a standard queue, as in AWS. */
const MAX_IN_FLIGHT = 120_000;
/** Number of appended lines after which the journal is rewritten. */
const COMPACTION_LINES = 20_000;

export interface NewMessage {
  readonly body: string;
  /** Milliseconds; by default the delay of the queue. */
  readonly delay?: number;
  /** Only for a FIFO queue. */
  readonly fifo?: Pick<FifoMessage, 'groupId' | 'deduplicationId'>;
  readonly traceHeader?: string;
}

export class Queues {
  /** By name; queues that are no longer in the template keep their messages. */
  private readonly states = new Map<string, QueueState>();
  private readonly definitions: ReadonlyMap<string, QueueDefinition>;
  private readonly byArn: ReadonlyMap<string, QueueDefinition>;
  private readonly journal: Journal;
  private readonly disorder: Disorder;
  private readonly closing = new AbortController();
  private lines = 0;

  constructor(
    definitions: readonly QueueDefinition[],
    directory: string,
    disorder: QueueDisorder = { seed: 0 },
  ) {
    this.definitions = new Map(definitions.map((queue) => [queue.name, queue]));
    this.byArn = new Map(definitions.map((queue) => [queue.arn, queue]));
    this.disorder = new Disorder(disorder);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.journal = Journal.open(join(directory, 'messages.jsonl'), (entry) => {
      for (const change of asChanges(entry)) this.state(change.queue).apply(change);
    });
    this.dropExpired();
    this.compact();
  }

  find(name: string): QueueDefinition | undefined {
    return this.definitions.get(name);
  }

  findByArn(arn: string): QueueDefinition | undefined {
    return this.byArn.get(arn);
  }

  counts(queue: QueueDefinition): QueueCounts {
    return this.state(queue.name).counts(Date.now());
  }

  /**
   * Sends a message, which is on disk when this returns. For a duplicate in a FIFO queue, returns
   * the id and the sequence number of the first message.
   */
  send(queue: QueueDefinition, message: NewMessage, sender: string): Pick<Message, 'id' | 'fifo'> {
    const { body, delay = queue.delay, traceHeader } = message;
    const sentAt = Date.now();
    const state = this.state(queue.name);
    const known =
      message.fifo && state instanceof FifoState && state.findDuplicate(message.fifo, sentAt);
    if (known) return { id: known.id, fifo: known };
    const fifo = this.inOrder(queue.name, message.fifo, sentAt);
    const visibleAt = sentAt + delay;
    const put = { id: randomUUID(), body, sentAt, sender, traceHeader, visibleAt, fifo };
    this.commit([{ queue: queue.name, put: { ...put, receiveCount: 0 } }]);
    return put;
  }

  private inOrder(queue: string, named: NewMessage['fifo'], now: number): FifoMessage | undefined {
    const state = this.state(queue);
    if (named === undefined || !(state instanceof FifoState)) return undefined;
    const { groupId, deduplicationId } = named;
    return { groupId, deduplicationId, sequence: state.nextSequence(now) };
  }

  /** Receives messages. Waits for the first one at most `wait` milliseconds. */
  async receive(
    queue: QueueDefinition,
    { limit, wait, hideFor = queue.visibilityTimeout, signal }: ReceiveOptions,
  ): Promise<readonly ReceivedMessage[]> {
    const stop = signal ? AbortSignal.any([signal, this.closing.signal]) : this.closing.signal;
    const deadline = Date.now() + wait;
    for (;;) {
      if (stop.aborted) return [];
      const messages = this.take(queue, limit, hideFor);
      if (messages.length > 0 || Date.now() >= deadline) return messages;
      await this.state(queue.name).arrival(deadline, stop);
    }
  }

  /**
   * Deletes a message. Has no effect when it does not exist or was received again since. Throws
   * ReceiptHandleIsInvalid.
   */
  delete(queue: QueueDefinition, handle: string): void {
    const message = this.current(this.receipt(queue, handle));
    if (message === undefined) return;
    const { name } = queue;
    // A message whose deletion is lost becomes visible at once.
    if (!queue.fifo && this.disorder.losesDeletion(message.id)) {
      this.commit([{ queue: name, id: message.id, set: { visibleAt: Date.now() } }]);
    } else {
      this.commit([{ queue: name, drop: message.id }]);
    }
  }

  /**
   * Hides a message in flight for the given milliseconds from now on. Throws SqsError when it is
   * not in flight.
   */
  changeVisibility(queue: QueueDefinition, handle: string, hideFor: number): void {
    const receipt = this.receipt(queue, handle);
    const now = Date.now();
    const message = this.state(queue.name).get(receipt.id);
    if (message === undefined) {
      const reason = 'Message does not exist or is not available for visibility timeout change';
      throw invalidParameter('ReceiptHandle', handle, reason);
    }
    if (message.receiveCount !== receipt.receiveCount || message.visibleAt <= now) {
      throw new SqsError('MessageNotInflight', 'The message referred to is not in flight.');
    }
    this.commit([{ queue: queue.name, id: message.id, set: { visibleAt: now + hideFor } }]);
  }

  purge(queue: QueueDefinition): void {
    const messages = [...this.state(queue.name).all()];
    this.commit(messages.map(({ id }) => ({ queue: queue.name, drop: id })));
  }

  /** Makes a message in flight visible at once. Has no effect on other messages. */
  release(queue: QueueDefinition, handle: string): void {
    const message = this.current(this.receipt(queue, handle));
    const now = Date.now();
    if (message === undefined || message.visibleAt <= now) return;
    this.commit([{ queue: queue.name, id: message.id, set: { visibleAt: now } }]);
  }

  /** Moves a message in flight to the dead-letter queue; deletes it if the queue has none. */
  discard(queue: QueueDefinition, handle: string): void {
    const { name, redrive } = queue;
    const message = this.current(this.receipt(queue, handle));
    if (message === undefined) return;
    if (redrive === undefined) this.commit([{ queue: name, drop: message.id }]);
    else this.commit(this.moveToDeadLetters(queue, message, redrive.deadLetterArn, Date.now()));
  }

  /** Ends all waiting receives; they return no messages. */
  endWaits(): void {
    this.closing.abort();
  }

  /** Call it after all other calls have returned. */
  close(): void {
    this.closing.abort();
    this.journal.close();
  }

  private state(name: string): QueueState {
    let state = this.states.get(name);
    if (state === undefined) {
      const fifo = this.definitions.get(name)?.fifo;
      state = fifo ? new FifoState(fifo) : new QueueState();
      this.states.set(name, state);
    }
    return state;
  }

  private receipt(queue: QueueDefinition, handle: string): Receipt {
    const receipt = readHandle(handle);
    if (receipt?.queue === queue.name) return receipt;
    throw new SqsError(
      'ReceiptHandleIsInvalid',
      `The input receipt handle "${handle}" is not a valid receipt handle.`,
    );
  }

  /** The message of a receipt; undefined when it was received again since. */
  private current({ queue, id, receiveCount }: Receipt): Message | undefined {
    const message = this.state(queue).get(id);
    return message?.receiveCount === receiveCount ? message : undefined;
  }

  private take(queue: QueueDefinition, limit: number, hideFor: number): readonly ReceivedMessage[] {
    const now = Date.now();
    const state = this.state(queue.name);
    if (state.size > MAX_IN_FLIGHT && state.counts(now).inFlight + limit > MAX_IN_FLIGHT) {
      throw new SqsError('OverLimit', `more than ${MAX_IN_FLIGHT} messages are in flight`, 403);
    }
    const changes: Change[] = [];
    const received: Message[] = [];
    const taken: Message[] = [];
    while (received.length < limit) {
      const takeDue = () => state.takeDue(now);
      const message = queue.fifo
        ? takeDue()
        : this.disorder.pick(takeDue, (other) => state.putBack(other));
      if (message === undefined) break;
      taken.push(message);
      if (message.sentAt + queue.retention <= now) {
        changes.push({ queue: queue.name, drop: message.id });
      } else if (queue.redrive && message.receiveCount >= queue.redrive.maxReceiveCount) {
        changes.push(...this.moveToDeadLetters(queue, message, queue.redrive.deadLetterArn, now));
      } else {
        const set = {
          receiveCount: message.receiveCount + 1,
          firstReceivedAt: message.firstReceivedAt ?? now,
          visibleAt: now + (!queue.fifo && this.disorder.overlaps() ? 0 : hideFor),
        };
        changes.push({ queue: queue.name, id: message.id, set });
        received.push({ ...message, ...set });
      }
    }
    try {
      this.commit(changes);
    } catch (error) {
      for (const message of taken) state.putBack(message);
      throw error;
    }
    return received.map((message) => ({
      id: message.id,
      handle: writeHandle({ ...message, queue: queue.name }),
      body: message.body,
      md5OfBody: md5(message.body),
      attributes: systemAttributes(message),
    }));
  }

  private moveToDeadLetters(
    from: QueueDefinition,
    { id, body, sentAt, sender, traceHeader, fifo: named }: Message,
    deadLetterArn: string,
    now: number,
  ): readonly Change[] {
    const to = this.byArn.get(deadLetterArn);
    if (to === undefined) throw new Error(`there is no queue ${deadLetterArn}`);
    // Retention counts from the first sending, so `sentAt` stays.
    const fifo = this.inOrder(to.name, named, now);
    const message = { id, body, sentAt, sender, traceHeader, fifo, visibleAt: now };
    return [
      { queue: from.name, drop: id },
      { queue: to.name, put: { ...message, receiveCount: 0, deadLetterSource: from.arn } },
    ];
  }

  private dropExpired(): void {
    const now = Date.now();
    for (const queue of this.definitions.values()) {
      const state = this.state(queue.name);
      for (const { id, sentAt } of [...state.all()]) {
        if (sentAt + queue.retention <= now) state.apply({ queue: queue.name, drop: id });
      }
    }
  }

  private commit(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    this.journal.append(changes);
    for (const change of changes) this.state(change.queue).apply(change);
    if (++this.lines > COMPACTION_LINES) this.compact();
  }

  private compact(): void {
    this.journal.rewrite(this.entries());
    this.lines = 0;
  }

  private *entries(): Generator<{ readonly entry: readonly Change[] }> {
    for (const [queue, state] of this.states) {
      for (const sent of state.recentlySent(Date.now())) yield { entry: [{ queue, sent }] };
      for (const put of state.all()) yield { entry: [{ queue, put }] };
    }
  }
}
