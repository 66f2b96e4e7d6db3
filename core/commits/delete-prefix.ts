/** Deletes the objects whose keys begin with a prefix, in commits of many deletions each. */
import type { BucketRef } from '../bucket-ref';
import { LIMITS } from '../limits';
import { afterName, clipRange, prefixRange } from '../names';
import type { Objects } from '../store/objects';
import { liveOf } from '../store/objects';
import { type DeleteGroupDeps, type Deletion, deleteGroup, deletionSize } from './delete-group';
import { type BeforeCommit, commitGroups } from './groups';

export interface DeletePrefixDeps extends Omit<DeleteGroupDeps, 'objects'> {
  readonly objects: DeleteGroupDeps['objects'] & Pick<Objects, 'list'>;
}

export interface DeletedPrefix {
  readonly deleted: number;
  /** The cursors of the first and the last deletion. */
  readonly from?: number;
  readonly to?: number;
  /** The key at which the next call continues, or undefined when nothing is left. */
  readonly next?: string;
}

export interface DeletePrefixOptions {
  readonly prefix: string;
  /** The author of the deletions: `keyId` of the caller. */
  readonly by: string;
  /** The key at which the deletion begins. */
  readonly start: string;
  readonly beforeCommit: BeforeCommit;
}

/**
 * Time budget out of a function's 29 s, of which the last commit may take up to
 * LIMITS.commitSeconds.
 */
const DELETE_MS = 10_000;

/**
 * Deletes at most LIMITS.deletesPerCall objects, one commit after the other. Objects that are
 * written under the prefix during the call may remain. AWS calls: 1 Query per 1,000 records, for
 * each commit 1 UpdateItem and 1 TransactWriteItems.
 */
export async function deletePrefix(
  deps: DeletePrefixDeps,
  bucket: BucketRef,
  { prefix, start, by, beforeCommit }: DeletePrefixOptions,
): Promise<DeletedPrefix> {
  const until = deps.clock.now() + DELETE_MS;
  const deletion: Deletion = { bucket, by, applies: () => true };
  let done: DeletedPrefix = { deleted: 0 };
  let rest = clipRange(prefixRange(prefix), start);
  let read = 0;
  while (rest) {
    const room = LIMITS.deletesPerCall - done.deleted;
    const isOver = room === 0 || read >= LIMITS.pageRecords || deps.clock.now() >= until;
    if (isOver) return { ...done, next: rest.from };
    const page = await deps.objects.list(bucket.id, rest, LIMITS.pageMax);
    read += page.items.length;
    const live = page.items.flatMap((record) => liveOf(record) ?? []);
    for (const group of commitGroups(live.slice(0, room), deletionSize)) {
      const [first] = group;
      if (deps.clock.now() >= until) return { ...done, next: first?.key ?? rest.from };
      const admitted = group.slice(0, await beforeCommit(group.length));
      done = added(done, await deleteGroup(deps, deletion, admitted));
      const left = group[admitted.length];
      if (left) return { ...done, next: left.key };
    }
    const last = live[room - 1] ?? page.items.at(-1);
    const isWhole = !page.more && live.length <= room;
    rest = isWhole || !last ? undefined : clipRange(rest, afterName(last.key));
  }
  return done;
}

function added(done: DeletedPrefix, cursors: readonly number[]): DeletedPrefix {
  if (cursors.length === 0) return done;
  return {
    deleted: done.deleted + cursors.length,
    from: done.from ?? Math.min(...cursors),
    to: Math.max(...cursors),
  };
}
