/**
 * Changes headers of requests and responses as API Gateway does. Sources: the tables of remapped
 * and dropped headers in "Amazon API Gateway important notes"; the upper and lower case was
 * observed on real APIs.
 */

export interface Field {
  /** The spelling of the first occurrence. */
  readonly name: string;
  readonly values: string[];
}

/** Fields by lower-case name. */
export type Fields = ReadonlyMap<string, Field>;

/** `raw` as in IncomingMessage.rawHeaders: name, value, name, value … */
export function readFields(raw: readonly string[]): Fields {
  const fields = new Map<string, Field>();
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? '';
    const value = raw[i + 1] ?? '';
    const key = name.toLowerCase();
    const field = fields.get(key);
    if (field === undefined) fields.set(key, { name, values: [value] });
    // Several Cookie headers are joined.
    else if (key === 'cookie') field.values[0] += `; ${value}`;
    else field.values.push(value);
  }
  return fields;
}

/** Returns the last value, as the single-value map of events does. */
export function headerValue(fields: Fields, lowerCaseName: string): string | undefined {
  return fields.get(lowerCaseName)?.values.at(-1);
}

/** Counts bytes as the quota does: name, colon, space, value, line end. */
export function headerBytes(raw: readonly string[]): number {
  let bytes = 0;
  // Each character is one byte: the server decodes headers as Latin-1.
  for (const text of raw) bytes += text.length + 2;
  return bytes;
}

const DROPPED_FROM_EVENTS = new Set([
  'connection',
  'content-length',
  'content-md5',
  'expect',
  'max-forwards',
  'proxy-authenticate',
  'server',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'www-authenticate',
]);

/** Headers that events contain in this spelling, whatever the client sent. */
const CAPITALISED: ReadonlyMap<string, string> = new Map(
  [
    'Host',
    'Authorization',
    'User-Agent',
    'X-Amzn-Trace-Id',
    'X-Forwarded-For',
    'X-Forwarded-Port',
    'X-Forwarded-Proto',
  ].map((name) => [name.toLowerCase(), name]),
);

export interface EventHeaders {
  readonly headers: Readonly<Record<string, string>>;
  readonly multiValueHeaders: Readonly<Record<string, readonly string[]>>;
}

/** `own`: the gateway's headers by lower-case name; they replace those of the client. */
export function eventHeaders(fields: Fields, own: ReadonlyMap<string, string>): EventHeaders {
  const headers: Record<string, string> = Object.create(null);
  const multiValueHeaders: Record<string, readonly string[]> = Object.create(null);
  for (const [key, field] of fields) {
    if (DROPPED_FROM_EVENTS.has(key) || own.has(key) || isSigV4(key, field)) continue;
    const name = CAPITALISED.get(key) ?? field.name;
    headers[name] = field.values.at(-1) ?? '';
    multiValueHeaders[name] = field.values;
  }
  for (const [key, value] of own) {
    const name = CAPITALISED.get(key) ?? key;
    headers[name] = value;
    multiValueHeaders[name] = [value];
  }
  return { headers, multiValueHeaders };
}

/** API Gateway does not pass SigV4 signatures on. */
function isSigV4(key: string, field: Field): boolean {
  return key === 'authorization' && field.values.some((value) => value.startsWith('AWS4-HMAC-'));
}

const REMAPPED = new Set([
  'authorization',
  'connection',
  'content-md5',
  'date',
  'max-forwards',
  'server',
  'user-agent',
  'www-authenticate',
]);

const DROPPED = new Set([
  'expect',
  'host',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
  // Not in AWS's table. The first two concern the connection; the gateway sets the others itself.
  'keep-alive',
  'proxy-connection',
  'x-amz-apigw-id',
  'x-amzn-requestid',
  'x-amzn-trace-id',
]);

/**
 * Returns the name under which the client receives a header of the function; undefined: the header
 * is dropped.
 */
export function responseHeaderName(name: string): string | undefined {
  const key = name.toLowerCase();
  if (DROPPED.has(key)) return undefined;
  return REMAPPED.has(key) ? `x-amzn-Remapped-${name}` : name;
}
