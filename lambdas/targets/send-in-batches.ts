/** Sends messages in requests of ten, in which each message may fail by itself. */
import type { StopSignal } from '../../core/stop-signal';

/**
 * SQS and EventBridge accept 256 KiB per request in every Region; newer, higher limits do not apply
 * everywhere. What remains is for the fields around the messages.
 */
const BATCH_BYTES = 240 * 1024;
const BATCH_MESSAGES = 10;

/** The messages in order, in batches that one request can carry. */
function* batchesOf(messages: readonly string[]): Generator<readonly string[]> {
  let batch: string[] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = Buffer.byteLength(message);
    if (batch.length === BATCH_MESSAGES || (batch.length > 0 && bytes + size > BATCH_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(message);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/**
 * Sends batch after batch until one is not accepted as a whole or `signal` aborts. Returns how many
 * messages, counted from the first, were accepted. Throws if the first batch fails as a whole.
 */
export async function sendInBatches(
  messages: readonly string[],
  signal: StopSignal,
  /**
   * Sends one batch; `sent`: how many messages precede it. Returns how many of the batch, counted
   * from its first, were accepted.
   */
  sendBatch: (batch: readonly string[], sent: number) => Promise<number>,
): Promise<number> {
  let sent = 0;
  for (const batch of batchesOf(messages)) {
    if (sent > 0 && signal.aborted) return sent;
    let accepted = 0;
    try {
      accepted = await sendBatch(batch, sent);
    } catch (error) {
      if (sent === 0) throw error;
    }
    sent += accepted;
    if (accepted < batch.length) return sent;
  }
  return sent;
}
