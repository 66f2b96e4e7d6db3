/**
 * What the janitor does on its schedules. Every task may be cut off anywhere and simply goes on
 * next time.
 */

import { ServiceError } from '../errors';
import { GAP_FILL_AFTER_MS, hasUnpublished, type Push, publishChanges } from '../log/feed';
import type { ChangeEntry } from '../log/ports';
import { removeEntries, type TrimDeps, trimBucket } from '../log/trim';
import { type BucketDeps, deleteBucket } from '../objects/buckets';
import { afterName, clipRange, prefixRange } from '../objects/names';
import type {
  BucketRecord,
  BucketStats,
  Buckets,
  NameRange,
  Upload,
  Uploads,
} from '../objects/ports';
import { type IngestDeps, ingestBlob } from '../objects/uploads';
import type { ServiceState } from './ports';
import {
  beginRecordWalk,
  ORPHAN_AFTER_MS,
  type ReconcileDeps,
  type RecordWalk,
  removeOrphans,
  walkRecords,
} from './reconcile';

export interface JanitorDeps extends Omit<BucketDeps, 'objects'>, Omit<TrimDeps, 'buckets'> {
  readonly buckets: Buckets;
  readonly objects: TrimDeps['objects'] & BucketDeps['objects'] & ReconcileDeps['objects'];
  readonly changeLog: BucketDeps['changeLog'] & TrimDeps['changeLog'] & ReconcileDeps['changeLog'];
  readonly blobs: TrimDeps['blobs'] & ReconcileDeps['blobs'] & IngestDeps['blobs'] & AbortMultipart;
  readonly uploads: Uploads;
  readonly serviceState: ServiceState;
  readonly commits: IngestDeps['commits'];
  readonly ids: BucketDeps['ids'] & IngestDeps['ids'];
  readonly backoff: IngestDeps['backoff'];
  readonly log: IngestDeps['log'];
  readonly meter: IngestDeps['meter'];
}

interface AbortMultipart {
  abortMultipart(blob: string, multipartId: string): Promise<void>;
}

type StopAt = () => boolean;

/** A deletion that has not ended by then was cut off. */
const CLOSING_TIMEOUT_MS = 60_000;

/** Entries trimmed per bucket and run. */
const TRIM_ENTRIES = 20_000;

/** Where the trimming of one run ended, so that the next begins behind it. */
const TRIM_PLACE = 'trimmed-bucket';

/**
 * The feed of every bucket: fences what stayed open (also behind the last entry, where nothing else
 * would notice), catches `delivered` up, ends half-done deletions, trims, clears graves. What fails
 * in one bucket is left for the next run and thrown at the end. AWS calls when all is quiet: 1
 * Query and 2 BatchGetItem per 100 buckets, and 1 GetItem per bucket that has history.
 */
export async function maintainLogs(deps: JanitorDeps, stopAt: StopAt): Promise<void> {
  const rounds = new Rounds(deps.log);
  const found: { record: BucketRecord; stats: BucketStats }[] = [];
  for await (const bucket of allBuckets(deps.buckets, stopAt)) found.push(bucket);
  const behind = found.filter(({ record, stats }) => hasUnpublished(record, stats));
  // Whoever was handed a number before this wait has used it by its end, or loses it to a void.
  if (behind.length > 0) await deps.clock.sleep(GAP_FILL_AFTER_MS);
  let lag = 0;
  const push: Push = async (_record, _from, { entries }) => {
    lag = Math.max(lag, ageOf(entries, deps.clock.now()));
  };
  for (const { record } of behind) {
    if (stopAt()) return;
    const { name, id, cursor } = record;
    await rounds.visit(name, () =>
      publishChanges(deps, name, { id, force: true, upTo: cursor, stopAt, push }),
    );
  }
  // What fanout had not delivered by now. Every minute, also when nothing lags.
  deps.meter.add('FeedLag', lag);
  for (const { record } of found) {
    if (record.closingAt === undefined || stopAt()) continue;
    await rounds.visit(record.name, () => endDeletion(deps, record));
  }
  await trimInTurn(deps, rounds, found, stopAt);
  if (!stopAt()) await clearGraves(deps, stopAt);
  rounds.end();
}

