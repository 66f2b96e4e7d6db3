/**
 * Parses the settings of a key in a request. Every parser throws invalid_request with the field.
 */
import { invalid, missing } from '../errors';
import { isWholeNumber } from '../http/json';
import { KEY_LIMITS } from '../limits';
import { parseTime, requireFuture } from '../times';
import { parsePermissions } from './permissions';
import type { Permission } from './ports';

export interface KeySettings {
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly tier: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly expiresAt?: string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

export function parseKeyName(value: unknown): string {
  if (value === undefined) throw missing('name');
  const name = typeof value === 'string' ? value.trim() : '';
  const length = Array.from(name).length;
  if (length < 1 || length > KEY_LIMITS.nameCharacters || CONTROL.test(name)) {
    throw invalid(
      'name',
      `must be a text of 1 to ${KEY_LIMITS.nameCharacters} characters without control characters`,
    );
  }
  if (!name.isWellFormed()) throw invalid('name', 'must be well-formed Unicode');
  return name;
}

export function parseKeyPermissions(value: unknown): Permission[] {
  const permissions = parsePermissions(value);
  if (Buffer.byteLength(JSON.stringify(permissions)) > KEY_LIMITS.permissionsBytes) {
    throw invalid('permissions', `must take at most ${KEY_LIMITS.permissionsBytes} bytes as JSON`);
  }
  return permissions;
}

export function parseTier(value: unknown, tiers: readonly string[]): string {
  const tier = tiers.find((name) => name === value);
  if (tier === undefined) throw invalid('tier', `must be one of ${tiers.join(', ')}`);
  return tier;
}

/** Returns the time in UTC with milliseconds. `now`: epoch milliseconds. */
export function parseExpiry(value: unknown, now: number): string {
  const time = parseTime(value, 'expires_at');
  requireFuture(time, now, 'expires_at');
  return time;
}

export function parseOverlap(value: unknown): number {
  if (value === undefined) return KEY_LIMITS.overlapDefaultSeconds;
  if (!isWholeNumber(value, 0, KEY_LIMITS.overlapMaxSeconds)) {
    throw invalid(
      'overlap_seconds',
      `must be a whole number from 0 to ${KEY_LIMITS.overlapMaxSeconds}`,
    );
  }
  return value;
}
