/**
 * The Content-Disposition (RFC 6266) of a download. It is sent in a response header, so the
 * client's value is parsed and built again, never passed through.
 */
import { invalid } from '../errors';
import { withoutHidden } from '../hidden';

const FIELD = String.raw`[ \t]*;[ \t]*[Ff][Ii][Ll][Ee][Nn][Aa][Mm][Ee]`;
/** `filename` as a quoted string or a token: RFC 9110 §5.6.4 and §5.6.2. */
const PLAIN = `${FIELD}=${String.raw`("(?:[^"\\\u0000-\u001f\u007f]|\\[^\u0000-\u001f\u007f])*"|[!#$%&'*+.^_\u0060|~0-9A-Za-z-]+)`}`;
/** `filename*`: RFC 8187 §3.2.1. */
const EXTENDED = `${FIELD}${String.raw`\*=([Uu][Tt][Ff]-8'[A-Za-z0-9-]*'(?:%[0-9A-Fa-f]{2}|[!#$&+.^_\u0060|~0-9A-Za-z-])*)`}`;

/**
 * The type, then `filename` and `filename*`, each at most once and in any order (RFC 6266 §4.1). A
 * pattern without a flag, so that a JSON Schema can use it.
 */
export const DISPOSITION = new RegExp(
  `^([Aa][Tt][Tt][Aa][Cc][Hh][Mm][Ee][Nn][Tt]|[Ii][Nn][Ll][Ii][Nn][Ee])(?:${PLAIN}(?:${EXTENDED})?|${EXTENDED}(?:${PLAIN})?)?$`,
);

/**
 * Parses `attachment` or `inline`, each optionally with `; filename=…`, `; filename*=…`, or both. A
 * file name outside ASCII is sent as filename* (RFC 8187), next to an ASCII
 * replacement. Characters that hide how a name is read become `_`. Throws invalid_request.
 */
export function safeContentDisposition(value: unknown, field: string): string {
  const parts = typeof value === 'string' && value.isWellFormed() ? DISPOSITION.exec(value) : null;
  const [, type, plain, extendedLast, extended = extendedLast, plainLast] = parts ?? [];
  if (type === undefined) {
    throw invalid(
      field,
      'must be attachment or inline, optionally followed by ; filename="…" with \\ before each " and \\ of the name',
    );
  }
  // RFC 6266 §4.3: filename* is preferred.
  const name = extended === undefined ? unquoted(plain ?? plainLast) : decoded(extended);
  return name === undefined ? type.toLowerCase() : named(type.toLowerCase(), name);
}

/** Returns the disposition with a file name. `type`: `attachment` or `inline`. */
export function named(type: string, fileName: string): string {
  const name = withoutHidden(fileName, '_');
  const ascii = name.replace(/[^\x20-\x7e]|[%;"\\]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const extended = ascii === name ? '' : `; filename*=UTF-8''${encoded}`;
  return `${type}; filename="${ascii}"${extended}`;
}

function unquoted(value: string | undefined): string | undefined {
  return value?.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/gsu, '$1') : value;
}

/** Bytes that are not UTF-8 become U+FFFD. */
function decoded(value: string): string {
  const text = value.slice(value.indexOf("'", value.indexOf("'") + 1) + 1);
  const bytes = text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
