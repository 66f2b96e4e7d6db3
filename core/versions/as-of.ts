/**
 * A bucket as it was at an earlier cursor. A record that was written at or before the cursor is its
 * key's state there; of any other, the entry that first superseded that state still holds it. So
 * every cursor from `oldest` - 1 on can be read, and no state is stored twice.
 */

import { forEachConcurrently } from '../concurrency';
import { invalid, ServiceError, unavailable } from '../errors';
import { LIMITS } from '../limits';
import { recordAsOf } from '../log/history';
import type { ChangeLog } from '../log/ports';
import { EntriesTrimmed } from '../log/reader';
import { bucketNotFound } from '../not-found';
import type { NameRange, Page } from '../pages';
import type { BucketRecord, BucketStats, Buckets } from '../store/buckets';
import type { ObjectRecord, Objects, ShownRecord } from '../store/objects';

export interface AsOfDeps {
  readonly buckets: Pick<Buckets, 'get' | 'stats'>;
  readonly objects: Pick<Objects, 'get'>;
  readonly changeLog: Pick<ChangeLog, 'get'>;
}

/** Entries that are read at the same time. */
const CONCURRENT_READS = 16;

/** Cursors checked above the published mark: fanout is at most this far behind. */
const UNPUBLISHED_MAX = 256;

/** The cursor in a parameter or a field, as a text. Throws invalid_request. */
export function parseAsOf(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^(0|[1-9]\d{0,14})$/.test(value)) throw invalid('as_of', 'must be a cursor, 0 or more');
  return Number(value);
}

/** A state of a bucket. */
export interface BucketAsOf {
  readonly bucket: BucketRecord;
  /**
   * The cursor of the state: what was asked for, or the one before a commit in whose middle that
   * was, because nobody ever saw a part of a commit.
   */
  readonly asOf: number;
}

/**
 * The bucket, when its state at the cursor is decided and kept. Throws not_found; invalid_request
 * for a cursor that was never allocated; cursor_expired; and unavailable while a writer may still
 * be at work at or before the cursor. AWS calls: 3 GetItem (2 for the newest cursor), and 1 for
 * each cursor that is not published yet.
 */
export async function openAsOf(
  deps: Pick<AsOfDeps, 'buckets' | 'changeLog'>,
  name: string,
  asOf: number,
): Promise<BucketAsOf> {
  const [record, stats] = await Promise.all([deps.buckets.get(name), deps.buckets.stats(name)]);
  if (!record || !stats) throw bucketNotFound(name);
  // The bucket was deleted and created again between the two reads.
  if (record.id !== stats.id) return openAsOf(deps, name, asOf);
  if (asOf > record.cursor) {
    const { message, details } = invalid('as_of', "must be at most the bucket's newest cursor");
    throw new ServiceError('invalid_request', {
      message,
      details: { ...details, head: record.cursor },
    });
  }
  checkKept(stats, asOf);
  const undecided = Math.max(0, asOf - stats.published);
  if (undecided > UNPUBLISHED_MAX) throw unavailable();
  const cursors = Array.from({ length: undecided }, (_, n) => stats.published + 1 + n);
  await forEachConcurrently(cursors, CONCURRENT_READS, async (cursor) => {
    // A read of one item sees a transaction as a whole, so the record is written too.
    if (!(await deps.changeLog.get(record.id, cursor))) throw unavailable();
  });
  const whole = await beforeCommit(deps, record, asOf);
  checkKept(stats, whole);
  return { bucket: record, asOf: whole };
}

/** The cursor, or that before the commit which it is inside of. */
async function beforeCommit(
  { changeLog }: Pick<AsOfDeps, 'changeLog'>,
  { id, cursor: newest }: BucketRecord,
  asOf: number,
): Promise<number> {
  // The cursors of a commit are allocated at once.
  if (asOf === newest) return asOf;
  const next = await changeLog.get(id, asOf + 1);
  const first = next && next.type !== 'noop' ? (next.commit?.first ?? next.cursor) : asOf + 1;
  return first <= asOf ? first - 1 : asOf;
}

/**
 * Throws cursor_expired when the state at the cursor is no longer kept. Called after the state was
 * read, because trimming may have passed the cursor during the read. AWS calls: 1 GetItem.
 */
export async function requireKept(
  deps: { readonly buckets: Pick<Buckets, 'stats'> },
  { name, id }: { readonly name: string; readonly id: string },
  asOf: number,
): Promise<void> {
  const stats = await deps.buckets.stats(name);
  if (stats?.id !== id) throw bucketNotFound(name);
  checkKept(stats, asOf);
}

function checkKept({ oldest, published }: BucketStats, asOf: number): void {
  if (asOf + 1 >= oldest) return;
  throw new ServiceError('cursor_expired', {
    message: `the cursor is older than the retention: as_of can be ${oldest - 1} or more`,
    details: { oldest, head: published },
  });
}

/**
 * The record of a key as it was at the cursor, or undefined when there was none. Throws as
 * `openAsOf`. AWS calls: those of openAsOf, 1 GetItem, and when the key changed after the cursor
 * about 2·log2 of the versions since, and 1.
 */
