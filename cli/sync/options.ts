/** Places, options and reports of a sync. */
import type { StowageClient } from '../../client/index';
import type { Contents } from './contents';
import type { IsExcluded } from './filter';
import type { ObjectList } from './object-list';

/** Objects of a bucket below a prefix, which is empty or ends with a slash. */
export interface BucketPlace {
  readonly kind: 'bucket';
  readonly bucket: string;
  readonly prefix: string;
}

export interface FolderPlace {
  readonly kind: 'folder';
  /** Absolute. */
  readonly path: string;
}

export type Place = BucketPlace | FolderPlace;

/** The progress of one transfer. */
export interface Transfer {
  readonly at: (bytes: number) => void;
  readonly end: () => void;
}

/** Receives the events of a sync. */
export interface Report {
  readonly changed: (name: string, did: string, size?: number) => void;
  readonly skipped: (name: string, reason: string) => void;
  readonly failed: (name: string, error: unknown) => void;
  readonly transfer: (name: string, size: number) => Transfer;
  /** Called when every known change is applied; with `--watch`, each time. */
  readonly inStep: (cursor: number | undefined) => void;
  /** Prints a note for people. */
  readonly note: (text: string) => void;
}

export interface SyncOptions {
  /** Delete what the source does not have. */
  readonly delete: boolean;
  readonly dryRun: boolean;
  /** Compare contents and ignore sizes, times and the state. */
  readonly checksum: boolean;
  /** Names that are synced concurrently. */
  readonly parallel: number;
  readonly isExcluded: IsExcluded;
  /** Of folders. */
  readonly isPruned: IsExcluded;
  /** The file of SyncState; undefined to keep no state. */
  readonly stateFile: string | undefined;
  readonly signal: AbortSignal;
}

/** One folder, one bucket. */
export interface Pair {
  readonly client: StowageClient;
  readonly root: string;
  readonly bucket: string;
  readonly list: ObjectList;
  readonly contents: Contents;
  readonly options: SyncOptions;
  readonly report: Report;
}
