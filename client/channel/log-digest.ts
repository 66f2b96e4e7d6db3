/** The running digest of a bucket's change log: docs/api.md, "The digest of a log". */
import { base64Of, bytesOf } from '../base64';
import type { ChangeEntry, LogDigest } from '../resources';
import { sha256 } from './sha256';

/** Longest range that is hashed. No page or message covers more. */
const MAX_CURSORS = 10_000;

/**
 * Computes the digest from the changes that a follower receives, and compares it with those of the
 * service. It has no digest to compare until the follower begins at cursor 0 or the service has
 * sent one.
 */
export class DigestCheck {
  /** The digest at the follower's cursor. */
  #known: { readonly hash: Uint8Array; readonly since: number } | undefined;
  /** The last cursor at which both digests were equal. */
  agreedAt: number | undefined;

  /** The follower begins at this cursor. `digest`: the digest of its own copy. */
  constructor(bucketId: string, cursor: number, digest: LogDigest | undefined) {
    if (digest) {
      this.#known = { hash: bytesOf(digest.sha256), since: digest.since };
      this.agreedAt = cursor;
    } else if (cursor === 0) {
      this.#known = { hash: sha256(utf8(bucketId)), since: 0 };
    }
  }

  /** Adds the changes of (from, to], which must be complete. */
  advance(from: number, to: number, changes: readonly ChangeEntry[]): void {
    if (this.#known === undefined) return;
    if (to - from > MAX_CURSORS) {
      this.#known = undefined;
      return;
    }
    const byCursor = new Map(changes.map((change) => [change.cursor, change]));
    let { hash } = this.#known;
    for (let cursor = from + 1; cursor <= to; cursor++) {
      const entry = utf8(canonicalJson(byCursor.get(cursor) ?? cursor));
      const message = new Uint8Array(hash.length + entry.length);
      message.set(hash);
      message.set(entry, hash.length);
      hash = sha256(message);
    }
    this.#known = { ...this.#known, hash };
  }

  /**
   * Returns whether the service's digest at the follower's cursor equals the computed one, or there
   * is none to compare. A digest with another beginning is accepted, unless it begins before a
   * cursor at which both were equal.
   */
  agrees(cursor: number, digest: LogDigest): boolean {
    const known = this.#known;
    const isSame = known !== undefined && known.since === digest.since;
    if (isSame && base64Of(known.hash) !== digest.sha256) return false;
    if (known !== undefined && !isSame && digest.since < (this.agreedAt ?? 0)) return false;
    this.#known = { hash: bytesOf(digest.sha256), since: digest.since };
    this.agreedAt = cursor;
    return true;
  }
}

/** Deepest nesting that is hashed. A change has less, but the network is not trusted. */
const MAX_LEVELS = 16;

/** RFC 8785: members in the order of their names, no spaces. */
function canonicalJson(value: unknown, level = 0): string {
  if (typeof value !== 'object' || value === null || level === MAX_LEVELS) {
    return JSON.stringify(level === MAX_LEVELS ? null : value);
  }
  if (Array.isArray(value)) {
    return `[${value.map((item) => canonicalJson(item, level + 1)).join(',')}]`;
  }
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member, level + 1)}`);
  return `{${members.join(',')}}`;
}

const utf8 = (text: string) => new TextEncoder().encode(text);
