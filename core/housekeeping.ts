/** What the janitor does on its schedules. Every task may be cut off anywhere and simply goes on next time. */
import { type BucketDeps, deleteBucket } from './buckets';
import { ServiceError } from './errors';
import { advanceFeed, FENCE_AFTER_MS, isBehind } from './feed';
import { afterName, clipRange, prefixRange } from './names';
import type { BucketRecord, BucketStats, Buckets, NameRange, ServiceState, Uploads } from './ports';
import {
  beginRecordWalk,
  type ReconcileDeps,
  type RecordWalk,
  removeOrphans,
  walkRecords,
} from './reconcile';
import { removeEntries, type TrimDeps, trimBucket } from './trim';
import { type IngestDeps, ingestBlob } from './uploads';

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
}

interface AbortMultipart {
  abortMultipart(blob: string, multipartId: string): Promise<void>;
}

type StopAt = () => boolean;

/** A deletion that has not ended by then was cut off. */
const CLOSING_TIMEOUT_MS = 60_000;

/** Entries trimmed per bucket and run. */
const TRIM_ENTRIES = 20_000;

/**
 * The feed of every bucket: fences what stayed open (also behind the last entry, where nothing else would notice),
 * catches `delivered` up, trims, ends half-done deletions, clears graves. AWS calls when all is quiet: 1 Query and
 * 2 BatchGetItem per 100 buckets, and 8 Query per bucket that has history.
 */
export async function tendFeeds(deps: JanitorDeps, stopAt: StopAt): Promise<void> {
  const behind: BucketRecord[] = [];
  for await (const { record, stats } of allBuckets(deps.buckets, stopAt)) {
    if (isBehind(record, stats)) behind.push(record);
    if (record.closingAt !== undefined) await endDeletion(deps, record);
    else await trimBucket(deps, record, { entries: TRIM_ENTRIES, stopAt });
  }
  if (behind.length > 0) {
    // Whoever was handed a number before this wait has used it by its end, or loses it to a void.
    await deps.clock.sleep(FENCE_AFTER_MS);
    for (const { name, cursor } of behind) {
      if (stopAt()) return;
      await advanceFeed(deps, name, { force: true, upTo: cursor, stopAt });
    }
  }
  await clearGraves(deps, stopAt);
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

/** Removes what deleted buckets left, once their retention has passed. */
async function clearGraves(deps: JanitorDeps, stopAt: StopAt): Promise<void> {
  for (const grave of await deps.buckets.graves()) {
    if (deps.clock.now() - Date.parse(grave.deletedAt) < deps.retentionSeconds * 1000) continue;
    const place = `grave:${grave.id}`;
    let done = Number((await deps.serviceState.load(place)) ?? 0);
    while (done < grave.cursor && !stopAt()) {
      const end = Math.min(grave.cursor, done + 500);
      await removeEntries(deps, grave.id, done, end);
      done = end;
      await deps.serviceState.save(place, String(done));
    }
    if (done >= grave.cursor) await deps.buckets.bury(grave.id);
  }
}

/** Uploads whose URL has expired: those whose S3 event was lost are committed now, the others given up. */
export async function settleUploads(deps: JanitorDeps, stopAt: StopAt): Promise<void> {
  // A transfer that began in time may still be running for a while.
  const before = new Date(deps.clock.now() - 3600_000).toISOString();
  let start: string | undefined;
  do {
    const page = await deps.uploads.expired(before, start);
    for (const upload of page.uploads) {
      if (stopAt()) return;
      if ((await ingestBlob(deps, upload.blob)) !== 'nothing') continue;
      if ((await deps.uploads.get(upload.id))?.state !== 'pending') continue;
      if (upload.multipartId) await deps.blobs.abortMultipart(upload.blob, upload.multipartId);
      await deps.uploads.refuse(upload.id, 'nothing was uploaded in time');
    }
    start = page.next;
  } while (start !== undefined);
}

type Walk =
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
  let walk: Walk | undefined = saved ? (JSON.parse(saved) as Walk) : { part: 'objects/' };
  while (walk) {
    if (stopAt()) return 'continues';
    walk = await reconcileStep(deps, walk, stopAt);
    await deps.serviceState.save(PLACE, walk ? JSON.stringify(walk) : '');
  }
  return 'complete';
}

async function reconcileStep(
  deps: JanitorDeps,
  at: Walk,
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
