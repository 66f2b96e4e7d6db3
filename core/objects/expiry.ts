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
import { DATE_TIME } from '../access/key-settings';
import { invalid } from '../errors';
import type { LiveObject } from '../store/objects';

/** Of the request and of responses, as the metadata. */
export const EXPIRES_AT_HEADER = 'x-object-expires-at';

/** Slots of an hour: an index takes about 1,000 writes a second in one. */
export const DUE_SHARDS = 8;

/** Returns the time in UTC with milliseconds. Throws invalid_request. */
export function parseExpiresAt(value: unknown, field: string): string {
  const time = typeof value === 'string' && DATE_TIME.test(value) ? Date.parse(value) : Number.NaN;
  const iso = Number.isNaN(time) ? '' : new Date(time).toISOString();
  // Years outside of 0000 to 9999 have another form, which sorts elsewhere.
  if (iso.length === '2027-01-31T12:00:00.000Z'.length) return iso;
  throw invalid(field, 'must be a time in ISO 8601, such as 2027-01-31T12:00:00Z');
}

/**
 * Throws invalid_request for a time that is not in the future. `now`: epoch milliseconds. Apart
 * from parsing, because a repeated request gets its first response even if the time is over by
 * then.
 */
export function requireFuture(
  expiresAt: string | null | undefined,
  now: number,
  field: string,
): void {
  if (typeof expiresAt !== 'string' || Date.parse(expiresAt) > now) return;
  throw invalid(field, 'must lie in the future');
}

/** The slot of a record, or undefined when the object does not expire. */
export function dueSlotOf({ expiresAt, updatedAt, key }: LiveObject): string | undefined {
  if (expiresAt === undefined) return undefined;
  const shard = createHash('sha256').update(key).digest().readUInt8(0) % DUE_SHARDS;
  return dueSlot(hourOf(expiresAt > updatedAt ? expiresAt : updatedAt), shard);
}

/** `2027-01-31T12#3`. */
export function dueSlot(hour: string, shard: number): string {
  return `${hour}#${shard}`;
}

/** The hour of a time in ISO 8601 UTC: `2027-01-31T12`. */
export function hourOf(iso: string): string {
  return iso.slice(0, 13);
}
