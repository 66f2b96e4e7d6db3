/** Translates the output of a function into the response to the client. */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { isRecord } from '../../../values/json';
import { badGateway, internalError } from '../gateway-responses/gateway-responses';
import { responseHeaderName } from '../request/headers';
import { isBinary } from './media-types';

export interface ResponseHead {
  readonly status: number;
  /** Name, value, name, value …, after remapping, without Content-Length. */
  readonly headers: readonly string[];
  /** The Content-Length that the function set. */
  readonly contentLength?: number;
}

export interface BufferedResponse extends ResponseHead {
  readonly body: Buffer;
}

const ENVELOPE = new Set(['statusCode', 'headers', 'multiValueHeaders', 'body', 'isBase64Encoded']);
const PRELUDE = new Set(['statusCode', 'headers', 'multiValueHeaders', 'cookies']);

/** Throws GatewayError: 502 for a malformed envelope, 500 when a base64 body cannot be decoded. */
export function bufferedResponse(
  payload: string,
  binaryMediaTypes: readonly string[],
  accept: string | undefined,
): BufferedResponse {
  const envelope = parse(payload);
  const keys = Object.keys(envelope);
  if (keys.length === 0) throw badGateway('Malformed Lambda proxy response: empty object');
  refuseUnknown(keys, ENVELOPE);
  const { body, isBase64Encoded = false } = envelope;
  if (body !== undefined && body !== null && typeof body !== 'string') {
    throw badGateway('Malformed Lambda proxy response: body is not a string');
  }
  if (typeof isBase64Encoded !== 'boolean') {
    throw badGateway('Malformed Lambda proxy response: isBase64Encoded is not a boolean');
  }
  const head = responseHead(envelope);
  if (!isBase64Encoded || !body) return { ...head, body: Buffer.from(body ?? '', 'utf8') };
  if (!isBinary(binaryMediaTypes, accept)) return { ...head, body: Buffer.from(body, 'utf8') };
  return { ...head, body: decodeBase64(body) };
}

/** Reads the metadata of a streamed response. Throws GatewayError (500). */
export function streamedHead(metadata: string): ResponseHead {
  try {
    const prelude = parse(metadata);
    refuseUnknown(Object.keys(prelude), PRELUDE);
    return responseHead(prelude);
  } catch (error) {
    throw internalError(error instanceof Error ? error.message : String(error));
  }
}

function parse(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badGateway('Malformed Lambda proxy response: not JSON');
  }
  if (isRecord(value)) return value;
  throw badGateway('Malformed Lambda proxy response: not an object');
}

function refuseUnknown(keys: readonly string[], known: ReadonlySet<string>): void {
  const other = keys.find((key) => !known.has(key));
  if (other !== undefined) {
    throw badGateway(`Malformed Lambda proxy response: unknown key ${JSON.stringify(other)}`);
  }
}

function responseHead(envelope: Readonly<Record<string, unknown>>): ResponseHead {
  const status = statusOf(envelope.statusCode);
  const fields = new Map<string, { name: string; values: string[] }>();
  const add = (name: string, values: readonly string[]) => {
    const key = name.toLowerCase();
    const field = fields.get(key);
    if (field === undefined) fields.set(key, { name, values: [...values] });
    else field.values.push(...values);
  };
  // multiValueHeaders first: its spelling of a name and its values take precedence.
  for (const [name, values] of entries(envelope, 'multiValueHeaders')) {
    if (!Array.isArray(values)) throw badHeader(name);
    add(
      name,
      values.map((value) => headerText(name, value)),
    );
  }
  for (const [name, value] of entries(envelope, 'headers')) add(name, [headerText(name, value)]);
  if (envelope.cookies !== undefined) {
    if (!Array.isArray(envelope.cookies)) throw badHeader('cookies');
    add(
      'Set-Cookie',
      envelope.cookies.map((value) => headerText('Set-Cookie', value)),
    );
  }
  const contentLength = lengthOf(fields.get('content-length')?.values);
  fields.delete('content-length');
  if (!fields.has('content-type')) {
    fields.set('content-type', { name: 'Content-Type', values: ['application/json'] });
  }
  return {
    status,
    headers: sent(fields.values()),
    ...(contentLength !== undefined && { contentLength }),
  };
}

/**
 * Refuses 1xx, because 101 would break the framing of the connection. AWS does not document the
 * permitted range.
 */
function statusOf(value: unknown): number {
  if (value === undefined) return 200;
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
  if (typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599) {
    return status;
  }
  throw badGateway(`Malformed Lambda proxy response: statusCode ${JSON.stringify(value)}`);
}

function entries(envelope: Readonly<Record<string, unknown>>, key: string) {
  const map = envelope[key] ?? {};
  if (isRecord(map)) return Object.entries(map);
  throw badGateway(`Malformed Lambda proxy response: ${key} is not an object`);
}

function headerText(name: string, value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    throw badHeader(name);
  }
  const text = String(value);
  try {
    validateHeaderName(name);
    validateHeaderValue(name, text);
  } catch {
    throw badHeader(name);
  }
  return text;
}

function badHeader(name: string) {
  return badGateway(`Malformed Lambda proxy response: header ${JSON.stringify(name)}`);
}

function lengthOf(values: readonly string[] | undefined): number | undefined {
  if (values === undefined) return undefined;
  const [text = ''] = values;
  if (values.length === 1 && /^\d{1,15}$/.test(text)) return Number(text);
  throw badHeader('Content-Length');
}

function sent(fields: Iterable<{ name: string; values: readonly string[] }>): string[] {
  const headers: string[] = [];
  for (const { name, values } of fields) {
    const renamed = responseHeaderName(name);
    if (renamed === undefined) continue;
    for (const value of values) headers.push(renamed, value);
  }
  return headers;
}

function decodeBase64(text: string): Buffer {
  if (text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)) {
    return Buffer.from(text, 'base64');
  }
  throw internalError('Unable to base64 decode the body');
}
