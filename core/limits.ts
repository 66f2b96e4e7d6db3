/**
 * Every number and pattern that the interface promises, and every one that several files need, with
 * its reason. Bytes and seconds unless the name says otherwise. What cannot import this file (the
 * client, the dashboard) repeats some of it; test/architecture/rules.test.ts compares the copies.
 */

const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;

export const LIMITS = {
  /** Characters of a bucket name. It is a part of S3 keys, and could be a DNS label. */
  bucketNameMin: 3,
  bucketNameMax: 63,
  /**
   * An S3 key holds 1,024 bytes; prefix, bucket, id and ULID around an object key take up to 112.
   */
  keyBytes: 900,
  /**
   * Characters of a percent-encoded key: API Gateway returns 414 when the method's ARN (account,
   * API, stage, method, path) exceeds 1,600 bytes, so a longer key could be stored by signed URL
   * but never be addressed.
   */
  encodedKeyLength: 1400,
  /** S3's own limit of user metadata, counted as it counts: names and values. */
  metadataBytes: 2 * KiB,
  /**
   * Size of each stored content header: keeps a descriptor far below DynamoDB's 400 KB and the page
   * below Lambda's 6 MB.
   */
  contentHeaderBytes: 1 * KiB,
  /**
   * Characters of If-Match, If-None-Match and `if_match`: about 28 etags, more than any client
   * compares.
   */
  conditionLength: 1024,
  /**
   * Characters of a condition in a JSON body, to which the two quotes of the header may be added.
   */
  conditionFieldLength: 1022,
  /** Characters of any other header that is parsed: metadata has the longest values. */
  headerLength: 2 * KiB,
  /** A Lambda event holds 6 MB of base64, about 4.5 MiB of bytes; a promise needs a margin. */
  inlineUploadBytes: 4 * MiB,
  /**
   * Lambda streams the first 6 MB of a response unthrottled, then 2 MB a second at a fee, while the
   * instance is occupied. S3 has neither limit.
   */
  streamedDownloadBytes: 6_000_000,
  /** Bytes of a buffered response: 6 MB of base64 with its envelope. */
  bufferedDownloadBytes: 4 * MiB,
  /**
   * Bytes of a buffered JSON response: Lambda's 6,291,556 bytes less the envelope and its escapes.
   */
  bufferedJsonBytes: 5 * MiB,
  /** Bytes of a JSON body: far more than any request needs. */
  jsonBodyBytes: 64 * KiB,
  /** Bytes of the contents in a commit's request: in base64 they are a third longer. */
  commitContentBytes: 256 * KiB,
  /** Bytes of the JSON body of a commit: its contents, and 32 changes with metadata and headers. */
  commitBodyBytes: 768 * KiB,
  /** Objects that one call deletes by prefix. */
  deletesPerCall: 1000,
  /** Objects that one call of a restore changes: each may be a copy. */
  restoresPerCall: 256,
  /** Lifecycle rules of a bucket: with long prefixes 20 KB, a part of the directory's item. */
  lifecycleRules: 20,
  /** A hundred years. */
  lifecycleDays: 36_500,
  /** Levels of objects and lists in JSON: permissions have four. */
  jsonLevels: 16,
  pageDefault: 100,
  pageMax: 1000,
  /** A list page stops at this size of descriptors, so that it always fits a response. */
  pageBytes: 3 * MiB,
  /** Queries in sequence, and records read, after which a list page ends early. */
  pageQueries: 100,
  pageRecords: 20_000,
  /** Records that changed since `as_of`, after which a list page ends early: 1-30 reads each. */
  asOfRecords: 1000,
  /**
   * What one token of a rate limit pays for, where a request may read or sign far more. With the
   * default tier a key causes some 10,000 to 30,000 reads or signatures a second at most.
   */
  asOfRecordsPerToken: 100,
  versionsPerToken: 10,
  consumersPerToken: 10,
  partsPerToken: 100,
  /** How long old versions and the change log can be read unless the deployment says otherwise. */
  retentionDefaultSeconds: 7 * 24 * 3600,
  signedUrlDefaultSeconds: 300,
  /** Below the time that the credentials which sign it last: `CREDENTIAL_MS` in presigner.ts. */
  signedUrlMaxSeconds: 3600,
  /** Validity of the URL of a 307. */
  redirectSeconds: 60,
  idempotencyKeyLength: 64,
  idempotencySeconds: 24 * 3600,
  /** Bytes of a saved first response: it is a part of a DynamoDB item of at most 400 KB. */
  replayBytes: 350 * KiB,
  partMinBytes: 5 * MiB,
  partMaxBytes: 5 * GiB,
  partDefaultBytes: 8 * MiB,
  partsMax: 10_000,
  /** Number of parts that the default part size aims at, so that the response stays small. */
  partsDefault: 2000,
  multipartMaxBytes: 5 * 1024 * GiB,
  /** Cursors that one page of changes covers unless asked otherwise. */
  changesDefault: 500,
  /** Cursors that one page of changes covers at most: a descriptor has up to about 9 KB. */
  changesMax: 1000,
  /** Entries of a change log that are read, trimmed or removed in one step. */
  entriesPerRead: 500,
  /** Bytes of a message on the channel, which API Gateway sends and charges as one. */
  messageBytes: 32 * KiB,
  /** Bytes of a message from a client: an action is far smaller. */
  actionBytes: 8 * KiB,
  /** Characters of the `id` that a client gives a message. */
  messageIdLength: 64,
  /** Buckets to which one connection may subscribe. */
  subscriptionsPerConnection: 50,
  /** Characters of the name of a consumer. */
  consumerNameLength: 64,
  /** A page shows every consumer with its lag, which takes a read each. */
  consumersPerBucket: 100,
  /** Longest wait of a long poll for changes: below API Gateway's 29 seconds. */
  waitMaxSeconds: 20,
  /**
   * How long what is stored of a connection is kept: API Gateway ends each after two hours, and
   * clocks differ.
   */
  connectionSeconds: 2 * 3600 + 10 * 60,
  ticketSeconds: 60,
  /**
   * Channels of a key that tickets opened, counted apart from those that the key opened: a backend
   * makes tickets for all its users. Their slots are spread over items, each with about 38 bytes
   * for a channel, because every take and release is billed for the whole item: at most 38 KB.
   */
  ticketSlotItems: 8,
  ticketSlotsPerItem: 1000,
  /** S3's single PUT. */
  signedPutMaxBytes: 5 * GiB,
  /** Copied by one call, in about 5 s at S3's 50 to 90 MB/s for a request. */
  copySingleBytes: 256 * MiB,
  /** Part size of a larger copy, whose parts are copied concurrently. */
  copyPartBytes: 128 * MiB,
  /** Copied by one commit, at most 40 parts at once: within seconds of a function's 29. */
  copyBytes: 5 * GiB,
  /** Part size of a copy that the janitor makes: ten seconds at S3's 50 to 90 MB/s a request. */
  largeCopyPartBytes: 512 * MiB,
  /**
   * After which the janitor ends a larger copy: a day later, and before S3 aborts its parts, a week
   * after it began.
   */
  copySeconds: 5 * 24 * 3600,
  /**
   * How long a writer repeats a commit that loses races: of a function's 29 seconds. Most writers
   * of one busy key commit within this time.
   */
  commitSeconds: 15,
  /**
   * The same, while DynamoDB throttles each attempt. Shorter, as the waiting writers of one bucket
   * would take all functions of the account, and leave none for other buckets.
   */
  throttledCommitSeconds: 1,
  /**
   * Log entries of a commit, where a move counts two: two items of the transaction each, a third
   * for an upload, and one for the idempotency record; DynamoDB allows 100.
   */
  commitChanges: 32,
  /**
   * Of a commit's changes as JSON: no message ends inside a commit, so they fit into one, beside
   * the longest prefix with every character escaped.
   */
  commitBytes: 24 * KiB,
  /**
   * The row of a signed upload is kept for this long after the URL expires, so that a late event of
   * S3 and the janitor still find it; and from its commit or refusal on, for those who ask.
   */
  uploadRowSeconds: 7 * 24 * 3600,
  /** After which a staged upload is discarded, unless a commit has named it. */
  stagedUploadSeconds: 24 * 3600,
  /** A younger blob without a record may belong to a writer or an upload that is still at work. */
  orphanSeconds: 24 * 3600,
} as const;

