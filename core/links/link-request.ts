/** Parses the body of POST /links. */
import { invalid } from '../errors';
import { safeContentDisposition } from '../http/content-disposition';
import { isWholeNumber, onlyFields } from '../http/json';
import { LINK_LIMITS } from '../limits';
import { parseBucketName, parseKey } from '../names';

export interface LinkRequest {
  readonly bucket: string;
  readonly key: string;
  readonly version?: number;
  /** Seconds. */
  readonly expiresIn: number;
  readonly maxUses?: number;
  readonly password?: string;
  readonly disposition?: string;
  readonly note?: string;
}

const FIELDS = [
  'bucket',
  'key',
  'version',
  'expires_in',
  'max_uses',
  'password',
  'disposition',
  'note',
];

/**
 * Parses the body. `authorize` is called as soon as the names are known: a caller without the
 * permission does not have the rest parsed. Throws invalid_request, and what `authorize` throws.
 */
export function parseLinkRequest(
  body: Record<string, unknown>,
  authorize: (place: { readonly bucket: string; readonly key: string }) => void,
): LinkRequest {
  onlyFields(body, FIELDS);
  const place = { bucket: parseBucketName(body.bucket), key: parseKey(body.key) };
  authorize(place);
  const { version, max_uses: maxUses, password, disposition, note } = body;
  return {
    ...place,
    expiresIn:
      parseWhole(body.expires_in, 'expires_in', LINK_LIMITS.maxSeconds) ??
      LINK_LIMITS.defaultSeconds,
    ...optional('version', parseWhole(version, 'version', LINK_LIMITS.versionMax)),
    ...optional('maxUses', parseWhole(maxUses, 'max_uses', LINK_LIMITS.usesMax)),
    ...optional('password', parseText(password, 'password', LINK_LIMITS.passwordCharacters)),
    ...optional(
      'disposition',
      disposition === undefined ? undefined : safeContentDisposition(disposition, 'disposition'),
    ),
    ...optional('note', parseNote(note)),
  };
}

function optional<Name extends string, T>(
  name: Name,
  value: T | undefined,
): { readonly [N in Name]?: T } {
  return value === undefined ? {} : ({ [name]: value } as { [N in Name]: T });
}

function parseWhole(value: unknown, field: string, max: number): number | undefined {
  if (value === undefined) return undefined;
  if (!isWholeNumber(value, 1, max)) {
    throw invalid(field, `must be a whole number from 1 to ${max}`);
  }
  return value;
}

/**
 * The page of the link shows the note in one line, as it is read. A pattern without a flag, so that
 * a JSON Schema can use it.
 */
export const NOTE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern rejects control characters
  /^[^\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]*$/;

function parseNote(value: unknown): string | undefined {
  const note = parseText(value, 'note', LINK_LIMITS.noteCharacters);
  if (note === undefined || NOTE.test(note)) return note;
  throw invalid('note', 'must have no control characters and no invisible ones, such as U+202E');
}

function parseText(value: unknown, field: string, max: number): string | undefined {
  if (value === undefined) return undefined;
  const isText = typeof value === 'string' && value.isWellFormed();
  if (!isText || value.length === 0 || [...value].length > max) {
    throw invalid(field, `must be a text of 1 to ${max} characters`);
  }
  return value;
}
