/**
 * The storage of API keys, their use and the audit log. Every port has an AWS adapter and an
 * in-memory fake that pass one contract suite (`test/contract`).
 */
import type { Rate, RateClass } from '../limits';

export type AuditAction = 'create' | 'change' | 'revoke' | 'rotate' | 'session' | 'delete_bucket';

/**
 * An audited action: who did what, when, and to or with which key. Never holds a secret or its
 * hash.
 */
export interface AuditRecord {
  /** ULID: sorts by time. */
  readonly id: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly at: string;
  /** The issuer's name for the person, or the name of the API key. */
  readonly actor: string;
  /** The issuer's id of the person (`sub`), which is never reused, or the id of the API key. */
  readonly actorId: string;
  readonly action: AuditAction;
  readonly keyId: string;
  readonly details: AuditDetails;
}

/** The person or key behind an action. */
export type KeyHolder = Pick<AuditRecord, 'actor' | 'actorId' | 'keyId'>;

/** JSON without true, false and null. */
export type AuditValue = string | number | readonly AuditValue[] | AuditDetails;

export interface AuditDetails {
  readonly [name: string]: AuditValue | undefined;
}

export interface KeyStore extends ApiKeys {
  /**
   * Returns a page of the keys that were not created for a session. Each key is on one page; the
   * order is arbitrary. Reads at most `limit` (1-1000) records, so a page may be shorter although
   * it has a `next`. `after` is `next` of the previous page.
   */
  list(
    limit: number,
    after?: string,
  ): Promise<{ readonly keys: readonly ApiKeyRecord[]; readonly next?: string }>;
  /** Returns the keys that were created for sessions of the person, including ended ones. */
  sessionsOf(actorId: string): Promise<readonly ApiKeyRecord[]>;
  /**
   * Writes the record of a key and the audit record of its change in one transaction. A record
   * without revision is a new key. Returns false when the id is in use, or the stored revision is
   * not the one before the record's.
   */
  save(record: ApiKeyRecord, audit: AuditRecord): Promise<boolean>;
}

export interface AuditLog {
  /**
   * Returns the records that KeyStore and `Buckets.remove` have saved: newest first, at most
   * `limit` (1-1000), below the id `before`.
   */
  list(
    limit: number,
    before?: string,
  ): Promise<{ readonly records: readonly AuditRecord[]; readonly more: boolean }>;
}

export interface ApiKeyRecord {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the secret, hex. */
  readonly secretHash: string;
  readonly permissions: readonly Permission[];
  readonly createdAt: string;
  readonly expiresAt?: string;
  readonly revokedAt?: string;
  /** Who created it; absent for keys that were created with the operator's own credentials. */
  readonly createdBy?: string;
  readonly revokedBy?: string;
  /** Name of the rate tier; absent: `default`. */
  readonly tier?: string;
  /** Number of times that the secret was replaced. Absent: 0. */
  readonly generation?: number;
  /** SHA-256 of the replaced secret, hex; the secret works until `previousUntil`. */
  readonly previousSecretHash?: string;
  /** ISO 8601 UTC. */
  readonly previousUntil?: string;
  /** Created for a session of the dashboard: not listed, and removed after its expiry. */
  readonly kind?: 'session';
  /** The issuer's own id of the person whose session it is (`sub`). */
  readonly actorId?: string;
  /**
   * Number of times that the record was changed; every change requires the stored one. Absent: 0.
   */
  readonly revision?: number;
}

export type Action =
  | 'read'
  | 'write'
  | 'delete'
  | 'list'
  | 'sync'
  | 'sign'
  | 'create_bucket'
  | 'delete_bucket';

export interface Permission {
  /** Names, or prefixes that end in `*`. */
  readonly buckets: readonly string[];
  /** Keys must begin with this. */
  readonly prefix?: string;
  readonly actions: readonly Action[];
}

/** The secret of an API key with which signed URLs were requested. */
export interface Signer {
  readonly keyId: string;
  /** The generation of the secret, see `ofGeneration`. */
  readonly generation: number;
}