/** A bucket name, LIMITS.bucketNameMin to LIMITS.bucketNameMax characters. */
export const BUCKET_NAME = /^[a-z0-9](?:[a-z0-9-]{1,61}[a-z0-9])$/;

/** The name of a consumer, 1 to LIMITS.consumerNameLength characters. */
export const CONSUMER_NAME = /^[0-9A-Za-z][0-9A-Za-z._-]{0,63}$/;

/** The text of an API key: id, secret, checksum. The gateway rejects any other text. */
export const API_KEY = 'osk_[0-9A-Za-z]{12}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}';

/** The text of a temporary key: claims and signature. At most LIMITS.headerLength characters. */
export const API_TOKEN = 'ost_[0-9A-Za-z_-]{20,1900}\\.[0-9A-Za-z_-]{43}';

/** Number of permissions, and of items in each list of a permission. */
export const PERMISSIONS_MAX = 50;

/**
 * In a permission: the name of a bucket, or a prefix of names followed by an asterisk; 1 to
 * LIMITS.bucketNameMax characters.
 */
export const BUCKET_PATTERN = /^(?=.{1,63}$)[a-z0-9-]*\*?$/;

/**
 * The index of the table Objects by slot and expiry: core/objects/expiry.ts. It holds the keys of
 * the records that expire, and no others.
 */
