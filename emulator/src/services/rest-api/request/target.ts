/**
 * Parses the request target. `URL` resolves dot segments and re-encodes; API Gateway does neither:
 * the path stays as sent, the query is decoded.
 */

export interface Query {
  /** The last value of each name; null when there is no query, as in events. */
  readonly single: Readonly<Record<string, string>> | null;
  /** All values in order. */
  readonly multi: Readonly<Record<string, readonly string[]>> | null;
}

export interface Target {
  /** The event's `path`: with percent-escapes, leading slashes collapsed, without the stage. */
  readonly path: string;
  /** `requestContext.path`: the stage, then the path as sent. */
  readonly requestPath: string;
  readonly query: Query;
}

/** The origin-form of RFC 9112 in visible ASCII. Correct clients do not send `#`. */
const ORIGIN_FORM = /^\/[\x21\x22\x24-\x7e]*$/;

/** Returns undefined for a malformed target (400). */
export function parseTarget(raw: string, stage: string): Target | undefined {
  if (!ORIGIN_FORM.test(raw)) return undefined;
  const mark = raw.indexOf('?');
  const path = mark < 0 ? raw : raw.slice(0, mark);
  const query = mark < 0 ? EMPTY : parseQuery(raw.slice(mark + 1));
  if (query === undefined) return undefined;
  return {
    path: path.startsWith('//') ? path.replace(/^\/+/, '/') : path,
    requestPath: `/${stage}${path}`,
    query,
  };
}

const EMPTY: Query = { single: null, multi: null };

/**
 * `;` separates like `&`; raw `|`, `{` and `}` are refused ("Amazon API Gateway important notes").
 * Escapes that are not UTF-8 are refused too, because AWS does not document their meaning.
 */
function parseQuery(raw: string): Query | undefined {
  if (/[|{}]/.test(raw)) return undefined;
  // Without a prototype, `__proto__` is an ordinary name.
  const single: Record<string, string> = Object.create(null);
  const multi: Record<string, string[]> = Object.create(null);
  let found = false;
  for (const pair of raw.split(/[&;]/)) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = decode(equals < 0 ? '' : pair.slice(equals + 1));
    if (name === undefined || value === undefined) return undefined;
    found = true;
    single[name] = value;
    const values = multi[name];
    if (values === undefined) multi[name] = [value];
    else values.push(value);
  }
  return found ? { single, multi } : EMPTY;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
