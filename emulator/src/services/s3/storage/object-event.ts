import type { S3Event } from '../../events/s3-event';

/**
 * A change of an object. Emitted at least once, in any order, after the change is in the journal.
 */
export interface S3ObjectEvent extends S3Event {
  readonly eventName:
    | 'ObjectCreated:Put'
    | 'ObjectCreated:Copy'
    | 'ObjectCreated:CompleteMultipartUpload'
    | 'ObjectRemoved:Delete';
}
