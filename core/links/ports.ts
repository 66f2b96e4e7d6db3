/** The storage of links. Both implementations pass one contract suite (`test/contract`). */
import type { Signer } from '../access/ports';
import type { Page } from '../pages';
import type { IdempotencyRecord } from '../store/uploads';

/** What identifies a link in the table; neither part opens it. */
export interface LinkId {
  /** The incarnation of the bucket: a link ends with it. */
  readonly bucketId: string;
  /** A hash of the text in the link's URL. */
  readonly hash: string;
}

export interface Link extends LinkId {
  readonly bucket: string;
  readonly key: string;
  /** Absent: the current version, whichever it is. */
  readonly version?: number;
  /** With `version`: its cursor. Versions begin again when a key's tombstone is trimmed. */
  readonly cursor?: number;
  /** ISO 8601 UTC with milliseconds. */
  readonly createdAt: string;
  readonly expiresAt: string;
  /** Absent: any number. */
  readonly maxUses?: number;
  readonly uses: number;
  /** See password.ts; absent: none is needed. */
  readonly password?: string;
  /** Content-Disposition of the download. */
  readonly disposition?: string;
  readonly note?: string;
  /** The API key that made it, with which it ends. Absent: made in a session of a person. */
  readonly signer?: Signer;
  /** The id of the API key, or the name of the person. */
  readonly createdBy: string;
}

/** Times in epoch milliseconds. */
export interface Links {
  /**
   * `duplicate`: the idempotency record exists, and nothing is stored. Throws when the hash is in
   * use.
   */
  create(link: Link, idempotency?: IdempotencyRecord): Promise<'created' | 'duplicate'>;
  /** Consistent. Returns expired links too, until they are removed. */
  get(id: LinkId): Promise<Link | undefined>;
  /** The links of the bucket after that hash, in the order of the hashes. At most `limit`. */
  list(bucketId: string, limit: number, after?: string): Promise<Page<Link>>;
  /**
   * `absent`: there is no such link. `duplicate`: the idempotency record exists. Nothing is stored
   * in either case.
   */
  remove(id: LinkId, idempotency?: IdempotencyRecord): Promise<'removed' | 'absent' | 'duplicate'>;
  /**
   * Counts one use, and forgets the attempts at the password. False, and nothing is counted, when
   * the link does not exist, has expired, or has no use left. Atomic.
   */
  use(id: LinkId, now: number): Promise<boolean>;
  /**
   * Counts an attempt at the password: `burst` at once, then one in `intervalMs`. Returns false
   * after too many. Atomic.
   */
  attempt(
    id: LinkId,
    now: number,
    limit: { readonly burst: number; readonly intervalMs: number },
  ): Promise<boolean>;
}
