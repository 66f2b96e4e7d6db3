/**
 * Reads and stores the cursor of a consumer over HTTP: while no channel is open, and at the end of
 * a loop.
 */
import { consumerPath } from '../consumers';
import { StowageError } from '../errors';
import { type Http, REQUEST_MS } from '../http';
import { isCursor, isRecord } from '../resources';
import type { LogPosition } from './log-position';

/** Sets the position to the cursor of its consumer. Throws StowageError. */
export async function continueConsumer(
  { http, signal }: { readonly http: Http; readonly signal: AbortSignal },
  position: LogPosition,
): Promise<void> {
  const { bucket, consumer = '' } = position;
  const path = consumerPath(bucket, consumer);
  const found = await http.json({ path, signal, timeoutMs: REQUEST_MS });
  const isConsumer = isRecord(found) && isCursor(found.cursor);
  if (!isConsumer || typeof found.bucket_id !== 'string') {
    throw new StowageError('invalid_answer', 'the response of the service is not a consumer');
  }
  if ((found.prefix ?? '') !== position.prefix) {
    const message = `the consumer ${consumer} follows another prefix`;
    throw new StowageError('invalid_request', message, { details: { field: 'prefix' } });
  }
  const cursor = found.cursor as number;
  position.begin(position.bucketId ?? found.bucket_id, cursor, cursor);
}

/** Timeout of each request: the end of a loop waits no longer. */
const STORE_TIMEOUT_MS = 5_000;

/**
 * Stores how far the reader is done. A failure is not reported: the next call stores more, and at
 * worst changes are read twice.
 */
export async function storeConsumed(http: Http, position: LogPosition, now: number): Promise<void> {
  const cursor = position.takeConsumed(now);
  const { bucket, bucketId, prefix, consumer } = position;
  if (cursor === undefined || consumer === undefined) return;
  const path = consumerPath(bucket, consumer);
  try {
    // A consumer that others have deleted or moved back must stay so.
    const found = await http.json({ path, timeoutMs: STORE_TIMEOUT_MS });
    if (!isRecord(found) || !isCursor(found.cursor) || (found.prefix ?? '') !== prefix) return;
    if (found.cursor >= cursor || !position.mayMoveFrom(found.cursor)) return;
    const body = { cursor, if_cursor: found.cursor, prefix, bucket_id: bucketId };
    await http.put(path, body, { timeoutMs: STORE_TIMEOUT_MS });
  } catch {
    // See above: a failure is not reported.
  }
}
