/**
 * The saved state of an upload that continues after a restart. It has no content, API key or signed
 * URL.
 */
import { parse } from '../http';
import { isRecord } from '../resources';
import { localFiles, type Path, replaceFile } from './local-files';

/** An upload in parts that is not complete. */
export interface SavedUpload {
  /** The id by which the service knows the upload. */
  readonly uploadId: string;
  /** Name of the bucket. */
  readonly bucket: string;
  /** The key of the object. */
  readonly key: string;
  /** Bytes of the content. */
  readonly size: number;
  /** When the content was modified last, in milliseconds since the epoch, where that is known. */
  readonly modifiedAt?: number;
  /** Content headers, metadata and conditions of the upload, as JSON. */
  readonly fields: string;
  /** Bytes of each part but the last one. */
  readonly partSize: number;
  /** The ETag of each part that S3 has, by its number. */
  readonly etags: Readonly<Record<number, string>>;
}

/**
 * Where an upload is saved between its parts. One place holds one upload. `fileResume` keeps it in
 * a file, `storageResume` in the Storage of a browser.
 */
export interface ResumeStore {
  /** Returns the saved upload, or undefined. */
  load(): Promise<SavedUpload | undefined>;
  /** Replaces the saved upload. */
  save(upload: SavedUpload): Promise<void>;
  /** Forgets it: the upload has ended. */
  clear(): Promise<void>;
}

/** Saves an upload in a file, in Node.js, Deno and Bun. */
export function fileResume(path: Path): ResumeStore {
  return {
    async load() {
      const files = await localFiles();
      return parseSaved(await files.readFile(path, 'utf8').catch(() => ''));
    },
    async save(upload) {
      const files = await localFiles();
      const isOwn = (left: string) => parseSaved(left) !== undefined;
      await replaceFile(files, path, JSON.stringify(upload), isOwn);
    },
    async clear() {
      const files = await localFiles();
      await files.rm(path, { force: true });
    },
  };
}

/** Saves an upload in a Storage, such as `localStorage`, under a name. */
export function storageResume(
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>,
  name: string,
): ResumeStore {
  return {
    load: async () => parseSaved(storage.getItem(name) ?? ''),
    save: async (upload) => storage.setItem(name, JSON.stringify(upload)),
    clear: async () => storage.removeItem(name),
  };
}

/** Returns undefined for a text that this client has not saved: the upload then starts over. */
function parseSaved(text: string): SavedUpload | undefined {
  const value = parse(text);
  if (!isRecord(value)) return undefined;
  const { uploadId, bucket, key, fields, size, partSize, modifiedAt, etags } = value;
  const texts = [uploadId, bucket, key, fields].every((each) => typeof each === 'string');
  const isCount = (each: unknown) => Number.isSafeInteger(each) && Number(each) > 0;
  const isTime = modifiedAt === undefined || typeof modifiedAt === 'number';
  if (!texts || !isCount(size) || !isCount(partSize) || !isTime || !isRecord(etags)) {
    return undefined;
  }
  return Object.values(etags).every((etag) => typeof etag === 'string')
    ? (value as unknown as SavedUpload)
    : undefined;
}
