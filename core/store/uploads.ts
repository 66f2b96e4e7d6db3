/**
 * The storage of signed uploads, and of the first responses to repeatable requests, which lie in
 * the same table. As with every port, an AWS adapter and a fake pass one contract suite.
 */
import type { Signer } from '../access/ports';

/** The first response under an idempotency key, saved for 24 hours. */
export interface IdempotencyRecord {
  /** `replay#{api key id}#{Idempotency-Key}`. */
  readonly id: string;
  /** SHA-256 of the parts of a request that a repetition must have in common, base64url. */
  readonly fingerprint: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

/** The properties of a staged upload's bytes: those of the object that it may become. */
export interface StagedContent {
  /** Bytes. */
  readonly size: number;
  /** Unquoted. */
  readonly etag: string;
  readonly contentType: string;
  /** The other content headers. */
  readonly headers: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
  /** Base64. */
  readonly checksumSha256?: string;
  /** As of a live object. */
  readonly isPatched?: boolean;
}

/** Bytes that are copied, as a record names them. */
export interface CopySource {
  readonly blob: string;
  readonly size: number;
  /** Unquoted. */
  readonly etag: string;
}

/**
 * A presigned upload: pending at first, then committed, staged or refused when S3 has reported its
 * blob. A staged one is committed or refused later.
 */
export interface Upload {
  readonly id: string;
  readonly bucket: string;
  readonly bucketId: string;
  readonly key: string;
  readonly blob: string;
  /** The S3 bucket of the blob. Absent: an upload that was begun before the service saved it. */
  readonly store?: string;
  readonly state: 'pending' | 'staged' | 'committed' | 'refused';
  /** It is staged when S3 has reported its blob, and committed by the commit that names it. */
  readonly awaitsCommit?: true;
  /** The content in S3 of an upload that is or was staged. */
  readonly staged?: StagedContent;
  /**
   * Whose key signed the URLs last. Absent: an IAM principal, or an upload that was begun before
   * the service saved it.
   */
  readonly signer?: Signer;
  /** When the object expires that the upload becomes: ISO 8601 UTC with milliseconds. */
  readonly objectExpiresAt?: string;
  readonly ifMatch?: string;
  readonly ifNoneMatch?: '*';
  /** What the service copies: nobody else sends the bytes. Absent: a client sends them. */
  readonly copyOf?: CopySource;
  /**
   * Names of the content headers beside the type that were asked for: the object has no others.
   * Absent: a copy, or an upload that was begun before the service saved them.
   */
  readonly askedHeaders?: readonly string[];
  /** Declared size of a multipart upload, bytes. */
  readonly size?: number;
  /** Bytes of every part but the last of a multipart upload. */
  readonly partSize?: number;
  /** S3's id of a multipart upload. */
  readonly multipartId?: string;
  /** ISO 8601 UTC: when the URL expires, or the staged upload. */
  readonly expiresAt: string;
  /** Why it was refused: see DiscardReason in uploads.ts. */
  readonly reason?: string;
  /** Which change committed it. */
  readonly committed?: { readonly version: number; readonly cursor: number };
  /** Epoch seconds; DynamoDB may remove the row any time after it. */
  readonly ttl: number;
}

/** One page. */
export interface ExpiredUploads {
  readonly uploads: readonly Upload[];
  /** Where the next page begins, or undefined when there is none. */
  readonly next?: string;
}

export interface Uploads {
  /** Saves the upload, and the idempotency record if given, all or nothing. */
  create(upload: Upload, idempotency?: IdempotencyRecord): Promise<'created' | 'duplicate'>;
  get(id: string): Promise<Upload | undefined>;
  /**
   * Saves a pending upload with another expiry and signer. Returns false when it is no longer
   * pending.
   */
  renew(upload: Upload): Promise<boolean>;
  /**
   * Stages a pending upload, which expires at `expiresAt` (ISO). Returns false when it is no longer
   * pending.
   */
  stage(id: string, content: StagedContent, expiresAt: string): Promise<boolean>;
  /**
   * Refuses a pending or staged upload, whose row is kept for LIMITS.uploadRowSeconds from then on,
   * and does nothing in any other state. Returns the state afterwards, or undefined when there is
   * no such upload.
   */
  refuse(id: string, reason: string): Promise<Upload['state'] | undefined>;
  /**
   * A page of the pending and the staged uploads that expired before `at` (ISO). One that was
   * created just before may be missing. `start`: `next` of the page before.
   */
  expired(at: string, start?: string): Promise<ExpiredUploads>;
  /**
   * Saves the record of a request that changes nothing. Returns false when the key was used before.
   */
  saveIdempotencyRecord(record: IdempotencyRecord, now: number): Promise<boolean>;
  /** The record under that id, if it has not expired at `now` (epoch seconds). */
  getIdempotencyRecord(id: string, now: number): Promise<IdempotencyRecord | undefined>;
}
