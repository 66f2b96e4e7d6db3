import type { PolicyDocument } from '../../../iam/iam';

export interface BucketOptions {
  readonly name: string;
  readonly policy?: PolicyDocument;
  /**
   * The origins from which browsers may use the bucket.
   *
   * @default - CORS is not enabled
   */
  readonly corsRules?: readonly CorsRule[];
  /**
   * When incomplete multipart uploads are aborted.
   *
   * @default - never
   */
  readonly lifecycle?: readonly AbortRule[];
}

export interface CorsRule {
  /** With at most one `*` each. */
  readonly allowedOrigins: readonly string[];
  readonly allowedMethods: readonly string[];
  /** With at most one `*` each; any case. */
  readonly allowedHeaders: readonly string[];
  readonly exposedHeaders: readonly string[];
  readonly maxAgeSeconds?: number;
}

export interface AbortRule {
  /** Prefix of the keys; empty for all. */
  readonly prefix: string;
  readonly daysAfterInitiation: number;
}
