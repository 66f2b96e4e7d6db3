/**
 * Downloads to a file, by several concurrent ranges. Until all bytes are there they are in
 * `<path>.partial`, and what is there in `<path>.partial.json`: a repeated call
 * continues from it.
 */
import { linkedTo } from '../abort';
import { StowageError } from '../errors';
import { isRecord, type ObjectDescriptor } from '../resources';
import { type FileHandle, type LocalFiles, localFiles, type Path } from './local-files';
import { type Download, type DownloadDeps, receiveRange } from './ranges';

/** More than 10 MB, which the service passes on to S3 in place of carrying the bytes. */
const RANGE_BYTES = 16 * 1024 ** 2;

/** What is saved between ranges: the version, and the ranges that are complete. */
interface Saved {
  readonly version: string;
  readonly ranges: readonly number[];
}

export async function downloadToFile(
  deps: DownloadDeps,
  started: Download,
  path: Path,
  concurrency: number,
): Promise<void> {
  const files = await localFiles();
  const partial = beside(path, '.partial');
  const notes = beside(path, '.partial.json');
  const version = versionOf(started.object);
  const saved = await load(files, notes, version);
  const handle = await files.open(partial, saved.length > 0 ? 'r+' : 'w+').catch(async () => {
    // The notes without the file are worth nothing.
    saved.length = 0;
    return files.open(partial, 'w+');
  });
  try {
    await receiveRanges(deps, started, {
      ...{ handle, concurrency, finished: new Set(saved) },
      save: async (ranges) => {
        const text = JSON.stringify({ version, ranges } satisfies Saved);
        const written = beside(notes, '.new');
        await files.writeFile(written, text);
        await files.rename(written, notes);
      },
    });
    await handle.truncate(started.object.size);
  } finally {
    await handle.close();
  }
  const isRight = await hasChecksum(files, partial, started.object);
  await files.rm(notes, { force: true });
  if (!isRight) {
    await files.rm(partial, { force: true });
    throw new StowageError(
      'invalid_answer',
      'the bytes that were received do not have the checksum of the object',
      { details: { checksum_sha256: started.object.checksum_sha256 } },
    );
  }
  await files.rename(partial, path);
}

function beside(path: Path, end: string): Path {
  return typeof path === 'string' ? `${path}${end}` : new URL(`${path.href}${end}`);
}

/** Tells one content from another, also of a bucket that was created again. */
function versionOf({ bucket, key, version, cursor, etag, size }: ObjectDescriptor): string {
  return JSON.stringify([bucket, key, version, cursor, etag, size]);
}

async function load(files: LocalFiles, notes: Path, version: string): Promise<number[]> {
  try {
    const saved: unknown = JSON.parse(await files.readFile(notes, 'utf8'));
    if (!isRecord(saved) || saved.version !== version || !Array.isArray(saved.ranges)) return [];
    return saved.ranges.filter((each) => Number.isSafeInteger(each));
  } catch {
    return [];
  }
}

interface Ranges {
  readonly handle: FileHandle;
  readonly concurrency: number;
  readonly finished: Set<number>;
  readonly save: (ranges: readonly number[]) => Promise<void>;
}

async function receiveRanges(
  deps: DownloadDeps,
  { object, onProgress, signal }: Download,
  { handle, concurrency, finished, save }: Ranges,
): Promise<void> {
  const { size } = object;
  const rangeOf = (index: number) => ({
    from: index * RANGE_BYTES,
    to: Math.min((index + 1) * RANGE_BYTES, size),
  });
  const count = Math.ceil(size / RANGE_BYTES);
  const missing = [...Array(count).keys()].filter((index) => !finished.has(index));
  let received = [...finished].reduce((sum, index) => {
    const { from, to } = rangeOf(index);
    return sum + to - from;
  }, 0);
  let saving: Promise<void> = Promise.resolve();
  const stop = linkedTo(signal);
  const receive = async (index: number) => {
    await receiveRange(
      deps,
      { object, onProgress, signal: stop.signal },
      rangeOf(index),
      async (bytes, at) => {
        await handle.write(bytes, 0, bytes.length, at);
        received += bytes.length;
        onProgress(received);
      },
    );
    // The notes must not be on the disk before the bytes are.
    await handle.datasync();
    finished.add(index);
    saving = saving.then(() => save([...finished]));
    await saving;
  };
  const worker = async () => {
    for (let next = missing.shift(); next !== undefined; next = missing.shift()) {
      stop.signal.throwIfAborted();
      await receive(next);
    }
  };
  const workers = Array.from({ length: concurrency }, () => worker());
  try {
    await Promise.all(workers);
  } catch (error) {
    stop.abort(error);
    await Promise.allSettled(workers);
    throw error;
  } finally {
    stop.detach();
  }
}

/** Whether the file has the checksum of the object; true when the service does not know it. */
async function hasChecksum(
  files: LocalFiles,
  path: Path,
  { checksum_sha256: checksum }: ObjectDescriptor,
): Promise<boolean> {
  if (checksum === undefined) return true;
  const hash = files.createHash('sha256');
  const reader = (await files.openAsBlob(path)).stream().getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    hash.update(read.value);
  }
  return hash.digest('base64') === checksum;
}
