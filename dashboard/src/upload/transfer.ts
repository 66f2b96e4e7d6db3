/** Uploads one file: in one request, or in parts. */

import { StowageError } from '../../../client/errors';
import { sleep } from '../../../client/retry';
import { LIMITS } from '../api/limits';
import type { StorageApi } from '../api/storage';
import {
  completionOf,
  type FinishedParts,
  type PartedUpload,
  partedUpload,
  withUrls,
} from './plan';
import type { SavedUploads } from './saved-uploads';
import { PartError, partErrorOf, sendPart } from './send-part';
import { sendParts } from './send-parts';
import { SignedUrls } from './signed-urls';

export interface TransferDeps {
  readonly storage: StorageApi;
  readonly savedUploads: SavedUploads;
}

export interface Source {
  readonly file: File;
  readonly handle?: FileSystemFileHandle;
}

export interface Target {
  readonly bucket: string;
  readonly key: string;
  readonly mayReplace: boolean;
}

export interface Watch {
  /** Bytes sent so far. */
  readonly progress: (sent: number) => void;
  /** Called when every byte is sent and the object is about to appear. */
  readonly finishing: () => void;
  readonly signal: AbortSignal;
}

/** An object with this key exists, and the upload may not replace it. */
export class AlreadyThere extends Error {}

/** The service shows an object within seconds of its signed upload. */
const APPEARS_WITHIN_MS = 60_000;
const POLL_INTERVAL_MS = 500;

export interface NewUpload {
  readonly target: Target;
  readonly source: Source;
  /** Called when an upload in parts begins: from then on it can be resumed. */
  readonly begun: (upload: PartedUpload) => void;
}

export async function transfer(
  deps: TransferDeps,
  { target, source, begun }: NewUpload,
  watch: Watch,
): Promise<void> {
  const { file } = source;
  if (file.size <= LIMITS.inlineUploadBytes) return putWhole(deps, target, file, watch);
  if (!target.mayReplace) await requireAbsent(deps.storage, target);
  const { bucket, key, mayReplace } = target;
  const contentType = file.type || 'application/octet-stream';
  const signed = await deps.storage.signMultipart(bucket, key, {
    size: file.size,
    contentType,
    mayReplace,
  });
  const upload = partedUpload(target, file, signed, source.handle);
  await deps.savedUploads.add(upload);
  begun(upload);
  return resumeUpload(deps, { upload, finished: new Map(), file }, watch);
}

export interface InterruptedUpload {
  readonly upload: PartedUpload;
  /** The parts that were sent before. */
  readonly finished: FinishedParts;
  readonly file: File;
}

/** Sends the missing parts of an upload and completes it. */
export async function resumeUpload(
  deps: TransferDeps,
  { upload, finished, file }: InterruptedUpload,
  watch: Watch,
): Promise<void> {
  const { savedUploads, storage } = deps;
  const urls = new SignedUrls(upload, async (before) => {
    const renewed = withUrls(before, await signAgain(storage, before));
    await savedUploads.add(renewed);
    return renewed;
  });
  try {
    const all = await sendParts(
      { urls, file, done: finished },
      {
        send: sendPart,
        save: (number, etag) => savedUploads.addPart(upload.id, number, etag),
        sleep,
        random: Math.random,
      },
      watch,
    );
    watch.finishing();
    // The service discards an upload whose key was revoked, as it is when the person signs out in
    // another tab. Without new URLs, the present ones may still do.
    await urls.renew().catch(() => undefined);
    watch.signal.throwIfAborted();
    const etag = await urls.use((now) => complete(now, all, watch.signal));
    await savedUploads.remove(upload.id);
    await appeared(storage, upload, etag, watch.signal);
  } catch (error) {
    if (error instanceof PartError && error.failure !== 'temporary')
      await savedUploads.remove(upload.id);
    throw error;
  }
}

async function signAgain(storage: StorageApi, { bucket, key, id }: PartedUpload) {
  try {
    return await storage.signAgain(bucket, key, id);
  } catch (error) {
    if (!(error instanceof StowageError) || error.code !== 'not_found') throw error;
    throw new PartError('refused', 'This upload has expired. It starts again from the beginning.');
  }
}

/** Aborts an upload, so that S3 removes its parts. */
export async function abandon(savedUploads: SavedUploads, upload: PartedUpload): Promise<void> {
  await savedUploads.remove(upload.id);
  const { url, method, headers } = upload.abort;
  // If it fails, S3 removes the parts after some days by a lifecycle rule.
  await fetch(url, { method, headers }).catch(() => undefined);
}

async function putWhole(
  { storage }: TransferDeps,
  { bucket, key, mayReplace }: Target,
  file: File,
  { progress, signal }: Watch,
): Promise<void> {
  try {
    await storage.put(bucket, key, file, {
      contentType: file.type || undefined,
      ifNoneMatch: mayReplace ? undefined : '*',
      idempotencyKey: crypto.randomUUID(),
      signal,
    });
    progress(file.size);
  } catch (error) {
    const isThere = error instanceof StowageError && error.code === 'precondition_failed';
    throw isThere ? new AlreadyThere() : error;
  }
}

async function requireAbsent(storage: StorageApi, { bucket, key }: Target): Promise<void> {
  const isThere = await storage.describe(bucket, key).then(
    () => true,
    (error: unknown) => {
      if (error instanceof StowageError && error.code === 'not_found') return false;
      throw error;
    },
  );
  if (isThere) throw new AlreadyThere();
}

/**
 * Returns the ETag of the object. undefined: an earlier attempt, whose response was lost, has
 * completed the upload.
 */
async function complete(
  upload: PartedUpload,
  finished: FinishedParts,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { url, method, headers } = upload.complete;
  const body = completionOf(upload, finished);
  const response = await fetch(url, { method, headers, body, signal }).catch(() => {
    signal.throwIfAborted();
    throw new PartError('temporary', 'The connection was lost.');
  });
  const text = await response.text();
  // S3 may send an error in the body of a response with status 200.
  const code = /<Code>([^<]+)<\/Code>/.exec(text)?.[1];
  if (response.ok && code === undefined) return /<ETag>([^<]+)<\/ETag>/.exec(text)?.[1];
  if (code === 'NoSuchUpload' || response.status === 412) return undefined;
  if (response.status === 403 || code === 'ExpiredToken') throw partErrorOf(403);
  const isTemporary = response.status >= 500 || response.ok;
  throw new PartError(
    isTemporary ? 'temporary' : 'refused',
    `The store could not put the parts together (${code ?? response.status}).`,
  );
}

/** Waits until the service shows the object. `etag`: as in S3's XML. */
async function appeared(
  storage: StorageApi,
  { bucket, key, file }: PartedUpload,
  etag: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const wanted = etag?.replace(/&quot;|&#34;|"/g, '');
  const deadline = Date.now() + APPEARS_WITHIN_MS;
  while (Date.now() < deadline) {
    const shown = await storage.describe(bucket, key, { signal }).catch((error: unknown) => {
      if (error instanceof StowageError && (error.code === 'not_found' || error.isTemporary)) {
        return undefined;
      }
      throw error;
    });
    if (shown && (wanted === undefined ? shown.size === file.size : shown.etag === wanted)) return;
    await sleep(POLL_INTERVAL_MS, signal);
    signal.throwIfAborted();
  }
  throw new PartError(
    'refused',
    'Every byte was sent, but the object did not appear. ' +
      'Another client may have written it at the same time.',
  );
}