/** Seconds since the first change of a run; 0 when there is none but voids. */
function ageOf(entries: readonly ChangeEntry[], now: number): number {
  const first = entries.find(({ type }) => type !== 'void');
  return first === undefined ? 0 : Math.max(0, (now - Date.parse(first.at)) / 1000);
}

/** Work on many buckets, of which none has to wait for another that fails. */
class Rounds {
  private readonly failed = new Set<string>();

  constructor(private readonly log: JanitorDeps['log']) {}

  /** Does `work`; what fails is logged. */
  async visit(bucket: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.failed.add(bucket);
      this.log.error('bucket_failed', { bucket, error });
    }
  }

  /** Throws if anything failed, so that the janitor's alarm tells of it. */
  end(): void {
    if (this.failed.size > 0) throw new Error(`failed in ${[...this.failed].join(', ')}`);
  }
}

/** Trims the buckets in name order, beginning behind the one where the run before was stopped. */
async function trimInTurn(
  deps: JanitorDeps,
  rounds: Rounds,
  found: readonly { readonly record: BucketRecord; readonly stats: BucketStats }[],
  stopAt: StopAt,
): Promise<void> {
  const last = (await deps.serviceState.load(TRIM_PLACE)) ?? '';
  const isLater = ({ record }: { readonly record: BucketRecord }) => record.name > last;
  const turn = [...found.filter(isLater), ...found.filter((bucket) => !isLater(bucket))];
  for (const { record, stats } of turn) {
    if (stopAt()) return;
    if (stats.published < stats.oldest && stats.trimmed === stats.oldest) continue;
    const budget = { entries: TRIM_ENTRIES, stopAt };
    await rounds.visit(record.name, () => trimBucket(deps, record, stats, budget));
    if (stopAt()) await deps.serviceState.save(TRIM_PLACE, record.name);
  }
}

async function* allBuckets(
  buckets: Pick<Buckets, 'list'>,
  stopAt: StopAt,
): AsyncGenerator<{ record: BucketRecord; stats: BucketStats }> {
  let range: NameRange | undefined = prefixRange('');
  while (range && !stopAt()) {
    const page = await buckets.list(range, 100);
    yield* page.items;
    const last = page.items.at(-1);
    range = page.more && last ? clipRange(range, afterName(last.record.name)) : undefined;
  }
}

/** Finishes a deletion that was cut off, or undoes it when the bucket holds objects after all. */
async function endDeletion(deps: JanitorDeps, record: BucketRecord): Promise<void> {
  if (deps.clock.now() - Date.parse(record.closingAt ?? '') < CLOSING_TIMEOUT_MS) return;
  try {
    await deleteBucket(deps, record);
    deps.log.info('deletion_finished', { bucket: record.name });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    deps.log.info('deletion_undone', { bucket: record.name, code: error.code });
  }
}

/**
 * A grave is what tells a deleted bucket from a lost one, so it stays until the reconciler had the
 * time to remove its last orphan.
 */
const SHORTEST_GRAVE_MS = 3 * ORPHAN_AFTER_MS;

/** Removes what deleted buckets left, once their retention has passed. */
async function clearGraves(deps: JanitorDeps, stopAt: StopAt): Promise<void> {
  for (const grave of await deps.buckets.deletedBuckets()) {
    const age = deps.clock.now() - Date.parse(grave.deletedAt);
    if (age < deps.retentionSeconds * 1000) continue;
    const place = `grave:${grave.id}`;
    let done = Number((await deps.serviceState.load(place)) ?? grave.trimmed - 1);
    while (done < grave.cursor && !stopAt()) {
      const end = Math.min(grave.cursor, done + 500);
      await removeEntries(deps, grave.id, done, end);
      done = end;
      await deps.serviceState.save(place, String(done));
    }
    if (done >= grave.cursor && age >= SHORTEST_GRAVE_MS) await deps.buckets.purge(grave.id);
  }
}

/** Where the scan of the uploads was stopped. */
const UPLOADS_PLACE = 'uploads';

