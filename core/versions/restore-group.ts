/** Restores a few keys in one commit. What is restored is a change like any other. */
import type { BucketRef } from '../bucket-ref';
import { Outdated } from '../commits/resolved-change';
import { allEnded } from '../concurrency';
import { unavailable } from '../errors';
import { type CommitDeps, commitChanges, isCertainRefusal, type KeyIntent } from '../log/commit';
import type { IfCursorDeps } from '../log/if-cursor';
import { blobName } from '../objects/blob-names';
import { liveRecord, tombstone } from '../objects/objects';
import type { Blobs } from '../store/blobs';
import { compare, type Difference, hasItsBlob } from './differences';

export interface RestoreGroupDeps extends Omit<CommitDeps, 'changeLog'> {
  readonly changeLog: CommitDeps['changeLog'] & IfCursorDeps['changeLog'];
  readonly buckets: IfCursorDeps['buckets'];
  readonly blobs: Pick<Blobs, 'copy' | 'remove'>;
}

/** Who restores, and where. */
export interface Restorer {
  readonly bucket: BucketRef;
  readonly by: string;
}

export interface RestoredGroup {
  readonly restored: number;
  readonly deleted: number;
  /** The cursors of the changes. */
  readonly cursors: readonly number[];
  /** Keys whose bytes are gone, because their version was trimmed during the call. */
  readonly lost: readonly string[];
}

/** Attempts while other writers change the keys. */
const MAX_ATTEMPTS = 20;

/** A difference, and the blob of its own that it gets. */
interface Copied {
  readonly difference: Difference;
  /** Absent: the change needs no bytes of its own. */
  readonly copy?: { readonly blob: string; readonly etag: string };
}

/**
 * Commits the differences. A key that changes concurrently is compared again, so no concurrent
 * write is lost. AWS calls: those of Blobs.copy for each object whose bytes differ, 1 UpdateItem, 1
 * TransactWriteItems; for each lost race 1 DeleteObjects, 1 BatchGetItem and the same again.
 */
export async function restoreGroup(
  deps: RestoreGroupDeps,
  restorer: Restorer,
  group: readonly Difference[],
): Promise<RestoredGroup> {
  let differences = group;
  const lost: string[] = [];
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const copies = await copyAll(deps, restorer, differences);
    lost.push(...copies.lost);
    if (copies.copied.length === 0) return { restored: 0, deleted: 0, cursors: [], lost };
    try {
      return { ...(await commit(deps, restorer, copies.copied)), lost };
    } catch (error) {
      const isOutdated = error instanceof Outdated;
      if (isOutdated || isCertainRefusal(error)) await removeCopies(deps, copies.copied);
      if (!isOutdated) throw error;
      await deps.backoff(attempt);
      differences = await compareAgain(deps, restorer, copies.copied);
    }
  }
  throw unavailable();
}

async function commit(
  deps: RestoreGroupDeps,
  { bucket, by }: Restorer,
  copied: readonly Copied[],
): Promise<Omit<RestoredGroup, 'lost'>> {
  const intents = copied.map((one) => intentOf({ bucket, by }, one));
  const reads = copied.map(({ difference }) => difference.now);
  const outcome = await commitChanges(deps, { bucket, intents }, reads);
  if (outcome.result !== 'committed') throw new Error(`a restore was ${outcome.result}`);
  const restored = outcome.changes.filter(({ object }) => object.state === 'live').length;
  return {
    restored,
    deleted: outcome.changes.length - restored,
    cursors: outcome.changes.map(({ object }) => object.cursor),
  };
}

function intentOf({ bucket, by }: Restorer, { difference, copy }: Copied): KeyIntent {
  const { key, now, was } = difference;
  const check: KeyIntent['check'] = (record) => {
    if (record?.cursor !== now?.cursor)
      throw new Outdated(`${key} has changed since it was compared`);
  };
  if (was === undefined) {
    return { key, check, build: (position) => tombstone({ bucket, key, by }, position) };
  }
  // A copy gets the headers of the record; without one S3 keeps what it has.
  const fields = { ...was, bucket, by, ...(copy && { ...copy, isPatched: false }) };
  const build: KeyIntent['build'] = (position, before) => liveRecord(fields, position, before);
  return { key, check, build };
}

/** Copies all at the same time: `commitGroups` bounds their number and bytes. */
async function copyAll(
  deps: Pick<RestoreGroupDeps, 'blobs' | 'ids'>,
  { bucket }: Restorer,
  differences: readonly Difference[],
): Promise<{ readonly copied: readonly Copied[]; readonly lost: readonly string[] }> {
  const copied: Copied[] = [];
  const lost: string[] = [];
  const copies = differences.map(async (difference) => {
    const { key, was } = difference;
    if (was === undefined || hasItsBlob(difference)) {
      copied.push({ difference });
      return;
    }
    const blob = blobName(bucket, key, deps.ids.ulid());
    const { contentType, headers, metadata } = was;
    const copy = await deps.blobs.copy(was, blob, { contentType, headers, metadata });
    if (copy) copied.push({ difference, copy: { blob, etag: copy.etag } });
    else lost.push(key);
  });
  try {
    await allEnded(copies);
  } catch (error) {
    await removeCopies(deps, copied);
    throw error;
  }
  return { copied, lost };
}

/** Removes copies, as far as possible. The reconciler removes the rest. */
async function removeCopies(
  deps: Pick<RestoreGroupDeps, 'blobs'>,
  copied: readonly Copied[],
): Promise<void> {
  const blobs = copied.flatMap(({ copy }) => copy?.blob ?? []);
  if (blobs.length > 0) await deps.blobs.remove(blobs).catch(() => undefined);
}

/**
 * Compares the keys again. Only their present records are read, because the earlier state does not
 * change.
 */
async function compareAgain(
  deps: Pick<RestoreGroupDeps, 'objects'>,
  { bucket }: Restorer,
  copied: readonly Copied[],
): Promise<readonly Difference[]> {
  const keys = copied.map(({ difference }) => difference.key);
  const records = await deps.objects.getMany(bucket.id, keys);
  const now = new Map(records.map((record) => [record.key, record]));
  return copied.flatMap(({ difference: { key, was } }) => compare(key, now.get(key), was) ?? []);
}
