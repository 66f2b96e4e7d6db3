/** Dependencies and options of a restore. */

import type { ServiceState } from '../../service-state';
import type { Buckets } from '../../store/buckets';
import type { Objects } from '../../store/objects';
import type { Uploads } from '../../store/uploads';
import type { Clock, Log } from '../../system';
import type { RecordCheckDeps } from '../record-check';
import type { Restoring } from './ports';
import type { RecoverDeps } from './recover';
import type { BlobList } from './stored-blobs';

export interface RestoreDeps extends RecoverDeps {
  readonly buckets: RecordCheckDeps['buckets'] &
    Pick<Buckets, 'get' | 'list' | 'create' | 'deletedBuckets'>;
  readonly objects: Pick<Objects, 'get' | 'getMany' | 'list' | 'removeTombstone'>;
  readonly blobs: RecoverDeps['blobs'] & BlobList;
  readonly uploads: RecoverDeps['uploads'] & Pick<Uploads, 'expired'>;
  readonly restoring: Restoring;
  readonly serviceState: Pick<ServiceState, 'load' | 'save'>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface RestoreOptions {
  /**
   * The tables show their state of that moment (epoch milliseconds); -Infinity: they are new and
   * empty.
   */
  readonly moment: number;
  /** Ignores everything written after the moment, so that the restore undoes it. */
  readonly dropNewer: boolean;
  /** False: reports what would be done, and does nothing. */
  readonly apply: boolean;
  /** Only this bucket. */
  readonly bucket?: string;
}

/**
 * A blob is stored before its commit, by less than a function's 29 seconds, and the times of S3 are
 * whole seconds.
 */
const COMMIT_MARGIN_MS = 60_000;

/** Every blob that arrived before this time was committed, if ever, by the moment of the tables. */
export function newBlobsSince({ moment }: RestoreOptions): number {
  return moment - COMMIT_MARGIN_MS;
}