/** A transfer that began just before its URL expired may take very long. */
const GIVEN_UP_AFTER_MS = 24 * 3600 * 1000;

/**
 * Uploads whose URL has expired: those whose S3 event was lost are committed now, the others given
 * up after a day.
 */
export async function settleUploads(deps: JanitorDeps, stopAt: StopAt): Promise<void> {
  const rounds = new Rounds(deps.log);
  const now = new Date(deps.clock.now()).toISOString();
  let start: string | undefined = (await deps.serviceState.load(UPLOADS_PLACE)) || undefined;
  do {
    const page = await deps.uploads.expired(now, start);
    for (const upload of page.uploads) {
      if (stopAt()) return;
      await rounds.visit(upload.bucket, () => settleUpload(deps, upload));
    }
    start = page.next;
    await deps.serviceState.save(UPLOADS_PLACE, start ?? '');
  } while (start !== undefined && !stopAt());
  rounds.end();
}

async function settleUpload(deps: JanitorDeps, upload: Upload): Promise<void> {
  if ((await ingestBlob(deps, upload.blob)) !== 'nothing') return;
  if (Date.parse(upload.expiresAt) > deps.clock.now() - GIVEN_UP_AFTER_MS) return;
  if ((await deps.uploads.get(upload.id))?.state !== 'pending') return;
  if (upload.multipartId) await deps.blobs.abortMultipart(upload.blob, upload.multipartId);
  await deps.uploads.refuse(upload.id, 'nothing was uploaded in time');
}

/** A round begins a day after the last one ended, and takes as many hourly runs as it takes. */
const ROUND_EVERY_MS = 24 * 3600 * 1000;

type Walk =
  | { readonly part: 'rest'; readonly until: number }
  | { readonly part: 'objects/' | 'uploads/'; readonly from?: string }
  | {
      readonly part: 'records';
      readonly bucket: string;
      readonly id?: string;
      readonly walk?: RecordWalk;
    };

const PLACE = 'reconcile';

/** One round over all blobs and all records, continued over as many runs as it takes. */
export async function reconcile(
  deps: JanitorDeps,
  stopAt: StopAt,
): Promise<'complete' | 'continues'> {
  const saved = await deps.serviceState.load(PLACE);
  let walk: Walk = saved ? (JSON.parse(saved) as Walk) : { part: 'objects/' };
  if (walk.part === 'rest' && walk.until <= deps.clock.now()) walk = { part: 'objects/' };
  while (walk.part !== 'rest') {
    if (stopAt()) return 'continues';
    walk = (await reconcileStep(deps, walk, stopAt)) ?? {
      part: 'rest',
      until: deps.clock.now() + ROUND_EVERY_MS,
    };
    await deps.serviceState.save(PLACE, JSON.stringify(walk));
  }
  return 'complete';
}

async function reconcileStep(
  deps: JanitorDeps,
  at: Exclude<Walk, { part: 'rest' }>,
  stopAt: StopAt,
): Promise<Walk | undefined> {
  if (at.part !== 'records') {
    const { next } = await removeOrphans(deps, at.part, at.from, stopAt);
    if (next !== undefined) return { part: at.part, from: next };
    return at.part === 'objects/' ? { part: 'uploads/' } : nextBucket(deps, '');
  }
  const record = await deps.buckets.get(at.bucket);
  // The bucket may have been deleted, or made again, since the last run.
  const sameLife = record !== undefined && (at.id === undefined || at.id === record.id);
  const walk = at.walk ?? (await beginRecordWalk(deps, at.bucket));
  if (!record || !sameLife || !walk) return nextBucket(deps, afterName(at.bucket));
  const rest = await walkRecords(deps, record, walk);
  return rest ? { ...at, id: record.id, walk: rest } : nextBucket(deps, afterName(at.bucket));
}

async function nextBucket(deps: JanitorDeps, from: string): Promise<Walk | undefined> {
  const range = clipRange(prefixRange(''), from);
  const first = range && (await deps.buckets.list(range, 1)).items[0];
  return first && { part: 'records', bucket: first.record.name };
}