/** The part of its maker's permissions that a temporary key has, and its expiry. */
export interface Restriction {
  readonly permissions: readonly Permission[];
  /** ISO 8601 UTC. */
  readonly expiresAt: string;
}

export interface ApiKeys {
  get(id: string): Promise<ApiKeyRecord | undefined>;
}

/** Requests by class; `limited`: those that were refused with 429. Absent = 0. */
export type UsageCounts = Readonly<Partial<Record<RateClass | 'limited', number>>>;

/** A request of a function instance for tokens out of a key's bucket of one class. */
export interface TokenLeaseRequest {
  readonly class: RateClass;
  readonly rate: Rate;
  /** The most tokens to lease; at least 1. */
  readonly maxTokens: number;
  /** The fewest tokens to lease. @default 1 */
  readonly minTokens?: number;
  /** Epoch milliseconds. */
  readonly now: number;
  /** The instance knows every change of the key that was marked before this. Epoch milliseconds. */
  readonly knownUntil: number;
  /** Added to the counts of the current hour if a token is granted. */
  readonly counts: UsageCounts;
  /**
   * The `fullAt` of the last lease, epoch microseconds. It saves a call if the bucket has not
   * changed since.
   */
  readonly fullAt?: number;
}

/**
 * `fullAt`: when the bucket will be full again (GCRA's theoretical arrival time), epoch
 * microseconds.
 */
export type TokenLease =
  | { readonly result: 'granted'; readonly tokens: number; readonly fullAt: number }
  /** The bucket has too few tokens at the moment. */
  | { readonly result: 'refused'; readonly fullAt: number }
  /** The key was changed, so the instance must read it. */
  | { readonly result: 'outdated'; readonly changedAt: number };

/** The last use of a key. */
export interface KeyUse {
  /** The beginning of the hour of the last use. ISO 8601 UTC. */
  readonly lastUsedAt: string;
  /** The counts of that hour. */
  readonly counts: UsageCounts;
}

export interface HourUsage {
  /** The beginning of the hour. ISO 8601 UTC. */
  readonly hour: string;
  readonly counts: UsageCounts;
}

/** The rate limits of the API keys, and the counts of their requests. */
export interface Rates {
  /** Takes `minTokens` to `maxTokens` tokens out of the bucket, if it has them. Atomic. */
  lease(keyId: string, request: TokenLeaseRequest): Promise<TokenLease>;
  /**
   * Marks every copy of the key that was read before `at` (epoch milliseconds) as out of date. The
   * mark never moves back.
   */
  markChanged(keyId: string, at: number): Promise<void>;
  /** Returns the last use of each of at most 100 keys; keys that were never used are left out. */
  uses(keyIds: readonly string[]): Promise<ReadonlyMap<string, KeyUse>>;
  /**
   * Returns the counts of the hours of these days (`2026-11-20`, at most 90), in order; hours
   * without requests are left out.
   */
  usage(keyId: string, days: readonly string[]): Promise<readonly HourUsage[]>;
}

/** A resource of which a key may have only a few at once. */
export type SlotKind = 'wait' | 'channel' | `tickets-${number}` | 'replay';

/** A request for one of the slots of a key. */
export interface SlotRequest {
  /** How many slots the key has. */
  readonly limit: number;
  /** Unique among the holders of that key and kind. */
  readonly holder: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** When the slot becomes free if it is not released. Epoch milliseconds. */
  readonly until: number;
}

/**
 * Counts long-lasting requests and connections across all function instances. A slot that is not
 * released, because its instance died, is free again after `until`.
 */
export interface Slots {
  /**
   * Takes a slot, or extends the one that the holder has. Returns false when every slot is taken.
   * Two requests never get the same slot.
   */
  take(keyId: string, kind: SlotKind, request: SlotRequest): Promise<boolean>;
  /**
   * Releases the holder's slot. Does nothing when the holder has none or, with `until`, when its
   * slot ends at another time.
   */
  release(keyId: string, kind: SlotKind, holder: string, until?: number): Promise<void>;
  /** Returns the end of each holder's slot, even if it has passed. Consistent. */
  holders(keyId: string, kind: SlotKind): Promise<ReadonlyMap<string, number>>;
}
