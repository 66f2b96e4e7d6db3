/** Copies that take longer than a request: which are to be made, and their parts in S3. */
import type { CopySource, IdempotencyRecord, Upload } from './uploads';

/** Says that the bytes of an upload are to be copied. */
export interface PendingCopy {
  /** The id of the upload. */
  readonly id: string;
  /** Until when a run of the janitor works on it, epoch milliseconds. 0: no run does. */
  readonly until: number;
}

export interface PendingCopies {
  /** Saves the upload, its copy, and the idempotency record if given, all or nothing. */
  begin(upload: Upload, idempotency?: IdempotencyRecord): Promise<'created' | 'duplicate'>;
  /** Returns the oldest pending copies of one read. */
  list(): Promise<readonly PendingCopy[]>;
  /**
   * Saves another `until`, if the copy still has the one given. Returns the copy as it is then.
   */
  claim(copy: PendingCopy, until: number): Promise<PendingCopy | undefined>;
  remove(id: string): Promise<void>;
}

/** A part of a copy. */
export interface CopiedPart {
  /** From 1 on. */
  readonly number: number;
  /** The first and the last byte of the source. */
  readonly start: number;
  readonly end: number;
}

/** A multipart upload in S3. */
export interface PartsOf {
  readonly blob: string;
  readonly multipartId: string;
}

/** Makes blobs of the bytes of others, part by part. */
export interface PartCopies {
  /**
   * The etags of the parts that S3 has, by number. Returns undefined when there is no such upload.
   */
  list(upload: PartsOf): Promise<ReadonlyMap<number, string> | undefined>;
  /** Returns the etag, or undefined when there is no such source, or it has another etag. */
  copy(upload: PartsOf, source: CopySource, part: CopiedPart): Promise<string | undefined>;
  /** Makes the parts a blob, in the order of their etags. Nothing if there is no such upload. */
  complete(upload: PartsOf, etags: readonly string[]): Promise<void>;
}
