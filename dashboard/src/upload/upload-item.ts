/** One upload, as the page shows it. */
import type { FileIdentity } from './file-identity';
import type { Pace } from './pace';

export type UploadState =
  | 'waiting'
  | 'sending'
  | 'finishing'
  | 'done'
  /** Begun in an earlier visit: the user has to choose the file again. */
  | 'interrupted'
  /** There is an object with this key already. */
  | 'exists'
  | 'failed';

export interface UploadItem {
  readonly id: string;
  readonly bucket: string;
  readonly key: string;
  readonly file: FileIdentity;
  /** Bytes. */
  readonly sent: number;
  readonly state: UploadState;
  /** The speed; absent before the first byte was sent. */
  readonly pace?: Pace;
  /** Why it failed. */
  readonly problem?: string;
  /** The connection was lost: the upload continues when it is back. */
  readonly isCutOff?: boolean;
  readonly mayReplace: boolean;
  /** The browser can open the file again without asking where it is. */
  readonly hasHandle: boolean;
}

/** A file to upload, and its handle where the browser provides one that can be saved. */
export interface FileSource {
  readonly file: File;
  readonly handle?: FileSystemFileHandle;
}
