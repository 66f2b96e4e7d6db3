/**
 * Step 2 of a restore: commits a blob that no record names as the current version of its key.
 */

import type { BucketRef } from '../../bucket-ref';
import { ServiceError } from '../../errors';
import { type CommitDeps, commitChange } from '../../log/commit';
import { liveRecord } from '../../objects/objects';
import type { Blobs } from '../../store/blobs';
import type { ObjectRecord } from '../../store/objects';
import { liveOf } from '../../store/objects';
import type { StagedContent, Uploads } from '../../store/uploads';
import { contentOf, type DiscardReason, uploadIdOf } from '../../uploads/uploads';
import type { KeyBlobs, StoredBlob } from './stored-blobs';

export interface RecoverDeps extends CommitDeps {
  readonly blobs: Pick<Blobs, 'head'>;
  readonly uploads: Pick<Uploads, 'get' | 'refuse'>;
}

/** When the record was last changed. Epoch milliseconds; -Infinity: there is none. */
export function timeOf(record: ObjectRecord | undefined): number {
  if (record === undefined) return Number.NEGATIVE_INFINITY;
  return Date.parse(record.state === 'live' ? record.updatedAt : record.deletedAt);
}

/** The blobs that may hold what was written to the key after its record, newest first. */
export function newerThan(
  record: ObjectRecord | undefined,
  { candidates }: KeyBlobs,
): readonly StoredBlob[] {
  const known = timeOf(record);
  return candidates.filter(({ at, blob }) => at > known && blob !== liveOf(record)?.blob);
}

/**
 * Commits the newest of the blobs that exists and was not refused. Older uploads that are still
 * open are refused, because the janitor would commit them after it. Returns false when there is no
 * such blob, or the record is newer by now. AWS calls: HeadObject, those of a commit; for each
 * presigned upload GetItem, for each that is refused UpdateItem.
 */
export async function recoverNewest(
  deps: RecoverDeps,
  bucket: BucketRef,
  found: KeyBlobs,
  record: ObjectRecord | undefined,
): Promise<boolean> {
  let recovered = false;
  for (const candidate of newerThan(record, found)) {
    const id = uploadIdOf(candidate.blob);
    const upload = id === undefined ? undefined : await deps.uploads.get(id);
    const state = upload?.state;
    // A commit may have named a staged upload after the moment of the tables: it counts as one.
    const isOpen = state === 'pending' || state === 'staged';
    if (recovered) {
      if (id !== undefined && isOpen) {
        await deps.uploads.refuse(id, 'replaced' satisfies DiscardReason);
      }
      continue;
    }
    const properties = state === 'refused' ? undefined : await deps.blobs.head(candidate.blob);
    if (!properties) continue;
    const content = contentOf(properties, upload);
    const uploadId = isOpen ? id : undefined;
    recovered = await commitBlob(deps, { bucket, found, candidate, content, uploadId }, record);
    if (!recovered) return false;
  }
  return recovered;
}

interface Recovery {
  readonly bucket: BucketRef;
  readonly found: KeyBlobs;
  readonly candidate: StoredBlob;
  readonly content: StagedContent;
  /** Of an upload that is still pending or staged: the commit settles it. */
  readonly uploadId?: string;
}

/** Returns false when the current record is newer, or the upload was settled meanwhile. */
async function commitBlob(
  deps: RecoverDeps,
  { bucket, found, candidate, content, uploadId }: Recovery,
  record: ObjectRecord | undefined,
): Promise<boolean> {
  const fields = { bucket, key: candidate.key, blob: candidate.blob, ...content };
  try {
    const outcome = await commitChange(
      deps,
      {
        bucket,
        key: candidate.key,
        check: (before) => {
          if (timeOf(before) >= candidate.at) throw new ServiceError('precondition_failed');
        },
        build: (position, before) => ({
          ...liveRecord(fields, position, before),
          // When it was written, not when it was restored, as exactly as the blobs show.
          createdAt: liveOf(before)?.createdAt ?? iso(firstAfter(before, found, candidate)),
          updatedAt: iso(candidate.at),
        }),
        uploadId,
      },
      record,
    );
    return outcome.result === 'committed';
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'precondition_failed') return false;
    throw error;
  }
}

/** The oldest blob of the key, unless the key was deleted after it. */
function firstAfter(
  before: ObjectRecord | undefined,
  { oldest }: KeyBlobs,
  { at }: StoredBlob,
): number {
  return oldest > timeOf(before) ? oldest : at;
}

const iso = (milliseconds: number) => new Date(milliseconds).toISOString();
