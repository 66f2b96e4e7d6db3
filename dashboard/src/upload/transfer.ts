/** One file into the store: in one request, or in parts. */

import { StowageError } from '../../../client/errors';
import { sleep } from '../../../client/retry';
import type { StorageApi } from '../api/storage';
import type { UploadMemory } from './memory';
import {
  completionOf,
  type FinishedParts,
  INLINE_BYTES,
  type PartedUpload,
  partedUpload,
  withUrls,
} from './plan';
import { PartError, partErrorOf, sendPart } from './send-part';
import { sendParts } from './send-parts';
import { SignedUrls } from './signed-urls';

export interface TransferDeps {
  readonly storage: StorageApi;
  readonly memory: UploadMemory;
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
  /** Called when all is sent and the object is about to appear. */
  readonly finishing: () => void;
  readonly signal: AbortSignal;
}

/** There is such an object, and it was not to be replaced. */
export class AlreadyThere extends Error {}

/** The service reports a signed upload within seconds. */
const APPEARS_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 500;

export async function transfer(
  deps: TransferDeps,
  target: Target,
  source: Source,
  watch: Watch,
  /** Called when it is to go in parts: from then on it can go on after an interruption. */
  begun: (upload: PartedUpload) => void,
): Promise<void> {
  const { file } = source;
  if (file.size <= INLINE_BYTES) return putWhole(deps, target, file, watch);
  if (!target.mayReplace) await requireAbsent(deps.storage, target);
  const { bucket, key, mayReplace } = target;
  const contentType = file.type || 'application/octet-stream';
  const signed = await deps.storage.signMultipart(bucket, key, {
    size: file.size,
    contentType,
    mayReplace,
  });
  const upload = partedUpload(target, file, signed, source.handle);
  await deps.memory.add(upload);
  begun(upload);
  return goOn(deps, upload, new Map(), file, watch);
}

/** Sends what is not there yet. */
export async function goOn(
  deps: TransferDeps,
  upload: PartedUpload,
  finished: FinishedParts,
  file: File,
  watch: Watch,
): Promise<void> {
  const { memory, storage } = deps;
  const urls = new SignedUrls(upload, async (before) => {
    const renewed = withUrls(before, await signAgain(storage, before));
    await memory.add(renewed);
    return renewed;
  });
  try {
    const all = await sendParts(
      urls,
      file,
      finished,
      {
        send: sendPart,
        save: (number, etag) => memory.addPart(upload.id, number, etag),
        sleep,
        random: Math.random,
      },
      watch,
    );
    watch.finishing();
    const etag = await urls.use((now) => complete(now, all, watch.signal));
    await memory.forget(upload.id);
    await appeared(storage, upload, etag, watch.signal);
  } catch (error) {
    if (error instanceof PartError && error.failure !== 'temporary') await memory.forget(upload.id);
    throw error;
  }
}

async function signAgain(storage: StorageApi, { bucket, key, id }: PartedUpload) {
  try {
    return await storage.signAgain(bucket, key, id);
  } catch (error) {
    if (!(error instanceof StowageError) || error.code !== 'not_found') throw error;
    throw new PartError('refused', 'The time for this upload has run out: it begins anew.');
  }
}

/** Gives an upload up: S3 frees its parts. */
export async function abandon(memory: UploadMemory, upload: PartedUpload): Promise<void> {
  await memory.forget(upload.id);
  const { url, method, headers } = upload.abort;
  // Should it fail, the store gives it up by itself after some days.
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
 * Answers the ETag of the whole; undefined: an earlier try, whose answer was lost, has completed
 * it.
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
  // S3 may find out after it has begun to answer 200.
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

/** Until the service shows it. `etag`: as in S3's XML. */
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
    await sleep(LOOK_EVERY_MS, signal);
    signal.throwIfAborted();
  }
  throw new PartError(
    'refused',
    'All was sent, but the object did not appear. Somebody else may have written it at the same time.',
  );
}
