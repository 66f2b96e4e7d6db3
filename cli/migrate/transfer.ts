/** Gives the target one object of the source, or removes it there. */
import { createHash } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { type ContentOptions, type ObjectDescriptor, StowageError } from '../../client/index';
import { fileNameFor } from '../shared/folders';
import type { Progress } from '../shared/progress';
import { savedUploadIn } from '../shared/saved-uploads';
import { hasExpired } from './pairs';
import { contentOptionsOf, openStored, type Service } from './services';

/** Largest content of a single request. */
const INLINE_BYTES = 4 * 1024 ** 2;

export interface Transfers {
  readonly source: Service;
  readonly target: Service;
  /** Where the content of large objects is while it is on its way. */
  readonly folder: string;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/**
 * Makes the object of the target that of this version. Returns false when the source has gone on
 * and does not have the version any more: a later change follows in its log.
 */
export async function bring(transfers: Transfers, object: ObjectDescriptor): Promise<boolean> {
  // The source deletes it within the hour, and the target would refuse its time.
  if (hasExpired(object)) {
    await remove(transfers, object);
    return true;
  }
  try {
    await copy(transfers, object);
    return true;
  } catch (error) {
    if (hasExpired(object)) {
      await remove(transfers, object);
      return true;
    }
    const isGone = error instanceof StowageError && error.code === 'not_found';
    if (isGone && (await isSuperseded(transfers, object))) return false;
    throw error;
  }
}

/** Deletes the object of the target, if it has one. */
export async function remove(
  { target, signal }: Transfers,
  { bucket, key }: Pick<ObjectDescriptor, 'bucket' | 'key'>,
): Promise<void> {
  await target.client.delete(bucket, key, { signal }).catch(async (error: unknown) => {
    if (!(error instanceof StowageError && error.code === 'not_found')) throw error;
    // Also that of a bucket, which somebody else has deleted.
    await target.client.buckets.get(bucket, { signal });
  });
}

async function isSuperseded(
  { source, signal }: Transfers,
  { bucket, key, cursor }: ObjectDescriptor,
): Promise<boolean> {
  try {
    return (await source.client.describe(bucket, key, { signal })).cursor > cursor;
  } catch (error) {
    if (!(error instanceof StowageError && error.code === 'not_found')) throw error;
    await source.client.buckets.get(bucket, { signal });
    return true;
  }
}

async function copy(transfers: Transfers, object: ObjectDescriptor): Promise<void> {
  const { source, target, progress, signal } = transfers;
  const { bucket, key, size } = object;
  const isSmall = size <= INLINE_BYTES;
  const response = await openStored(source, object, isSmall ? undefined : 'bytes=0-0', signal);
  const content = contentOptionsOf(object, response);
  progress.expect(size);
  const transfer = progress.begin(key);
  try {
    // fetch would decode the content.
    if (!isSmall || content.contentEncoding !== undefined) {
      await response.body?.cancel();
      await copyByFile(transfers, object, content, transfer.at);
      return;
    }
    const bytes = new Uint8Array(await bodyOf(response, signal));
    const sha256 = createHash('sha256').update(bytes).digest('base64');
    if (bytes.length !== size || sha256 !== (object.checksum_sha256 ?? sha256)) {
      throw new StowageError('network', `what was received of ${key} is not its content`);
    }
    await target.client.put(bucket, key, bytes, { ...content, checksumSha256: sha256, signal });
    transfer.at(size);
  } finally {
    transfer.end();
  }
}

async function bodyOf(response: Response, signal: AbortSignal): Promise<ArrayBuffer> {
  try {
    return await response.arrayBuffer();
  } catch (error) {
    signal.throwIfAborted();
    throw new StowageError('network', `the connection was lost: ${String(error)}`);
  }
}

/** Both halves continue where an interrupted command has left them. */
async function copyByFile(
  { source, target, folder, signal }: Transfers,
  { bucket, key, version, size, cursor }: ObjectDescriptor,
  content: ContentOptions,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const about = JSON.stringify([bucket, key, version, cursor]);
  const file = path.join(folder, fileNameFor(about));
  // It gets this name when all of it is there, and its checksum is right.
  const received = await stat(file).catch(() => undefined);
  if (received?.size !== size) {
    const onProgress = (at: { readonly received: number }) => onBytes(at.received / 2);
    await source.client.download(bucket, key, { path: file }, { version, onProgress, signal });
  }
  await target.client.upload(
    bucket,
    key,
    { path: file },
    {
      ...content,
      onProgress: ({ sent }) => onBytes((size + sent) / 2),
      resume: savedUploadIn(folder, about),
      signal,
    },
  );
  await rm(file, { force: true });
}
