/**
 * Downloads to a file, by several concurrent ranges. Until all bytes are there they are in
 * `<path>.partial`, and what is there in `<path>.partial.json`: a repeated call continues from it.
 * `<path>.partial.lock` keeps a second download away.
 */
import { linkedTo } from '../abort';
import { StowageError } from '../errors';
import { isRecord, type ObjectDescriptor } from '../resources';
import { type FileHandle, type LocalFiles, localFiles, lockFile, type Path } from './local-files';
import { type Download, type DownloadDeps, receiveRange } from './ranges';

/** More than what the service carries itself: S3 sends each range. */
const RANGE_BYTES = 16 * 1024 ** 2;

/** Saved between ranges: the version, how many ranges from the first one are there, and others. */
interface Saved {
  readonly version: string;
  readonly first: number;
  readonly others: readonly number[];
}

/** Throws StowageError `conflict` when another download writes to the same file. */
export async function downloadToFile(
  deps: DownloadDeps,
  started: Download,
  path: Path,
  concurrency: number,
): Promise<void> {
  const files = await localFiles();
  const unlock = await lockFile(files, beside(path, '.partial.lock'));
  try {
    await downloadAlone(files, deps, started, { path, concurrency });
  } finally {
    await unlock();
  }
}

async function downloadAlone(
  files: LocalFiles,
  deps: DownloadDeps,
  started: Download,
  { path, concurrency }: { readonly path: Path; readonly concurrency: number },
): Promise<void> {
  const { object } = started;
  const partial = beside(path, '.partial');
  const notes = beside(path, '.partial.json');
  const version = versionOf(object);
  const { handle, finished } = await openPartial(files, { partial, notes }, object);
  try {
    await receiveRanges(deps, started, {
      ...{ handle, concurrency, finished },
      save: async () => {
        let first = 0;
        while (finished.has(first)) first++;
        const others = [...finished].filter((index) => index > first);
        const written = beside(notes, '.new');
        await files.writeFile(written, JSON.stringify({ version, first, others } satisfies Saved));
        await files.rename(written, notes);
      },
    });
    await handle.truncate(object.size);
  } finally {
    await handle.close();
  }
  const isRight = await hasChecksum(files, partial, object);
  await files.rm(notes, { force: true });
  if (!isRight) {
    await files.rm(partial, { force: true });
    throw new StowageError(
      'invalid_answer',
      'the bytes that were received do not have the checksum of the object',
      { details: { checksum_sha256: object.checksum_sha256 } },
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

/** The ranges that the file has according to the notes; without them the file begins empty. */
async function openPartial(
  files: LocalFiles,
  { partial, notes }: { readonly partial: Path; readonly notes: Path },
  object: ObjectDescriptor,
): Promise<{ readonly handle: FileHandle; readonly finished: Set<number> }> {
  const saved = await load(files, notes, versionOf(object));
  const handle = saved.length > 0 && (await files.open(partial, 'r+').catch(() => undefined));
  if (handle) {
    const { size } = await handle.stat();
    const needed = Math.min((Math.max(...saved) + 1) * RANGE_BYTES, object.size);
    if (size >= needed) return { handle, finished: new Set(saved) };
    await handle.close();
  }
  // Before the file: notes must not outlive the bytes that they are about.
  await files.rm(notes, { force: true });
  return { handle: await files.open(partial, 'w+'), finished: new Set() };
}

async function load(files: LocalFiles, notes: Path, version: string): Promise<number[]> {
  try {
    const saved: unknown = JSON.parse(await files.readFile(notes, 'utf8'));
    if (!isRecord(saved) || saved.version !== version) return [];
    const { first, others } = saved;
    if (!Number.isSafeInteger(first) || !Array.isArray(others)) return [];
    return [...Array(Number(first)).keys(), ...others.filter((each) => Number.isSafeInteger(each))];
  } catch {
    return [];
  }
}

interface Ranges {
  readonly handle: FileHandle;
  readonly concurrency: number;
  readonly finished: Set<number>;
  /** Saves which ranges are finished. */
  readonly save: () => Promise<void>;
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
  let received =
    size - missing.reduce((sum, each) => sum + rangeOf(each).to - rangeOf(each).from, 0);
  let saving: Promise<void> = Promise.resolve();
  const stop = linkedTo(signal);
  const receive = async (index: number) => {
    const download = { object, onProgress, signal: stop.signal };
    await receiveRange(deps, download, rangeOf(index), async (bytes, at) => {
      await handle.writeAll(bytes, at);
      received += bytes.length;
      onProgress(received);
    });
    // The notes must not be on the disk before the bytes are.
    await handle.datasync();
    finished.add(index);
    saving = saving.then(save);
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
