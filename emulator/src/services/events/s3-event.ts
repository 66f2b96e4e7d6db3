/** A change of an object, as the S3 service emits it to the notifications. */
export interface S3Event {
  readonly bucket: string;
  /** Decoded. */
  readonly key: string;
  /** Bytes; absent for a removal. */
  readonly size?: number;
  /** Unquoted; absent for a removal. */
  readonly etag?: string;
  /**
   * `ObjectCreated:Put`, `ObjectCreated:CompleteMultipartUpload`, `ObjectRemoved:Delete` … without
   * `s3:`.
   */
  readonly eventName: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly time: string;
  /** Hexadecimal; orders the events of one key. */
  readonly sequencer: string;
}
