import type { S3Event } from '../../events/s3-event';

/** A change of an object, told at least once, in any order, after it is on record. */
export interface S3ObjectEvent extends S3Event {
  readonly eventName:
    | 'ObjectCreated:Put'
    | 'ObjectCreated:CompleteMultipartUpload'
    | 'ObjectRemoved:Delete';
}
