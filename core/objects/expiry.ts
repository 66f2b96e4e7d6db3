/**
 * When objects expire. An object exists until the change that deletes it, which comes within an
 * hour after it has expired, and never before.
 *
 * An index of the records finds what is due: each record that expires lies in a slot, which is the
 * hour of its expiry and a shard. An upload may be committed after its object has expired, so the
 * hour is that of the commit if that is later: no record ever enters the slots of an hour that is
 * long over.
 */
import { createHash } from 'node:crypto';
import type { LiveObject } from '../store/objects';
import { later } from '../times';

/** Of the request and of responses, as the metadata. */
export const EXPIRES_AT_HEADER = 'x-object-expires-at';

/** Slots of an hour: an index takes about 1,000 writes a second in one. */
export const DUE_SHARDS = 8;

/** The slot of a record, or undefined when the object does not expire. */
export function dueSlotOf({ expiresAt, updatedAt, key }: LiveObject): string | undefined {
  if (expiresAt === undefined) return undefined;
  const shard = createHash('sha256').update(key).digest().readUInt8(0) % DUE_SHARDS;
  return dueSlot(hourOf(later(expiresAt, updatedAt)), shard);
}

/** `2027-01-31T12#3`. */
export function dueSlot(hour: string, shard: number): string {
  return `${hour}#${shard}`;
}

/** The hour of a time in ISO 8601 UTC: `2027-01-31T12`. */
export function hourOf(iso: string): string {
  return iso.slice(0, 13);
}
