/**
 * The janitor's job for the change logs, every minute: publishes what fanout left, finishes
 * interrupted deletions, trims, and purges deleted buckets. A run may be cut off anywhere; the next
 * one continues.
 */

import { deleteBucket } from '../buckets/buckets';
import { walkBuckets } from '../buckets/walk';
import { forEachConcurrently } from '../concurrency';
import { measureConsumers } from '../consumers/measure';
import { ServiceError } from '../errors';
import { FailureCollector } from '../failure-collector';
import { LIMITS } from '../limits';
import type { ChangeEntry } from '../log/ports';
import { hasUnpublished, type Push, publishChanges } from '../log/publish';
import { GAP_FILL_AFTER_MS } from '../log/reader';
import { removeEntries, trimBucket } from '../log/trim';
import type { StopSignal } from '../stop-signal';
import type { BucketRecord, DeletedBucket, ListedBucket } from '../store/buckets';
import type { JanitorDeps } from './janitor-deps';

/** A deletion that takes longer was interrupted: its function may run for 29 seconds. */
const CLOSING_TIMEOUT_MS = 60_000;

/** Entries trimmed per bucket and run. */
const TRIM_ENTRIES = 20_000;

/**
 * Buckets maintained concurrently, so that 10,000 buckets with a read each take seconds, not a
 * minute.
 */
const CONCURRENT_BUCKETS = 8;

/** Saved: the bucket at which trimming stopped, so that the next run begins with the one after. */
const LAST_TRIMMED = 'trimmed-bucket';

/**
 * Maintains the log of every bucket. A failure in one bucket does not stop the others; an error
 * that names the failed ones is thrown at the end. AWS calls when there is nothing to do: 1 Query
 * and 2 BatchGetItem per 100 buckets, 1 GetItem per bucket that has history, and those of
 * measureConsumers.
 */
export async function maintainLogs(deps: JanitorDeps, signal: StopSignal): Promise<void> {
  const failures = new FailureCollector(deps.log, 'bucket_failed');
  const buckets: ListedBucket[] = [];
  for await (const bucket of walkBuckets(deps.buckets, signal)) buckets.push(bucket);
  if (!(await publishAll(deps, failures, buckets, signal))) return;
  await failures.run('consumers', {}, () => measureConsumers(deps, buckets, signal));
  for (const { record } of buckets) {
    if (record.closingAt === undefined || signal.aborted) continue;
    await failures.run(record.name, { bucket: record.name }, () => finishDeletion(deps, record));
  }
  await trimInTurn(deps, failures, buckets, signal);
  if (!signal.aborted) await purgeDeletedBuckets(deps, signal);
  failures.throwIfAny();
}

/**
 * Publishes every bucket up to its cursor as of now, filling all gaps: also one at the end of a
 * log, at which no later entry would trigger fanout. False when it was stopped before the end.
 */
async function publishAll(
  deps: JanitorDeps,
  failures: FailureCollector,
  buckets: readonly ListedBucket[],
  signal: StopSignal,
): Promise<boolean> {
  const behind = buckets.filter(({ record, stats }) => hasUnpublished(record, stats));
  // A cursor that was allocated before this wait has its entry afterwards, or never gets one.
  if (behind.length > 0) await deps.clock.sleep(GAP_FILL_AFTER_MS);
  let lag = 0;
  const push: Push = async (_record, _from, { entries }) => {
    lag = Math.max(lag, ageOf(entries, deps.clock.now()));
  };
  await forEachConcurrently(behind, CONCURRENT_BUCKETS, async ({ record }) => {
    if (signal.aborted) return;
    const { name, id, cursor: upTo } = record;
    await failures.run(name, { bucket: name }, () =>
      publishChanges(deps, name, { id, fillAllGaps: true, upTo, signal, push }),
    );
  });
  if (signal.aborted) return false;
  // The age of what fanout had not published yet. CloudWatch bills the hours with a report.
  if (lag > 0) deps.meter.add('PublishLag', lag);
  return true;
}

/** Seconds since the first change of a run; 0 when it has no-op entries only. */
function ageOf(entries: readonly ChangeEntry[], now: number): number {
  const first = entries.find(({ type }) => type !== 'noop');
  return first === undefined ? 0 : Math.max(0, (now - Date.parse(first.at)) / 1000);
}

/** Finishes an interrupted deletion, or undoes it when the bucket holds objects after all. */
async function finishDeletion(deps: JanitorDeps, record: BucketRecord): Promise<void> {
  if (deps.clock.now() - Date.parse(record.closingAt ?? '') < CLOSING_TIMEOUT_MS) return;
  try {
    const deleted = await deleteBucket(deps, record);
    const event = deleted ? 'deletion_finished' : 'deletion_continues';
    deps.log.info(event, { bucket: record.name });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    deps.log.info('deletion_undone', { bucket: record.name, code: error.code });
  }
}

/** Trims the buckets in name order, beginning after the last one that a stopped run has begun. */
async function trimInTurn(
  deps: JanitorDeps,
  failures: FailureCollector,
  buckets: readonly ListedBucket[],
  signal: StopSignal,
): Promise<void> {
  const last = (await deps.serviceState.load(LAST_TRIMMED)) ?? '';
  const isLater = ({ record }: ListedBucket) => record.name > last;
  const inTurn = [...buckets.filter(isLater), ...buckets.filter((bucket) => !isLater(bucket))];
  let begun: string | undefined;
  await forEachConcurrently(inTurn, CONCURRENT_BUCKETS, async ({ record, stats }) => {
    if (signal.aborted) return;
    if (stats.published < stats.oldest && stats.trimmed === stats.oldest) return;
    begun = record.name;
    const budget = { entries: TRIM_ENTRIES, signal };
    await failures.run(record.name, { bucket: record.name }, () =>
      trimBucket(deps, record, stats, budget),
    );
  });
  if (signal.aborted && begun) await deps.serviceState.save(LAST_TRIMMED, begun);
}

/**
 * The record of a deleted bucket distinguishes it from a lost one, so it stays until the reconciler
 * has had time to remove the bucket's last orphaned blob.
 */
const PURGE_AFTER_MS = 3 * LIMITS.orphanSeconds * 1000;

/**
 * Removes the logs, and in the end the consumers and the records, of buckets deleted longer ago
 * than the retention.
 */
async function purgeDeletedBuckets(deps: JanitorDeps, signal: StopSignal): Promise<void> {
  for (const deleted of await deps.buckets.deletedBuckets()) {
    const age = deps.clock.now() - Date.parse(deleted.deletedAt);
    if (age < deps.retentionSeconds * 1000) continue;
    const isRemoved = await removeLog(deps, deleted, signal);
    if (!isRemoved || age < PURGE_AFTER_MS) continue;
    await deps.consumers.removeAll(deleted.id);
    await deps.buckets.purge(deleted.id);
  }
}

/** Removes what is left of a deleted bucket's log; false when it was stopped before the end. */
async function removeLog(
  deps: JanitorDeps,
  { id, cursor, trimmed }: DeletedBucket,
  signal: StopSignal,
): Promise<boolean> {
  const saved = `deleted:${id}`;
  let done = Number((await deps.serviceState.load(saved)) ?? trimmed - 1);
  while (done < cursor && !signal.aborted) {
    const end = Math.min(cursor, done + LIMITS.entriesPerRead);
    await removeEntries(deps, id, done, end);
    done = end;
    await deps.serviceState.save(saved, String(done));
  }
  return done >= cursor;
}
