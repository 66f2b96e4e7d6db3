/** What a sync works with. */
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

/** Where the bytes of one transfer are shown. */
export interface Transfer {
  readonly at: (bytes: number) => void;
  readonly end: () => void;
}

/** Called with what happens. */
export interface Report {
  readonly changed: (name: string, did: string, size?: number) => void;
  readonly skipped: (name: string, reason: string) => void;
  readonly failed: (name: string, error: unknown) => void;
  readonly transfer: (name: string, size: number) => Transfer;
  /** Every known change is applied: with `--watch`, again and again. */
  readonly inStep: (cursor: number | undefined) => void;
  /** Prints a note for people. */
  readonly note: (text: string) => void;
}

export interface SyncOptions {
  /** Delete what the source does not have. */
  readonly delete: boolean;
  readonly dryRun: boolean;
  /** Compare contents, whatever size, time and the state say. */
  readonly checksum: boolean;
  /** Names at the same time. */
  readonly parallel: number;
  readonly isExcluded: IsExcluded;
  /** Of folders. */
  readonly isPruned: IsExcluded;
  /** The file of SyncState; undefined: none. */
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
