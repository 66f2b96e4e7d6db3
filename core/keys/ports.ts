/**
 * What the administration of keys needs from outside, beside core/ports.ts. Like there, every port has an AWS adapter and
 * an in-memory fake that pass one contract suite.
 */
import type { ApiKeyRecord, ApiKeys } from '../ports';

export type AuditAction = 'create' | 'change' | 'revoke' | 'rotate' | 'session';

/** Who did what to which key, and when. Never holds a secret or its hash. */
export interface AuditRecord {
  /** ULID: sorts by time. */
  readonly id: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly at: string;
  /** The name by which the issuer knows the person. */
  readonly actor: string;
  /** The issuer's own, never reused id of the person (`sub`). */
  readonly actorId: string;
  readonly action: AuditAction;
  readonly keyId: string;
  readonly details: AuditDetails;
}

/** JSON without true, false and null. */
export type AuditValue = string | number | readonly AuditValue[] | AuditDetails;

export interface AuditDetails {
  readonly [name: string]: AuditValue | undefined;
}

export interface KeyStore extends ApiKeys {
  /**
   * Some keys that were not made for a session, each once over all pages, in an order without meaning. Reads at most
   * `limit` (1-1000) records, so a page may be shorter although `next` follows. `after`: `next` of the page before.
   */
  list(
    limit: number,
    after?: string,
  ): Promise<{ readonly keys: readonly ApiKeyRecord[]; readonly next?: string }>;
  /**
   * The one transaction that changes a key: its record and what is told of it, all or nothing. A record without revision
   * is a new key. False: the id is in use, or the stored revision is not the one before the record's.
   */
  save(record: ApiKeyRecord, audit: AuditRecord): Promise<boolean>;
}

export interface AuditLog {
  /** Newest first, at most `limit` (1-1000), below the id `before`. */
  list(
    limit: number,
    before?: string,
  ): Promise<{ readonly records: readonly AuditRecord[]; readonly more: boolean }>;
}
