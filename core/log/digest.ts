/**
 * The running digest of a bucket's log: docs/api.md, "The digest of a log". Two followers with the
 * same cursor and the same digest have read the same history.
 */
import { createHash } from 'node:crypto';
import type { BucketStats, LogDigest } from '../store/buckets';
import { changeView } from './change-view';
import type { ChangeEntry } from './ports';

/** The digest before the first entry that it covers. */
export function firstDigest(bucketId: string, since: number): LogDigest {
  return { sha256: createHash('sha256').update(bucketId).digest('base64'), since };
}

/**
 * The digest of the published mark. Returns undefined when an earlier release or a restore has
 * moved the mark.
 */
export function publishedDigest({ id, published, digest }: BucketStats): LogDigest | undefined {
  if (published === 0) return firstDigest(id, 0);
  return digest?.at === published ? { sha256: digest.sha256, since: digest.since } : undefined;
}

/** The digest after these entries, which directly follow the published mark. */
export function nextDigest(stats: BucketStats, entries: readonly ChangeEntry[]): LogDigest {
  const { sha256, since } = publishedDigest(stats) ?? firstDigest(stats.id, stats.published);
  const last = entries.reduce(
    (before, entry) => createHash('sha256').update(before).update(canonicalEntry(entry)).digest(),
    Buffer.from(sha256, 'base64'),
  );
  return { sha256: last.toString('base64'), since };
}

/** What a follower knows of the entry: its change, or of a no-op entry the cursor. */
function canonicalEntry(entry: ChangeEntry): string {
  return canonicalJson(entry.type === 'noop' ? entry.cursor : changeView(entry));
}

/**
 * RFC 8785: members in the order of their names, no spaces. DynamoDB keeps no order of metadata.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}