export async function getAsOf(
  deps: AsOfDeps,
  name: string,
  key: string,
  wanted: number,
): Promise<ObjectRecord | undefined> {
  const { bucket, asOf } = await openAsOf(deps, name, wanted);
  const current = await deps.objects.get(bucket.id, key);
  if (current && current.cursor <= asOf) return current;
  return whileKept(deps, bucket, asOf, () => recordAsOf(deps.changeLog, bucket.id, current, asOf));
}

/**
 * Runs a read of the log, whose result counts only when no entry that it needs was trimmed during
 * the read. Throws cursor_expired. AWS calls: 1 GetItem more than the read.
 */
export async function whileKept<T>(
  deps: { readonly buckets: Pick<Buckets, 'stats'> },
  bucket: { readonly name: string; readonly id: string },
  asOf: number,
  read: () => Promise<T>,
): Promise<T> {
  try {
    const found = await read();
    await requireKept(deps, bucket, asOf);
    return found;
  } catch (error) {
    if (!(error instanceof EntriesTrimmed)) throw error;
    await requireKept(deps, bucket, asOf);
    // Kept, but not found: the next attempt reads the record again.
    throw unavailable(error);
  }
}

/** The record of a key as it is, and as it was. */
export interface RecordPair {
  readonly now: ObjectRecord;
  readonly was: ObjectRecord;
}

/**
 * The records of a bucket as they were at the cursor, for one page of a list. A key that did not
 * exist then is a tombstone, so the pages of a list have the same bounds at every cursor.
 */
export class ObjectsAsOf implements Pick<Objects, 'listShown'> {
  /** Earlier records that are paid for. */
  private left: number = LIMITS.asOfRecordsPerToken;
  /** Earlier records that may still be paid for. */
  private unpaid = LIMITS.asOfRecords - LIMITS.asOfRecordsPerToken;
  private reading = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly deps: {
      readonly objects: Pick<Objects, 'list'>;
      readonly changeLog: Pick<ChangeLog, 'get'>;
    },
    private readonly asOf: number,
    /** Takes the available tokens of the rate limit, up to `count`: the first is already taken. */
    private readonly takeTokensUpTo = async (count: number) => count,
  ) {}

  /** The page is to end here: it has read as many earlier records as one may. */
  get isSpent(): boolean {
    return this.left <= 0 && this.unpaid <= 0;
  }

  /** AWS calls: 1 Query, and those of `recordAsOf` for each record that is newer. */
  async listShown(bucketId: string, range: NameRange, limit: number): Promise<Page<ShownRecord>> {
    const { items, more } = await this.pairs(bucketId, range, limit);
    return { items: items.map(({ was }) => was), more };
  }

  /** The records of the keys as they are and as they were. AWS calls: as `listShown`. */
  async pairs(bucketId: string, range: NameRange, limit: number): Promise<Page<RecordPair>> {
    const { items, more } = await this.deps.objects.list(bucketId, range, limit);
    await this.payFor(items.filter((record) => this.takesReads(record)).length);
    const end = this.endOf(items);
    const pairs = await Promise.all(
      items.slice(0, end).map(async (now) => ({ now, was: await this.read(bucketId, now) })),
    );
    return { items: pairs, more: more || end < items.length };
  }

  /** A first version takes no read: its key did not exist. */
  private takesReads({ cursor, ancestors }: ObjectRecord): boolean {
    return cursor > this.asOf && ancestors.length > 0;
  }

  /** Takes tokens for this number of earlier records. With too few tokens, the page ends early. */
  private async payFor(records: number): Promise<void> {
    const missing = Math.min(records - this.left, this.unpaid);
    if (missing <= 0) return;
    const wanted = Math.ceil(missing / LIMITS.asOfRecordsPerToken);
    this.unpaid -= wanted * LIMITS.asOfRecordsPerToken;
    const taken = await this.takeTokensUpTo(wanted);
    this.left += taken * LIMITS.asOfRecordsPerToken;
    if (taken < wanted) this.unpaid = 0;
  }

  /** How many of the records are within the page's bound: at least one, so that it advances. */
  private endOf(items: readonly ObjectRecord[]): number {
    for (const [n, record] of items.entries()) {
      if (!this.takesReads(record)) continue;
      if (this.left <= 0 && n > 0) return n;
      this.left -= 1;
    }
    return items.length;
  }

  private async read(bucketId: string, record: ObjectRecord): Promise<ObjectRecord> {
    if (record.cursor <= this.asOf) return record;
    while (this.reading >= CONCURRENT_READS) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    this.reading += 1;
    try {
      const found = await recordAsOf(this.deps.changeLog, bucketId, record, this.asOf);
      return found ?? absent(record);
    } finally {
      this.reading -= 1;
      this.waiting.shift()?.();
    }
  }
}

function absent({ bucket, key }: ObjectRecord): ObjectRecord {
  return { state: 'deleted', bucket, key, version: 0, cursor: 0, deletedAt: '', ancestors: [] };
}
