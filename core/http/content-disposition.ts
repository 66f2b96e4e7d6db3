/**
 * The Content-Disposition (RFC 6266) that a signed GET requests from S3. S3 sends the value in a
 * response header, so the client's value is parsed and rebuilt, never passed through.
 */
import { invalid } from '../errors';

/** A pattern without a flag, so that a JSON Schema can use it. */
export const DISPOSITION =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern rejects control characters
  /^([Aa][Tt][Tt][Aa][Cc][Hh][Mm][Ee][Nn][Tt]|[Ii][Nn][Ll][Ii][Nn][Ee])(?:;[ \t]*[Ff][Ii][Ll][Ee][Nn][Aa][Mm][Ee]="([^"\\\u0000-\u001f\u007f]*)")?$/;

/**
 * Parses `attachment` or `inline`, each optionally with `; filename="any Unicode text"`. A file
 * name outside ASCII is sent as filename* (RFC 8187), next to an ASCII replacement. Throws
 * invalid_request.
 */
export function safeContentDisposition(value: unknown, field: string): string {
  const [, type, name] = typeof value === 'string' ? (DISPOSITION.exec(value) ?? []) : [];
  if (type === undefined || name?.isWellFormed() === false) {
    throw invalid(field, 'must be attachment or inline, optionally followed by ; filename="…"');
  }
  if (name === undefined) return type.toLowerCase();
  const ascii = name.replace(/[^\x20-\x7e]|[%;]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const extended = ascii === name ? '' : `; filename*=UTF-8''${encoded}`;
  return `${type.toLowerCase()}; filename="${ascii}"${extended}`;
}
