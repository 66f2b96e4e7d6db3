/**
 * The storage of API keys, their use and the audit log. Every port has an AWS adapter and an
 * in-memory fake that pass one contract suite (`test/contract`).
 */
import type { Rate, RateClass } from '../limits';

export type AuditAction = 'create' | 'change' | 'revoke' | 'rotate' | 'session' | 'delete_bucket';

/** Who did what to which key, and when, or with which. Never holds a secret or its hash. */
export interface AuditRecord {
  /** ULID: sorts by time. */
  readonly id: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly at: string;
  /** The name by which the issuer knows the person; the name of an API key that did it. */
  readonly actor: string;
  /** The issuer's own, never reused id of the person (`sub`); the id of the API key. */
  readonly actorId: string;
  readonly action: AuditAction;
  readonly keyId: string;
  readonly details: AuditDetails;
}

/** Who does something with a key. */
export type KeyHolder = Pick<AuditRecord, 'actor' | 'actorId' | 'keyId'>;

/** JSON without true, false and null. */
export type AuditValue = string | number | readonly AuditValue[] | AuditDetails;

export interface AuditDetails {
  readonly [name: string]: AuditValue | undefined;
}

export interface KeyStore extends ApiKeys {
  /**
   * A page of the keys that were not created for a session. Each key is on one page; the order is
   * arbitrary. Reads at most `limit` (1-1000) records, so a page may be shorter although `next`
   * follows. `after`: `next` of the page before.
   */
  list(
    limit: number,
    after?: string,
  ): Promise<{ readonly keys: readonly ApiKeyRecord[]; readonly next?: string }>;
  /** The keys that were created for sessions of the person, including those that have ended. */
  sessionsOf(actorId: string): Promise<readonly ApiKeyRecord[]>;
  /**
   * Writes the record of a key and the audit record of its change in one transaction. A record
   * without revision is a new key. False: the id is in use, or the stored revision is not the one
   * before the record's.
   */
  save(record: ApiKeyRecord, audit: AuditRecord): Promise<boolean>;
}

export interface AuditLog {
  /**
   * What a KeyStore and `Buckets.remove` have saved: newest first, at most `limit` (1-1000), below
   * the id `before`.
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
  /** How often the secret was replaced; absent: never. */
  readonly generation?: number;
  /** SHA-256 of the replaced secret, hex; the secret works until `previousUntil`. */
  readonly previousSecretHash?: string;
  /** ISO 8601 UTC. */
  readonly previousUntil?: string;
  /** Created for a session of the dashboard: not listed, and removed after its expiry. */
  readonly kind?: 'session';
  /** The issuer's own id of the person whose session it is (`sub`). */
  readonly actorId?: string;
  /** How often the record was changed; absent: never. Guards every change. */
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

/** What a temporary key may do of what its maker may, and until when. */
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
  /** The fewest. @default 1 */
  readonly minTokens?: number;
  /** Epoch milliseconds. */
  readonly now: number;
  /** The instance knows every change of the key that was marked before this. Epoch milliseconds. */
  readonly knownUntil: number;
  /** Added to the counts of the current hour if a token is granted. */
  readonly counts: UsageCounts;
  /**
   * The `fullAt` of the last lease. It saves a call if the bucket has not changed since. Epoch
   * microseconds.
   */
  readonly fullAt?: number;
}

/**
 * `fullAt`: when the bucket will be full again (GCRA's theoretical arrival time), epoch
 * microseconds.
 */
export type TokenLease =
  | { readonly result: 'granted'; readonly tokens: number; readonly fullAt: number }
  /** There are not as many tokens at the moment. */
  | { readonly result: 'refused'; readonly fullAt: number }
  /** The key was changed, so the instance must read it. */
  | { readonly result: 'outdated'; readonly changedAt: number };

/** The last use of a key. */
export interface KeyUse {
  /** The beginning of that hour. ISO 8601 UTC. */
  readonly lastUsedAt: string;
  /** The counts of that hour. */
  readonly counts: UsageCounts;
}

export interface HourUsage {
  /** Its beginning. ISO 8601 UTC. */
  readonly hour: string;
  readonly counts: UsageCounts;
}

/** The rate limits of the API keys, and the counts of their requests. */
export interface Rates {
  /** Takes `minTokens` to `maxTokens` out of the bucket, if it has as many. Atomic. */
  lease(keyId: string, request: TokenLeaseRequest): Promise<TokenLease>;
  /**
   * Marks every copy of the key that was read before `at` (epoch milliseconds) as out of date. The
   * mark never moves back.
   */
  markChanged(keyId: string, at: number): Promise<void>;
  /** The last use of each of at most 100 keys; those that were never used are left out. */
  uses(keyIds: readonly string[]): Promise<ReadonlyMap<string, KeyUse>>;
  /**
   * The counts of the hours of these days (`2026-11-20`, at most 90), in order; hours without
   * requests are left out.
   */
  usage(keyId: string, days: readonly string[]): Promise<readonly HourUsage[]>;
}

/** What a key may have only a few of at once. */
export type SlotKind = 'wait' | 'channel' | `tickets-${number}` | 'replay';

/** A request for one of the slots of a key. */
export interface SlotRequest {
  /** How many slots the key has. */
  readonly limit: number;
  /** Unique among the holders of that key and kind. */
  readonly holder: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** When the slot is free again if nobody releases it. Epoch milliseconds. */
  readonly until: number;
}

/**
 * Counts what lasts, across all function instances. A slot that is not released, because its
 * instance died, is free again after `until`.
 */
export interface Slots {
  /**
   * Takes a slot, or extends the one that the holder has. False: every slot is taken. Two requests
   * never get the same slot.
   */
  take(keyId: string, kind: SlotKind, request: SlotRequest): Promise<boolean>;
  /**
   * Does nothing when the holder has no slot. `until`: nor when its slot is another one, which ends
   * at another time.
   */
  release(keyId: string, kind: SlotKind, holder: string, until?: number): Promise<void>;
  /** Until when each holder has its slot, even if that time is over. Consistent. */
  holders(keyId: string, kind: SlotKind): Promise<ReadonlyMap<string, number>>;
}
