/**
 * The janitor's job for copies that take longer than a request, each minute: copies their parts,
 * and completes them, whereupon function ingest commits them as it does every upload. A run may be
 * cut off anywhere: parts that S3 already has are not copied again.
 */
import { allEnded, forEachConcurrently } from '../concurrency';
import { FailureCollector } from '../failure-collector';
import type { StopSignal } from '../stop-signal';
import type { CopiedPart, PartCopies, PendingCopies, PendingCopy } from '../store/copies';
import type { CopySource, Upload } from '../store/uploads';
import { copiedParts, isMultipart, type MultipartUpload } from '../uploads/parts';
import { type DiscardReason, ingestBlob } from '../uploads/uploads';
import type { JanitorDeps } from './janitor-deps';

export interface CopyObjectsDeps extends JanitorDeps {
  readonly pendingCopies: PendingCopies;
  readonly partCopies: PartCopies;
}

/** Concurrent copies of one run. The run of the next minute begins with the remaining ones. */
const COPIES_AT_ONCE = 4;

/** Parts of one copy that are copied concurrently: about half a gigabyte a second. */
const PARTS_AT_ONCE = 8;

/**
 * Lease of a run on a copy, renewed by each step: it covers all attempts of a call. Two runs that
 * work on one copy do no harm, and nothing is gained by it.
 */
const LEASE_MS = 7 * 60_000;

/** S3 may take minutes to complete an upload: until the function has ended in any case. */
const COMPLETE_LEASE_MS = 16 * 60_000;

/** A pending upload whose bytes are copied. */
type Copying = MultipartUpload & { readonly copyOf: CopySource };

/**
 * AWS calls without a copy: 1 Query. For each copy: 2 PutItem and 1 more for every
 * `PARTS_AT_ONCE` parts, 1 GetItem, 1 ListParts for every 1,000 parts that S3 has, 1 UploadPartCopy
 * for each part, CompleteMultipartUpload; in the run after that 1 PutItem, 1 GetItem, 1 DeleteItem.
 */
export async function copyObjects(deps: CopyObjectsDeps, signal: StopSignal): Promise<void> {
  const failures = new FailureCollector(deps.log, 'copy_failed');
  const now = deps.clock.now();
  const free = (await deps.pendingCopies.list()).filter(({ until }) => until <= now);
  await forEachConcurrently(free, COPIES_AT_ONCE, async (copy) => {
    if (signal.aborted) return;
    await failures.run(copy.id, { upload: copy.id }, () => continueCopy(deps, copy, signal));
  });
  failures.throwIfAny();
}

async function continueCopy(
  deps: CopyObjectsDeps,
  copy: PendingCopy,
  signal: StopSignal,
): Promise<void> {
  const held = await lease(deps, copy, LEASE_MS);
  if (!held) return;
  const upload = await deps.uploads.get(copy.id);
  if (!upload || !isCopying(upload)) return endCopy(deps, copy.id, upload);
  const stored = await deps.partCopies.list(upload);
  if (!stored) {
    // S3 has completed it, or its rule has aborted it: then settleUploads ends it after its expiry.
    if ((await ingestBlob(deps, upload.blob)) === 'committed') await endCopy(deps, copy.id, upload);
    return;
  }
  const result = await copyParts(deps, { upload, held, stored }, signal);
  if (result === 'missing') {
    await deps.uploads.refuse(upload.id, 'source_deleted' satisfies DiscardReason);
    return endCopy(deps, copy.id, await deps.uploads.get(copy.id));
  }
  // The next run continues, or finds the upload committed.
  if (result) await deps.pendingCopies.claim(result, 0);
}

function isCopying(upload: Upload): upload is Copying {
  return upload.state === 'pending' && upload.copyOf !== undefined && isMultipart(upload);
}

/** The upload is not pending any more. */
async function endCopy(deps: CopyObjectsDeps, id: string, upload: Upload | undefined) {
  if (upload?.state === 'refused' && upload.multipartId !== undefined) {
    await deps.blobs.abortMultipart(upload.blob, upload.multipartId);
  }
  await deps.pendingCopies.remove(id);
}

interface Work {
  readonly upload: Copying;
  readonly held: PendingCopy;
  /** The etags of the parts that S3 has. */
  readonly stored: ReadonlyMap<number, string>;
}

/**
 * Copies the parts that S3 does not have, and completes the upload. Returns the lease; undefined if
 * another run has it; `missing` if the bytes of the source are no longer kept.
 */
async function copyParts(
  deps: CopyObjectsDeps,
  { upload, held, stored }: Work,
  signal: StopSignal,
): Promise<PendingCopy | 'missing' | undefined> {
  const etags = new Map(stored);
  const parts = copiedParts(upload.size, upload.partSize);
  const left = parts.filter(({ number }) => !stored.has(number));
  let mine: PendingCopy | undefined = held;
  for (let at = 0; at < left.length; at += PARTS_AT_ONCE) {
    if (signal.aborted) return mine;
    mine = await lease(deps, mine, LEASE_MS);
    if (!mine) return undefined;
    const some = left.slice(at, at + PARTS_AT_ONCE);
    const copied = await copySeveral(deps, upload, some);
    if (!copied) return 'missing';
    for (const [number, etag] of copied) etags.set(number, etag);
  }
  mine = await lease(deps, mine, COMPLETE_LEASE_MS);
  if (!mine) return undefined;
  await deps.partCopies.complete(
    upload,
    parts.map(({ number }) => etags.get(number) ?? ''),
  );
  return mine;
}

function lease(deps: CopyObjectsDeps, copy: PendingCopy, duration: number) {
  return deps.pendingCopies.claim(copy, deps.clock.now() + duration);
}

/** The etags by number. Returns undefined when the source has ended. */
async function copySeveral(
  { partCopies }: CopyObjectsDeps,
  upload: Copying,
  parts: readonly CopiedPart[],
): Promise<readonly (readonly [number, string])[] | undefined> {
  const copies = await allEnded(
    parts.map(async (part) => {
      const etag = await partCopies.copy(upload, upload.copyOf, part);
      return etag === undefined ? undefined : ([part.number, etag] as const);
    }),
  );
  const copied = copies.filter((copy) => copy !== undefined);
  return copied.length === parts.length ? copied : undefined;
}
