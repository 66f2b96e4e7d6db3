import type { S3, S3ClientConfig } from '@aws-sdk/client-s3';

/** The S3 server under test, as the tests of the contract use it. */
export interface Target {
  readonly s3: S3;
  readonly bucket: string;
  readonly config: S3ClientConfig;
  /** Returns a key that no other test uses. */
  key(name: string): string;
}
