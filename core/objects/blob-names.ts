/**
 * The parts of a blob's name: `objects/{bucket}.{bucket id}/{key}/{ulid}`, `uploads/…` for
 * presigned uploads.
 */
import type { BucketRef } from '../bucket-ref';

export interface BlobName {
  readonly bucket: string;
  readonly bucketId: string;
  readonly key: string;
  readonly ulid: string;
}

/** The name of the blob of a change that the service stores itself. */
export function blobName({ name, id }: BucketRef, key: string, ulid: string): string {
  return `objects/${name}.${id}/${key}/${ulid}`;
}

const BLOB = /^(?:objects|uploads)\/([a-z0-9-]+)\.([0-9A-Za-z]{12})\/(.+)\/([0-9A-Z]{26})$/s;

/** Returns undefined when the text is not the name of one of the service's blobs. */
export function parseBlobName(blob: string): BlobName | undefined {
  const [, bucket, bucketId, key, ulid] = BLOB.exec(blob) ?? [];
  return bucket === undefined || bucketId === undefined || key === undefined || ulid === undefined
    ? undefined
    : { bucket, bucketId, key, ulid };
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The millisecond in which a ULID was created (github.com/ulid/spec); NaN: not a ULID. */
export function ulidTime(ulid: string): number {
  let time = 0;
  for (const letter of ulid.slice(0, 10)) {
    const digit = CROCKFORD.indexOf(letter);
    time = digit < 0 ? Number.NaN : time * 32 + digit;
  }
  return time;
}
