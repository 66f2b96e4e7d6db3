import { createHash } from 'node:crypto';
import { isRecord } from '../../values/json';

/** A message in a queue. Times are epoch milliseconds. */
export interface Message {
  /** UUID; stays the same in the dead-letter queue. */
  readonly id: string;
  readonly body: string;
  readonly sentAt: number;
  /** ARN of the sender. */
  readonly sender: string;
  /** Of the call that sent it; continues a chain of requests. */
  readonly traceHeader?: string;
  readonly visibleAt: number;
  readonly receiveCount: number;
  readonly firstReceivedAt?: number;
  /** Only for a message in a FIFO queue. */
  readonly fifo?: FifoMessage;
  /** For a message in a dead-letter queue: the ARN of the queue from which it was moved. */
  readonly deadLetterSource?: string;
}

export interface FifoMessage {
  readonly groupId: string;
  readonly deduplicationId: string;
  /** Rises within the queue. */
  readonly sequence: number;
}

/** A message that was sent to a FIFO queue, saved for deduplication. */
export interface Sent extends FifoMessage {
  readonly id: string;
  readonly sentAt: number;
}

/**
 * A change of a queue, as the journal stores it. `queue` is the name of the queue. The changes of
 * one journal entry are atomic.
 */
export type Change =
  | { readonly queue: string; readonly put: Message }
  | { readonly queue: string; readonly id: string; readonly set: Partial<Message> }
  | { readonly queue: string; readonly drop: string }
  | { readonly queue: string; readonly sent: Sent };

export function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ReceiveMessage.html */
export function systemAttributes(message: Message): Record<string, string> {
  const { firstReceivedAt, deadLetterSource, fifo, traceHeader } = message;
  return {
    ApproximateReceiveCount: String(message.receiveCount),
    SentTimestamp: String(message.sentAt),
    SenderId: message.sender,
    ApproximateFirstReceiveTimestamp: String(firstReceivedAt ?? ''),
    ...(fifo && {
      MessageGroupId: fifo.groupId,
      MessageDeduplicationId: fifo.deduplicationId,
      SequenceNumber: sequenceNumber(fifo),
    }),
    ...(traceHeader && { AWSTraceHeader: traceHeader }),
    ...(deadLetterSource && { DeadLetterQueueSourceArn: deadLetterSource }),
  };
}

/** 20 digits, as in AWS. */
export function sequenceNumber({ sequence }: Pick<FifoMessage, 'sequence'>): string {
  return String(sequence).padStart(20, '0');
}

/** Identifies one receipt of a message. */
export interface Receipt {
  readonly queue: string;
  readonly id: string;
  readonly receiveCount: number;
}

export function writeHandle({ queue, id, receiveCount }: Receipt): string {
  return Buffer.from(JSON.stringify([queue, id, receiveCount])).toString('base64url');
}

/** undefined: writeHandle did not return this handle. */
export function readHandle(handle: string): Receipt | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(handle, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
  const [queue, id, receiveCount]: readonly unknown[] = Array.isArray(parts) ? parts : [];
  if (typeof queue !== 'string' || typeof id !== 'string' || typeof receiveCount !== 'number') {
    return undefined;
  }
  return { queue, id, receiveCount };
}

/** Narrows an entry of the journal. Throws for anything else. */
export function asChanges(entry: unknown): readonly Change[] {
  if (!Array.isArray(entry) || !entry.every((change) => isRecord(change) && 'queue' in change)) {
    throw new Error('not an entry of the queues');
  }
  return entry as readonly Change[];
}
