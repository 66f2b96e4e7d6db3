/** The cursor of a bucket at a moment. */
import type { StowageClient } from '../../client/index';
import { EXIT, UserError } from '../shared/errors';

/** Returns the first change after a cursor, or undefined when there is none up to the head. */
interface NextChange {
  readonly cursor: number;
  readonly time: number;
}

/**
 * Returns the last cursor whose change was not after the moment. The binary search reads one page
 * of changes a step. Throws UserError when the change log begins later.
 */
export async function cursorAt(
  client: StowageClient,
  bucket: string,
  time: number,
  signal: AbortSignal,
): Promise<number> {
  const { cursor: head } = await client.list(bucket, { limit: 1, signal });
  if (time >= Date.now()) throw new UserError('the moment is in the future', EXIT.usage);
  const read = (after: number) => nextChange(client, { bucket, after, head }, signal);
  const first = await read(0);
  let low = first.oldest - 1;
  let high = head;
  if (first.oldest > 1 && first.change && first.change.time > time) {
    throw new UserError(
      `the change log begins at cursor ${first.oldest}, after that moment: ` +
        'earlier states are not kept',
    );
  }
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const { change } = await read(middle);
    if (change && change.time <= time) low = change.cursor;
    else high = middle;
  }
  return low;
}

async function nextChange(
  client: StowageClient,
  { bucket, after, head }: { bucket: string; after: number; head: number },
  signal: AbortSignal,
): Promise<{ readonly change?: NextChange; readonly oldest: number }> {
  if (after >= head) return { oldest: 1 };
  const subscription = client.sync({ [bucket]: { cursor: after } }, { signal, transport: 'poll' });
  for await (const event of subscription.events()) {
    if (event.type === 'ended') throw event.error;
    if (event.type === 'reset') {
      const { oldest } = event;
      const next = await nextChange(client, { bucket, after: oldest - 1, head }, signal);
      return { ...next, oldest };
    }
    if (event.type === 'put') {
      return {
        change: { cursor: event.cursor, time: Date.parse(event.object.updated_at) },
        oldest: 1,
      };
    }
    if (event.type === 'delete') {
      return {
        change: { cursor: event.cursor, time: Date.parse(event.object.deleted_at) },
        oldest: 1,
      };
    }
    if (event.type === 'cursor' && event.cursor >= head) break;
  }
  return { oldest: 1 };
}
