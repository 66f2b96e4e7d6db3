/**
 * Every number that the interface promises, with its reason. Bytes and seconds unless the name says
 * otherwise.
 */

const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;

export const LIMITS = {
  /** An S3 key holds 1,024 bytes; prefix, bucket, id and ulid around ours take up to 112. */
  keyBytes: 900,
  /**
   * Characters of a percent-encoded key: API Gateway answers 414 where the method's ARN (account,
   * API, stage, method, path) exceeds 1,600 bytes, so a longer key could be stored by signed URL
   * but never be addressed.
   */
  encodedKeyLength: 1400,
  /** S3's own limit of user metadata, counted as it counts: names and values. */
  metadataBytes: 2 * KiB,
  /**
   * Of each stored content header: keeps a descriptor far below DynamoDB's 400 KB and the page
   * below Lambda's 6 MB.
   */
  contentHeaderBytes: 1 * KiB,
  /** A Lambda event holds 6 MB of base64, about 4.5 MiB of bytes; a promise needs a margin. */
  inlineUploadBytes: 4 * MiB,
  /** API Gateway streams the first 10 MB of an answer unthrottled. */
  streamedDownloadBytes: 10_000_000,
  /** Of a buffered answer: 6 MB of base64 with its envelope. */
  bufferedDownloadBytes: 4 * MiB,
  /** Of a buffered JSON answer: Lambda's 6,291,556 bytes less the envelope and its escapes. */
  bufferedJsonBytes: 5 * MiB,
  /** A JSON body: nothing that a client sends is near it. */
  jsonBodyBytes: 64 * KiB,
  pageDefault: 100,
  pageMax: 1000,
  /** A list page stops at this size of descriptors, so that it always fits an answer. */
  pageBytes: 3 * MiB,
  /** DynamoDB queries that one list request may spend before it answers a shorter page. */
  pageQueries: 20,
  signedUrlDefaultSeconds: 300,
  signedUrlMaxSeconds: 3600,
  /** How long the URL of a 307 lives. */
  redirectSeconds: 60,
  idempotencyKeyLength: 64,
  idempotencySeconds: 24 * 3600,
  /** A remembered answer lies in one DynamoDB item of at most 400 KB. */
  replayBytes: 350 * KiB,
  partMinBytes: 5 * MiB,
  partMaxBytes: 5 * GiB,
  partDefaultBytes: 8 * MiB,
  partsMax: 10_000,
  /** What the default part size aims at, so that the answer stays small. */
  partsDefault: 2000,
  multipartMaxBytes: 5 * 1024 * GiB,
  /** Cursors that one page of changes covers unless asked otherwise. */
  changesDefault: 500,
  /** Entries of a change log that are read, trimmed or removed in one step. */
  entriesPerRead: 500,
  /** Of a message on the channel: what API Gateway sends, and charges, as one. */
  messageBytes: 32 * KiB,
  /** Of a message from a client: an action is far smaller. */
  actionBytes: 8 * KiB,
  /** Buckets that one connection follows. */
  subscriptionsPerConnection: 50,
  /** Seconds that a page of changes may be waited for: below API Gateway's 29. */
  waitMaxSeconds: 20,
  ticketSeconds: 60,
  /** S3's single PUT. */
  signedPutMaxBytes: 5 * GiB,
} as const;

/** Of permissions, and of each list in one. */
export const PERMISSIONS_MAX = 50;

/**
 * In a permission: a bucket's name, or a beginning of names that ends in an asterisk; 1 to 63
 * characters.
 */
export const BUCKET_PATTERN = /^(?=.{1,63}$)[a-z0-9-]*\*?$/;

/** What is limited by itself, per API key: docs/api.md, "Rate limits". */
export const RATE_CLASSES = ['read', 'write', 'list', 'sign', 'connect'] as const;

export type RateClass = (typeof RATE_CLASSES)[number];

export interface Rate {
  /** Requests per second that can be kept up, 0.001 to 10,000. */
  readonly rate: number;
  /** Requests that may come at once after a rest, 1 to 100,000. */
  readonly burst: number;
}

export type TierRates = Readonly<Record<RateClass, Rate>>;

/** By name; `default` is always there. */
export type RateTiers = Readonly<Record<string, TierRates>> & { readonly default: TierRates };

/** The tier of keys that name none, or one that is no more. */
export const DEFAULT_TIER = 'default';

/** Generous: what a key needs in earnest, and a runaway loop exceeds. */
export const DEFAULT_RATES: TierRates = {
  read: { rate: 1000, burst: 1000 },
  write: { rate: 300, burst: 300 },
  list: { rate: 100, burst: 200 },
  sign: { rate: 300, burst: 300 },
  connect: { rate: 20, burst: 100 },
};
