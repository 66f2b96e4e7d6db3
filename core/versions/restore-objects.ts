/**
 * Brings the keys of a bucket back to what they were at a cursor, by ordinary changes: followers
 * see them, and they can be undone in the same way. A call restores a part; the next one continues.
 * To repeat a call is harmless, because keys that are as they were are left alone.
 */

import { type BeforeCommit, commitGroups } from '../commits/groups';
import { LIMITS } from '../limits';
import { afterName, clipRange, compareNames, prefixRange } from '../names';
import type { Page } from '../pages';
import type { Objects } from '../store/objects';
import { liveOf } from '../store/objects';
import { ObjectsAsOf, type RecordPair, whileKept } from './as-of';
import {
  copiedBytes,
  type Difference,
  differenceOf,
  sizeOf,
  withoutPastExpiry,
} from './differences';
import { type RestoreGroupDeps, type Restorer, restoreGroup } from './restore-group';

export interface RestoreDeps extends Omit<RestoreGroupDeps, 'objects'> {
  readonly objects: RestoreGroupDeps['objects'] & Pick<Objects, 'list'>;
}

export interface RestoreOptions {
  readonly prefix: string;
  /** The key at which the call begins. */
  readonly start: string;
  /** The cursor, as `openAsOf` has returned it. */
  readonly asOf: number;
  /** Reports the changes without making them. */
  readonly isDryRun: boolean;
  readonly beforeCommit: BeforeCommit;
  /** As for ObjectsAsOf. */
  readonly takeTokensUpTo?: (count: number) => Promise<number>;
}

export interface Restored {
  readonly restored: number;
  readonly deleted: number;
  readonly unchanged: number;
  /** The cursors of the first and the last change. */
  readonly from?: number;
  readonly to?: number;
  /** In a dry run, the changes that would be made. */
  readonly differences: readonly Difference[];
  /** Objects that are left as they are. */
  readonly failed: readonly { readonly key: string; readonly reason: 'too_large' | 'expired' }[];
  /** The key at which the next call continues, or undefined when nothing is left. */
  readonly next?: string;
}

/**
 * Time budget out of a function's 29 s, of which the last commit may take up to
 * LIMITS.commitSeconds.
 */
const RESTORE_MS = 8_000;

/** Each may take some reads of the log. */
const RECORDS_PER_READ = 200;

/**
 * Restores at most LIMITS.restoresPerCall keys, one commit after the other. A concurrent write to a
 * key that the call has passed remains. Throws cursor_expired when trimming passes the cursor. AWS
 * calls: for each 200 records 1 Query, those of `recordAsOf` for each that is newer than the
 * cursor, and 1 GetItem; those of restoreGroup for each commit.
 */
export async function restoreObjects(
  deps: RestoreDeps,
  restorer: Restorer,
  options: RestoreOptions,
): Promise<Restored> {
  const { bucket } = restorer;
  const { prefix, start, asOf, isDryRun } = options;
  const until = deps.clock.now() + RESTORE_MS;
  const source = new ObjectsAsOf(deps, asOf, options.takeTokensUpTo);
  const progress = new Progress(isDryRun);
  let read = 0;
  for (let rest = clipRange(prefixRange(prefix), start); rest; ) {
    const range = rest;
    const isOver = read >= LIMITS.pageRecords || source.isSpent || deps.clock.now() >= until;
    if (isOver || progress.room === 0) return progress.result(range.from);
    const page: Page<RecordPair> = await whileKept(deps, bucket, asOf, () =>
      source.pairs(bucket.id, range, RECORDS_PER_READ),
    );
    read += page.items.length;
    const pairs = page.items.map((pair) => withoutPastExpiry(pair, deps.clock.now()));
    const differences = pairs.flatMap((pair) => differenceOf(pair) ?? []);
    const within = differences.slice(0, progress.room);
    let stop = differences[within.length]?.key;
    if (isDryRun) progress.addDifferences(within);
    else stop = (await restoreAll(deps, { restorer, options, until }, progress, within)) ?? stop;
    const isDone = (key: string) => stop === undefined || compareNames(key, stop) < 0;
    const large = within.filter((one) => isTooLarge(one) && isDone(one.key));
    progress.fail(
      large.map(({ key }) => key),
      'too_large',
    );
    progress.addUnchanged(pairs.filter(({ now }) => isDone(now.key)));
    if (stop !== undefined) return progress.result(stop);
    const last = page.items.at(-1);
    rest = page.more && last ? clipRange(range, afterName(last.now.key)) : undefined;
  }
  return progress.result(undefined);
}

interface Step {
  readonly restorer: Restorer;
  readonly options: RestoreOptions;
  readonly until: number;
}

/** Returns the first key that is left to the next call. */
async function restoreAll(
  deps: RestoreDeps,
  { restorer, options, until }: Step,
  progress: Progress,
  differences: readonly Difference[],
): Promise<string | undefined> {
  for (const group of commitGroups(
    differences.filter((one) => !isTooLarge(one)),
    sizeOf,
  )) {
    const [first] = group;
    if (deps.clock.now() >= until) return first?.key;
    const admitted = group.slice(0, await options.beforeCommit(group.length));
    progress.add(await restoreGroup(deps, restorer, admitted));
    const left = group[admitted.length];
    if (left) return left.key;
  }
  return undefined;
}

const isTooLarge = (difference: Difference) => copiedBytes(difference) > LIMITS.copyBytes;

/** What a call has done so far. */
class Progress {
  private done: Restored = {
    ...{ restored: 0, deleted: 0, unchanged: 0 },
    ...{ differences: [], failed: [] },
  };

  constructor(private readonly isDryRun: boolean) {}

  /** Keys that the call may still change, or name. */
  get room(): number {
    const { restored, deleted, differences, failed } = this.done;
    const used = this.isDryRun ? differences.length : restored + deleted + failed.length;
    const most = this.isDryRun ? LIMITS.pageMax : LIMITS.restoresPerCall;
    return Math.max(0, most - used);
  }

  add({ restored, deleted, cursors, lost }: Awaited<ReturnType<typeof restoreGroup>>): void {
    const { done } = this;
    this.done = {
      ...done,
      restored: done.restored + restored,
      deleted: done.deleted + deleted,
      ...(cursors.length > 0 && {
        from: done.from ?? Math.min(...cursors),
        to: Math.max(...cursors),
      }),
    };
    this.fail(lost, 'expired');
  }

  addDifferences(differences: readonly Difference[]): void {
    const restored = differences.filter(({ was }) => was !== undefined).length;
    this.done = {
      ...this.done,
      restored: this.done.restored + restored,
      deleted: this.done.deleted + differences.length - restored,
      differences: [...this.done.differences, ...differences],
    };
  }

  fail(keys: readonly string[], reason: Restored['failed'][number]['reason']): void {
    const failed = [...this.done.failed, ...keys.map((key) => ({ key, reason }))];
    this.done = { ...this.done, failed };
  }

  /** Counts the objects that are as they were. */
  addUnchanged(pairs: readonly RecordPair[]): void {
    const unchanged = pairs.filter(
      (pair) => liveOf(pair.now) !== undefined && differenceOf(pair) === undefined,
    );
    this.done = { ...this.done, unchanged: this.done.unchanged + unchanged.length };
  }

  result(next: string | undefined): Restored {
    return next === undefined ? this.done : { ...this.done, next };
  }
}
