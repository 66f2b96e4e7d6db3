/** Writes to the tables that only a restore makes. No function of the service may make them. */

import type { BucketRef } from '../../bucket-ref';

export interface Restoring {
  /**
   * Makes `to` the cursor that was allocated last, with everything up to it trimmed: a client with
   * an earlier cursor has to start over. Opens a closing bucket, and restores its statistics and
   * its directory entry. Atomic. Returns false when no bucket of this name has this id, or it has
   * allocated `to` already.
   */
  skip(bucket: BucketRef, to: number): Promise<boolean>;
  /**
   * Removes the entries of the log up to `to`, but not the blobs that they name. Returns how many
   * it removed. Repeatable.
   */
  dropEntries(bucketId: string, to: number): Promise<number>;
}
