import type { PolicyDocument } from '../../iam/iam';

export interface BucketOptions {
  readonly name: string;
  readonly policy?: PolicyDocument;
  /**
   * Who may use the bucket from a browser.
   *
   * @default - CORS is not enabled
   */
  readonly corsRules?: readonly CorsRule[];
  /**
   * When to abort multipart uploads that nobody completed.
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
  /** Of keys; empty for all. */
  readonly prefix: string;
  readonly daysAfterInitiation: number;
}
