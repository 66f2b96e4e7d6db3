/** Decides whether a file and an object have the same content, and reads files only if it must. */
import type { ObjectDescriptor } from '../../client/index';
import { find, type LocalFile, pathOf, sha256Of } from './local-files';
import type { SyncState } from './state';

/** Metadata with the time of the file in seconds since the epoch, as rclone writes it. */
export const TIME_METADATA = 'mtime';
/** Metadata with the SHA-256 in base64 of a multipart upload, which has no other checksum. */
export const CHECKSUM_METADATA = 'sha256';

/**
 * A file that changed within this time before it was read may change again and keep its time: file
 * systems store times in steps, of 2 s on FAT.
 */
export const SETTLED_MS = 2_000;

/** Times are compared in milliseconds, with room for rounding. */
const SAME_MS = 2;

/** Returns a text that identifies the content of an object. */
export function contentOf({ size, etag, checksum_sha256 }: ObjectDescriptor): string {
  return `${size} ${checksum_sha256 ?? etag}`;
}

/** Returns the time of the file that an object was uploaded from, if it is known. */
function fileTimeOf({ metadata }: ObjectDescriptor): number | undefined {
  const seconds = metadata[TIME_METADATA];
  if (seconds === undefined || !/^-?\d{1,11}(\.\d{1,9})?$/.test(seconds)) return undefined;
  return Number(seconds) * 1000;
}

/** Returns the time, in milliseconds since the epoch, for a file downloaded from the object. */
export function timeOf(object: ObjectDescriptor): number {
  return fileTimeOf(object) ?? Date.parse(object.updated_at);
}

export function timeMetadata({ mtimeMs }: LocalFile): string {
  return (mtimeMs / 1000).toFixed(3);
}

export class Contents {
  constructor(
    private readonly root: string,
    private readonly state: SyncState,
    private readonly options: { readonly checksum: boolean; readonly signal: AbortSignal },
  ) {}

  /** Records that the file had this content when it was looked at, at that time. */
  record(name: string, file: LocalFile, object: ObjectDescriptor, at: number): void {
    this.state.remember(name, { sign: file.sign, content: contentOf(object), at });
  }

  forget(name: string): void {
    this.state.forget(name);
  }

  /** Whether the file may have changed since then without a new time. */
  isUnsettled(name: string): boolean {
    const known = this.state.known.get(name);
    return known !== undefined && known.at - changedAt(known.sign) < SETTLED_MS;
  }

  async isSame(name: string, file: LocalFile, object: ObjectDescriptor): Promise<boolean> {
    if (file.size !== object.size) return false;
    const known = this.state.known.get(name);
    const isCurrent = known?.sign === file.sign;
    if (!this.options.checksum) {
      if (isCurrent && !this.isUnsettled(name)) return known.content === contentOf(object);
      if (!known && hasTimeOf(object, file)) {
        this.record(name, file, object, Date.now());
        return true;
      }
    }
    const checksum = object.checksum_sha256 ?? object.metadata[CHECKSUM_METADATA];
    if (checksum === undefined) return isCurrent && known.content === contentOf(object);
    const at = Date.now();
    if ((await sha256Of(pathOf(this.root, name), this.options.signal)) !== checksum) return false;
    const after = await find(this.root, name);
    if (after.kind !== 'file' || after.file.sign !== file.sign) return false;
    this.record(name, file, object, at);
    return true;
  }
}

/** mtimeMs of a LocalFile.sign. */
function changedAt(sign: string): number {
  return Number.parseInt(sign.split('.')[1] ?? '0', 36) / 1e6;
}

/** Reports whether size and time indicate that one was made from the other. */
function hasTimeOf(object: ObjectDescriptor, file: LocalFile): boolean {
  if (Math.abs(timeOf(object) - file.mtimeMs) > SAME_MS) return false;
  const fileTime = fileTimeOf(object);
  return fileTime === undefined || Date.parse(object.updated_at) - fileTime > SETTLED_MS;
}
