/** The log of one life of a bucket, which outlasts the bucket itself for the retention. */

import type { BucketRef } from '../bucket-ref';
import {
  type BucketState,
  type ChangesRun,
  CursorExpired,
  type ReadChangesDeps,
  readAfter,
} from '../channel/read-changes';
import type { ChangeLog } from '../log/ports';
import { afterName, clipRange, prefixRange } from '../objects/names';
import type { Buckets, DeletedBucket, NameRange } from '../objects/ports';

export interface BucketDeps extends ReadChangesDeps {
  readonly buckets: ReadChangesDeps['buckets'] & Pick<Buckets, 'deletedBuckets'>;
  readonly changeLog: ReadChangesDeps['changeLog'] & Pick<ChangeLog, 'get'>;
}

export interface BucketsDeps extends BucketDeps {
  readonly buckets: BucketDeps['buckets'] & Pick<Buckets, 'list'>;
}

export interface TargetBucket extends BucketRef {
  /** The last number that was handed out. */
  readonly head: number;
  /** Absent: the bucket was deleted. */
  readonly state?: BucketState;
  /** Present: then. ISO 8601 UTC. */
  readonly endedAt?: string;
}

/** Entries between the position and `oldest` are gone. */
export interface Gone {
  readonly oldest: number;
  readonly head: number;
}

/** 2 GetItem; 1 Query more when that life is over. undefined: its log is gone too. */
export async function findBucket(
  { buckets }: Pick<BucketDeps, 'buckets'>,
  { name, id }: BucketRef,
): Promise<TargetBucket | undefined> {
  const [record, stats] = await Promise.all([buckets.get(name), buckets.stats(name)]);
  if (record?.id === id && stats?.id === id) return liveLife({ record, stats });
  const grave = (await buckets.deletedBuckets()).find((one) => one.id === id);
  if (grave) return endedLife(grave);
  // Deleted and made again between the two reads.
  return record?.id === id ? findBucket({ buckets }, { name, id }) : undefined;
}

function liveLife(followed: BucketState): TargetBucket {
  const { name, id, cursor } = followed.record;
  return { name, id, head: cursor, state: followed };
}

function endedLife({ name, id, cursor, deletedAt }: DeletedBucket): TargetBucket {
  return { name, id, head: cursor, endedAt: deletedAt };
}

/**
 * Of every bucket, and of every deleted one whose log is still kept. 2 Query, 2 BatchGetItem per
 * 100 buckets.
 */
export async function allBuckets({
  buckets,
}: Pick<BucketsDeps, 'buckets'>): Promise<readonly TargetBucket[]> {
  const lives: TargetBucket[] = [];
  let range: NameRange | undefined = prefixRange('');
  while (range) {
    const page = await buckets.list(range, 100);
    lives.push(...page.items.map(liveLife));
    const last = page.items.at(-1);
    range = page.more && last ? clipRange(range, afterName(last.record.name)) : undefined;
  }
  return [...lives, ...(await buckets.deletedBuckets()).map(endedLife)];
}

/**
 * The entries after `after`, at most `limit`. undefined: the life ended meanwhile. AWS calls: those
 * of readAfter.
 */
export async function readBucket(
  deps: BucketDeps,
  life: TargetBucket,
  after: number,
  limit: number,
): Promise<ChangesRun | Gone | undefined> {
  if (!life.state) return readEnded(deps, life, after, limit);
  try {
    return await readAfter(deps, life.state, after, limit);
  } catch (error) {
    if (!(error instanceof CursorExpired)) throw error;
    const { oldest, head } = error.expiry;
    return oldest > after + 1 ? { oldest, head: Math.max(head, oldest - 1) } : undefined;
  }
}

/** Every hole was filled before the bucket was deleted: what is missing was trimmed. */
async function readEnded(
  { changeLog }: BucketDeps,
  { id, head }: TargetBucket,
  after: number,
  limit: number,
): Promise<ChangesRun | Gone> {
  const stored = await changeLog.read(id, after, Math.min(head, after + limit));
  const gap = stored.findIndex(({ cursor }, index) => cursor !== after + 1 + index);
  const entries = gap === -1 ? stored : stored.slice(0, gap);
  const to = after + entries.length;
  if (to > after) return { from: after, to, entries, head, more: to < head };
  return { oldest: await oldestLeft(changeLog, id, after + 1, head), head };
}

/**
 * The first number that has its entry, above one that has none; head + 1 when none has. What is
 * trimmed goes in order. Up to 53 GetItem.
 */
async function oldestLeft(
  changeLog: BucketDeps['changeLog'],
  id: string,
  gone: number,
  head: number,
): Promise<number> {
  let [below, oldest] = [gone, head + 1];
  while (oldest - below > 1) {
    const middle = below + Math.floor((oldest - below) / 2);
    if (await changeLog.get(id, middle)) oldest = middle;
    else below = middle;
  }
  return oldest;
}

/**
 * Whether there may be more to read than there was: asked after the lease was given back, because
 * whoever was woken before that left it to its holder. `hole`: where the reading stopped; until it
 * is filled, nothing behind it matters. 1 GetItem.
 */
export async function hasMoved(
  { buckets, changeLog }: BucketDeps,
  life: TargetBucket,
  hole: number | undefined,
): Promise<boolean> {
  if (!life.state) return false;
  if (hole !== undefined) return (await changeLog.get(life.id, hole)) !== undefined;
  const record = await buckets.get(life.name);
  return record?.id !== life.id || record.cursor > life.head;
}
