import { createHash } from 'node:crypto';
import { isRecord } from '../../template/json';

/** A message in a queue. Times are epoch milliseconds. */
export interface Message {
  /** UUID; stays the same in the dead-letter queue. */
  readonly id: string;
  readonly body: string;
  readonly sentAt: number;
  /** ARN of the sender. */
  readonly sender: string;
  readonly visibleAt: number;
  readonly receiveCount: number;
  readonly firstReceivedAt?: number;
  /** Of a message in a FIFO queue. */
  readonly fifo?: FifoMessage;
  /** Where it was before it came into this dead-letter queue: a queue's ARN. */
  readonly deadLetterSource?: string;
}

export interface FifoMessage {
  readonly groupId: string;
  readonly deduplicationId: string;
  /** Rises within the queue. */
  readonly sequence: number;
}

/** A message that was sent to a FIFO queue, so that it is not sent twice. */
export interface Sent extends FifoMessage {
  readonly id: string;
  readonly sentAt: number;
}

/**
 * What the journal keeps, by the queue's name. The changes of one entry happen together or not at
 * all.
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
  const { firstReceivedAt, deadLetterSource, fifo } = message;
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
    ...(deadLetterSource && { DeadLetterQueueSourceArn: deadLetterSource }),
  };
}

/** 20 digits, as AWS has them. */
export function sequenceNumber({ sequence }: Pick<FifoMessage, 'sequence'>): string {
  return String(sequence).padStart(20, '0');
}

/** Names one receipt of a message. */
export interface Receipt {
  readonly queue: string;
  readonly id: string;
  readonly receiveCount: number;
}

export function writeHandle({ queue, id, receiveCount }: Receipt): string {
  return Buffer.from(JSON.stringify([queue, id, receiveCount])).toString('base64url');
}

/** undefined: nothing that writeHandle has written. */
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

/** An entry of the journal. Throws for anything else. */
export function asChanges(entry: unknown): readonly Change[] {
  if (!Array.isArray(entry) || !entry.every((change) => isRecord(change) && 'queue' in change)) {
    throw new Error('not an entry of the queues');
  }
  return entry as readonly Change[];
}