export const DUE_INDEX = 'due';

/**
 * The index of the table Uploads by shard and expiry: the keys of the uploads that are pending or
 * staged, and no others.
 */
export const OPEN_INDEX = 'open';

/** The kinds of requests that have a rate limit of their own: docs/api.md, "Rate limits". */
export const RATE_CLASSES = ['read', 'write', 'list', 'sign', 'wait', 'connect'] as const;

export type RateClass = (typeof RATE_CLASSES)[number];

/** The classes of long-lasting requests, of which a key may have a limited number at once. */
export const LASTING_CLASSES = ['wait', 'connect'] as const satisfies readonly RateClass[];

export type LastingClass = (typeof LASTING_CLASSES)[number];

export interface Rate {
  /** Sustained requests per second, 0.001 to 10,000. */
  readonly rate: number;
  /** Requests at once after an idle time, 1 to 100,000. */
  readonly burst: number;
}

/** The limit of a class whose requests last. */
export interface LastingRate extends Rate {
  /** Requests that may be in progress at the same time, 1 to 1,000. */
  readonly concurrent: number;
}

export type TierRates = Readonly<
  Record<Exclude<RateClass, LastingClass>, Rate> & Record<LastingClass, LastingRate>
>;

/** By name. There is always a `default`. */
export type RateTiers = Readonly<Record<string, TierRates>> & { readonly default: TierRates };

/** The tier of keys without a tier, or with one that has been removed. */
export const DEFAULT_TIER = 'default';

/** The limits of a tier; those of the default tier if the stack does not define the tier. */
export function ratesOf(tiers: RateTiers, tier: string = DEFAULT_TIER): TierRates {
  return (Object.hasOwn(tiers, tier) ? tiers[tier] : undefined) ?? tiers.default;
}

/** High enough for normal use, low enough to stop a runaway loop. */
export const DEFAULT_RATES: TierRates = {
  read: { rate: 1000, burst: 1000 },
  write: { rate: 300, burst: 300 },
  list: { rate: 100, burst: 200 },
  sign: { rate: 300, burst: 300 },
  wait: { rate: 20, burst: 50, concurrent: 5 },
  connect: { rate: 20, burst: 100, concurrent: 100 },
};

/** Bounds of API keys. */
export const KEY_LIMITS = {
  nameCharacters: 100,
  /** 30 days: a client that needs longer to replace its secret needs a second key. */
  overlapMaxSeconds: 2_592_000,
  overlapDefaultSeconds: 86_400,
  sessionSeconds: 3600,
  /**
   * Bytes of the permissions as JSON. With escapes they must fit into the result of the authorizer,
   * which API Gateway limits to 8 KB.
   */
  permissionsBytes: 4096,
} as const;

/** Bounds of links. */
export const LINK_LIMITS = {
  /** A week: a link that somebody forgot ends soon. */
  defaultSeconds: 7 * 86_400,
  maxSeconds: 366 * 86_400,
  usesMax: 1_000_000_000,
  versionMax: 999_999_999_999_999,
  /** Bounds what hashing a password costs, with its fixed cost. */
  passwordCharacters: 128,
  noteCharacters: 200,
  /** Attempts at the password of a link: a burst, then one per interval. */
  attemptBurst: 10,
  attemptSeconds: 60,
  /** Bytes of the form that carries the password. */
  formBytes: 4 * KiB,
} as const;

/** Bounds of temporary keys. */
export const TEMPORARY_KEY_LIMITS = {
  defaultSeconds: 3600,
  maxSeconds: 12 * 3600,
  /**
   * Bytes of the permissions as JSON. They travel in a header, and with those of the maker in the
   * result of the authorizer.
   */
  permissionsBytes: 1024,
  /** The part of the maker's channels and waits that one set of permissions takes at most. */
  slotShare: 0.5,
  /** How long an instance remembers the secret: a replaced one works for so long. */
  secretCachedSeconds: 300,
} as const;

/** A header that edge and service refuse in the same words. */
export const METHOD_OVERRIDE = {
  header: 'x-http-method-override',
  rule: 'is not supported; send the request with the method that is meant',
} as const;
