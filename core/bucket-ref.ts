/**
 * Identifies one incarnation of a bucket: a bucket that is deleted and created again under the same
 * name has another id.
 */
export interface BucketRef {
  readonly name: string;
  /** 12 characters of base62. */
  readonly id: string;
}

/** Thrown when no open bucket of that name has that id. Nothing was changed. */
export class StaleBucketRef extends Error {}
