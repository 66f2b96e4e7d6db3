/** Downloads an object of any size to a file or a stream, and continues after interruptions. */
import { onAbort, rejectedBy } from '../abort';
import type { DescribeOptions } from '../options';
import { requireWhole } from '../paths';
import type { ObjectDescriptor } from '../resources';
import { downloadToFile } from './file-download';
import type { LocalFile, Path } from './local-files';
import { nodeRequests } from './node-requests';
import { type Download, type DownloadDeps, receiveRange } from './ranges';
import { streamTo, targetOf } from './special-files';

/** Where an object is written: a file, or a stream of bytes. */
export type DownloadTarget = LocalFile | WritableStream<Uint8Array>;

/** Options of a download. */
export interface DownloadOptions {
  /** An older version. */
  readonly version?: number | undefined;
  /** The object as it was at this cursor of the bucket. Excludes `version`. */
  readonly asOf?: number | undefined;
  /** Called with the number of bytes that were received, and the size of the object. */
  readonly onProgress?:
    | ((progress: { readonly received: number; readonly total: number }) => void)
    | undefined;
  /** To a file: ranges that are received concurrently, 1 to 16. @default 4 */
  readonly concurrency?: number | undefined;
  /** Aborts the download, which throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

export interface DownloadServices extends Omit<DownloadDeps, 'node'> {
  /** Whether the service and S3 may be reached without `fetch`, where that is better. */
  readonly mayUseNode: boolean;
  readonly describe: (
    bucket: string,
    key: string,
    options: DescribeOptions,
  ) => Promise<ObjectDescriptor>;
}

/**
 * Returns the object that was downloaded. Throws StowageError, TypeError, the error of the target,
 * or the reason of the signal.
 */
export async function download(
  { mayUseNode, describe, ...reach }: DownloadServices,
  { bucket, key }: { readonly bucket: string; readonly key: string },
  target: DownloadTarget,
  options: DownloadOptions,
): Promise<ObjectDescriptor> {
  const { version, asOf, concurrency = 4, signal = new AbortController().signal } = options;
  requireWhole('concurrency', concurrency, 1, 16);
  const object = await describe(bucket, key, { version, asOf, signal });
  const deps = { ...reach, node: mayUseNode ? await nodeRequests() : undefined };
  const onProgress = (received: number) => options.onProgress?.({ received, total: object.size });
  const started: Download = { object, onProgress, signal };
  if ('path' in target) await downloadToPath(deps, started, target.path, concurrency);
  else if ('getWriter' in target) await downloadToStream(deps, started, target);
  else throw new TypeError('the target must be { path } or a WritableStream');
  return object;
}

async function downloadToPath(
  deps: DownloadDeps,
  started: Download,
  path: Path,
  concurrency: number,
): Promise<void> {
  const target = await targetOf(path);
  if (target.kind === 'file') return downloadToFile(deps, started, target.path, concurrency);
  return downloadToStream(deps, started, await streamTo(target.path, started.signal));
}

async function downloadToStream(
  deps: DownloadDeps,
  started: Download,
  target: WritableStream<Uint8Array>,
): Promise<void> {
  const { object, onProgress, signal } = started;
  const writer = target.getWriter();
  // A target that stalls must not hold up an abort: its write may never end.
  const { aborted, detach } = rejectedBy(signal);
  const detachWriter = onAbort(
    signal,
    () => void writer.abort(signal.reason).catch(() => undefined),
  );
  try {
    await receiveRange(deps, started, { from: 0, to: object.size }, async (bytes, at) => {
      await Promise.race([writer.write(bytes), aborted]);
      onProgress(at + bytes.length);
    });
    await Promise.race([writer.close(), aborted]);
  } catch (error) {
    signal.throwIfAborted();
    await writer.abort(error).catch(() => undefined);
    throw error;
  } finally {
    detach();
    detachWriter();
    writer.releaseLock();
  }
}
