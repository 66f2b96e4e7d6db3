/**
 * The janitor's job for presigned uploads that have expired: commits those whose S3 event was lost,
 * refuses the others after a day, and staged ones at once.
 */

import { FailureCollector } from '../failure-collector';
import type { StopSignal } from '../stop-signal';
import type { Upload } from '../store/uploads';
import { type DiscardReason, ingestBlob } from '../uploads/uploads';
import type { JanitorDeps } from './janitor-deps';

/** Saved: the page of the uploads at which a run was stopped. */
const POSITION = 'uploads';

/** A transfer that began just before its URL expired may take very long. */
const REFUSE_AFTER_MS = 24 * 3600 * 1000;

export async function settleUploads(deps: JanitorDeps, signal: StopSignal): Promise<void> {
  const failures = new FailureCollector(deps.log, 'bucket_failed');
  const now = new Date(deps.clock.now()).toISOString();
  let start: string | undefined = (await deps.serviceState.load(POSITION)) || undefined;
  do {
    const page = await deps.uploads.expired(now, start);
    for (const upload of page.uploads) {
      if (signal.aborted) return;
      const { bucket } = upload;
      await failures.run(bucket, { bucket }, () => settleUpload(deps, upload));
    }
    start = page.next;
    await deps.serviceState.save(POSITION, start ?? '');
  } while (start !== undefined && !signal.aborted);
  failures.throwIfAny();
}

async function settleUpload(deps: JanitorDeps, upload: Upload): Promise<void> {
  if (upload.state === 'staged') {
    // The reconciler removes the blob. It rests after a restore, when a commit that the tables have
    // lost may have named the upload.
    await deps.uploads.refuse(upload.id, 'expired' satisfies DiscardReason);
    return;
  }
  if ((await ingestBlob(deps, upload.blob)) !== 'nothing') return;
  if (Date.parse(upload.expiresAt) > deps.clock.now() - REFUSE_AFTER_MS) return;
  if ((await deps.uploads.get(upload.id))?.state !== 'pending') return;
  if (upload.multipartId) await deps.blobs.abortMultipart(upload.blob, upload.multipartId);
  await deps.uploads.refuse(upload.id, 'expired' satisfies DiscardReason);
}
