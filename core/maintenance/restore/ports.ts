/** What only a restore does to the tables. The functions of the service are not given it. */

import type { BucketRef } from '../../bucket-ref';

export interface Restoring {
  /**
   * Makes `to` the last number that was handed out, and everything up to it history that is gone:
   * whoever follows the bucket from a position before is told to start over. Opens a closing
   * bucket; mends statistics and directory. Atomic. False: the bucket is not of that id, or has
   * handed out `to` already.
   */
  skip(bucket: BucketRef, to: number): Promise<boolean>;
  /**
   * Deletes the entries of the log up to `to`, and nothing that they name. Answers how many there
   * were. Repeatable.
   */
  dropEntries(bucketId: string, to: number): Promise<number>;
}
