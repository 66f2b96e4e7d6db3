/** The log of one life of a bucket, which outlasts the bucket itself for the retention. */
import { afterName, clipRange, prefixRange } from '../names';
import type { Buckets, ChangeLog, Grave, NameRange } from '../ports';
import type { BucketLife } from '../sync/messages';
import {
  type FollowedBucket,
  PositionLost,
  type ReadDeps,
  type ReadRun,
  readAfter,
} from '../sync/read';

export interface LifeDeps extends ReadDeps {
  readonly buckets: ReadDeps['buckets'] & Pick<Buckets, 'graves'>;
  readonly changeLog: ReadDeps['changeLog'] & Pick<ChangeLog, 'get'>;
}

export interface LivesDeps extends LifeDeps {
  readonly buckets: LifeDeps['buckets'] & Pick<Buckets, 'list'>;
}

export interface Life extends BucketLife {
  /** The last number that was handed out. */
  readonly head: number;
  /** Absent: the bucket was deleted. */
  readonly followed?: FollowedBucket;
  /** Present: then. ISO 8601 UTC. */
  readonly endedAt?: string;
}

/** Entries between the position and `oldest` are gone. */
export interface Gone {
  readonly oldest: number;
  readonly head: number;
}

/** 2 GetItem; 1 Query more when that life is over. undefined: its log is gone too. */
export async function findLife(
  { buckets }: Pick<LifeDeps, 'buckets'>,
  { name, id }: BucketLife,
): Promise<Life | undefined> {
  const [record, stats] = await Promise.all([buckets.get(name), buckets.stats(name)]);
  if (record?.id === id && stats?.id === id) return liveLife({ record, stats });
  const grave = (await buckets.graves()).find((one) => one.id === id);
  if (grave) return endedLife(grave);
  // Deleted and made again between the two reads.
  return record?.id === id ? findLife({ buckets }, { name, id }) : undefined;
}

function liveLife(followed: FollowedBucket): Life {
  const { name, id, cursor } = followed.record;
  return { name, id, head: cursor, followed };
}

function endedLife({ name, id, cursor, deletedAt }: Grave): Life {
  return { name, id, head: cursor, endedAt: deletedAt };
}

/** Of every bucket, and of every deleted one whose log is still kept. 2 Query, 2 BatchGetItem per 100 buckets. */
export async function allLives({ buckets }: Pick<LivesDeps, 'buckets'>): Promise<readonly Life[]> {
  const lives: Life[] = [];
  let range: NameRange | undefined = prefixRange('');
  while (range) {
    const page = await buckets.list(range, 100);
    lives.push(...page.items.map(liveLife));
    const last = page.items.at(-1);
    range = page.more && last ? clipRange(range, afterName(last.record.name)) : undefined;
  }
  return [...lives, ...(await buckets.graves()).map(endedLife)];
}

/** The entries after `after`, at most `limit`. undefined: the life ended meanwhile. AWS calls: those of readAfter. */
export async function readLife(
  deps: LifeDeps,
  life: Life,
  after: number,
  limit: number,
): Promise<ReadRun | Gone | undefined> {
  if (!life.followed) return readEnded(deps, life, after, limit);
  try {
    return await readAfter(deps, life.followed, after, limit);
  } catch (error) {
    if (!(error instanceof PositionLost)) throw error;
    const { oldest, head } = error.expiry;
    return oldest > after + 1 ? { oldest, head: Math.max(head, oldest - 1) } : undefined;
  }
}

/** Every hole was filled before the bucket was deleted: what is missing was trimmed. */
async function readEnded(
  { changeLog }: LifeDeps,
  { id, head }: Life,
  after: number,
  limit: number,
): Promise<ReadRun | Gone> {
  const stored = await changeLog.read(id, after, Math.min(head, after + limit));
  const gap = stored.findIndex(({ cursor }, index) => cursor !== after + 1 + index);
  const entries = gap === -1 ? stored : stored.slice(0, gap);
  const to = after + entries.length;
  if (to > after) return { from: after, to, entries, head, more: to < head };
  return { oldest: await oldestLeft(changeLog, id, after + 1, head), head };
}

/** The first number that has its entry, above one that has none; head + 1 when none has. What is trimmed goes in order. Up to 53 GetItem. */
async function oldestLeft(
  changeLog: LifeDeps['changeLog'],
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
 * Whether there may be more to read than there was: asked after the lease was given back, because whoever was woken before that left it to
 * its holder. `hole`: where the reading stopped; until it is filled, nothing behind it matters. 1 GetItem.
 */
export async function hasMoved(
  { buckets, changeLog }: LifeDeps,
  life: Life,
  hole: number | undefined,
): Promise<boolean> {
  if (!life.followed) return false;
  if (hole !== undefined) return (await changeLog.get(life.id, hole)) !== undefined;
  const record = await buckets.get(life.name);
  return record?.id !== life.id || record.cursor > life.head;
}
