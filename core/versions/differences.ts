/** Compares a key's present state with an earlier one. */

import type { ChangeSize } from '../commits/groups';
import type { LiveObject, ObjectRecord } from '../store/objects';
import { liveOf } from '../store/objects';
import { descriptorOf } from '../views';
import type { RecordPair } from './as-of';

/** A key whose present state differs from the earlier one. */
export interface Difference {
  readonly key: string;
  /** The record that was compared: the change is made only while the key has this one. */
  readonly now: ObjectRecord | undefined;
  /** What the key was, or undefined when there was no object, so it is deleted. */
  readonly was: LiveObject | undefined;
}

/**
 * The pair whose earlier object does not expire if that time is over by now (epoch milliseconds):
 * restored with it, the object would be deleted again at once. An object that still has that
 * expiry is as it was.
 */
export function withoutPastExpiry({ now, was }: RecordPair, at: number): RecordPair {
  if (was.state === 'deleted' || was.expiresAt === undefined) return { now, was };
  const { expiresAt, ...lasting } = was;
  const isKept = Date.parse(expiresAt) > at || liveOf(now)?.expiresAt === expiresAt;
  return { now, was: isKept ? was : lasting };
}

/** Returns undefined when the key is as it was. */
export function differenceOf({ now, was }: RecordPair): Difference | undefined {
  return compare(now.key, now, liveOf(was));
}

/** The same with the record that the key has by now. */
export function compare(
  key: string,
  now: ObjectRecord | undefined,
  was: LiveObject | undefined,
): Difference | undefined {
  const live = liveOf(now);
  const isSame = live === undefined || was === undefined ? live === was : isEqual(live, was);
  return isSame ? undefined : { key, now, was };
}

/**
 * Reports whether two versions are the same to a client, except for version, cursor and times.
 */
function isEqual(a: LiveObject, b: LiveObject): boolean {
  return (
    hasSameBytes(a, b) &&
    a.contentType === b.contentType &&
    hasSameEntries(a.headers, b.headers) &&
    hasSameEntries(a.metadata, b.metadata) &&
    a.expiresAt === b.expiresAt
  );
}

/**
 * Two known SHA-256 decide alone: an etag is an MD5, of which different contents can be made. A
 * copy in parts has another etag than its source.
 */
function hasSameBytes(a: LiveObject, b: LiveObject): boolean {
  const isKnown = a.checksumSha256 !== undefined && b.checksumSha256 !== undefined;
  return a.size === b.size && (isKnown ? a.checksumSha256 === b.checksumSha256 : a.etag === b.etag);
}

type Texts = Readonly<Record<string, string>>;

function hasSameEntries(a: Texts, b: Texts): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

/** Reports whether the bytes are still those of the current version, so that nothing is copied. */
export function hasItsBlob({ now, was }: Difference): boolean {
  return was !== undefined && liveOf(now)?.blob === was.blob;
}

/** Bytes that the change copies. */
export function copiedBytes(difference: Difference): number {
  return hasItsBlob(difference) ? 0 : (difference.was?.size ?? 0);
}

/** For a commit: a deletion is shown by its key. */
export function sizeOf(difference: Difference): ChangeSize {
  const { key, was } = difference;
  const view = was === undefined ? key : descriptorOf(was);
  return { view: Buffer.byteLength(JSON.stringify(view)), copy: copiedBytes(difference) };
}
