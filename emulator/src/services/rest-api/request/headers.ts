/**
 * What happens to headers on the way in and out ("Amazon API Gateway important notes", tables of
 * remapped and dropped headers; casing as captured from real APIs: aws-facts 1.3, 1.4).
 */

export interface Field {
  /** As the client wrote it the first time. */
  readonly name: string;
  readonly values: string[];
}

/** Lower-case name -> field. */
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
    // Several cookie headers become one.
    else if (key === 'cookie') field.values[0] += `; ${value}`;
    else field.values.push(value);
  }
  return fields;
}

/** The last value, as in the event's single-value map. */
export function headerValue(fields: Fields, lowerCaseName: string): string | undefined {
  return fields.get(lowerCaseName)?.values.at(-1);
}

/** Bytes as the quota counts them: name, colon, space, value, line end. */
export function headerBytes(raw: readonly string[]): number {
  let bytes = 0;
  // The server gives one character per byte.
  for (const text of raw) bytes += text.length + 2;
  return bytes;
}

const NEVER_DELIVERED = new Set([
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

/** Arrive capitalised whatever the client wrote. */
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

/** `own`: what the gateway sets, by lower-case name; it replaces what the client sent. */
export function eventHeaders(fields: Fields, own: ReadonlyMap<string, string>): EventHeaders {
  const headers: Record<string, string> = Object.create(null);
  const multiValueHeaders: Record<string, readonly string[]> = Object.create(null);
  for (const [key, field] of fields) {
    if (NEVER_DELIVERED.has(key) || own.has(key) || isSigV4(key, field)) continue;
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

/** API Gateway keeps SigV4 signatures to itself. */
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
  // Not in AWS's table. The first two frame the connection, the others are set by the gateway.
  'keep-alive',
  'proxy-connection',
  'x-amz-apigw-id',
  'x-amzn-requestid',
  'x-amzn-trace-id',
]);

/** The client's name for a header that a function set; undefined: the client never sees it. */
export function responseHeaderName(name: string): string | undefined {
  const key = name.toLowerCase();
  if (DROPPED.has(key)) return undefined;
  return REMAPPED.has(key) ? `x-amzn-Remapped-${name}` : name;
}
