/** Changes as pages, messages and notifications show them. */
import { ServiceError } from '../errors';
import { LIMITS } from '../limits';
import type { ObjectRecord, ShownRecord } from '../store/objects';
import { deletedView, descriptorOf } from '../views';
import type { OwnEntry, ShownEntry } from './ports';

/** A put or a delete as clients see it. */
export function changeView({ cursor, type, object, commit }: OwnEntry<ShownRecord>) {
  const view = object.state === 'live' ? descriptorOf(object) : deletedView(object);
  return {
    cursor,
    type,
    object: view,
    ...(object.state === 'deleted' && object.cause && { cause: object.cause }),
    ...(commit && { commit: { from: commit.first, to: commit.last } }),
  };
}

/** The changes among the entries that a subscriber to `prefix` sees. */
export function visibleChanges(
  entries: readonly ShownEntry[],
  prefix: string,
): OwnEntry<ShownRecord>[] {
  return entries.filter(
    (entry): entry is OwnEntry<ShownRecord> =>
      entry.type !== 'noop' && entry.object.key.startsWith(prefix),
  );
}

/**
 * Throws payload_too_large if a commit that makes these records does not fit into one message.
 * Their cursors and versions need not be those of the commit.
 */
export function requireOneMessage(objects: readonly ObjectRecord[]): void {
  const longest = Number.MAX_SAFE_INTEGER;
  const bytes = objects.reduce((sum, object) => {
    const type = object.state === 'live' ? 'put' : 'delete';
    const commit = { first: longest, last: longest };
    const numbered = { ...object, version: longest, cursor: longest };
    const { bucket } = object;
    const entry = { type, bucket, cursor: longest, at: '', object: numbered, commit } as const;
    return sum + Buffer.byteLength(JSON.stringify(changeView(entry))) + 1;
  }, 0);
  if (bytes <= LIMITS.commitBytes) return;
  throw new ServiceError('payload_too_large', {
    message: `the changes of a commit have at most ${LIMITS.commitBytes} bytes as JSON, with keys and metadata; these have ${bytes}: make several commits`,
    details: { bytes, limit: LIMITS.commitBytes },
  });
}
