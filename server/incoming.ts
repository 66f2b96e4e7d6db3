/** Turns requests of node:http into requests of the service, and its responses into theirs. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ServiceError } from '../core/errors';
import type { IncomingRequest } from '../service/http/request';
import type { HttpResponse } from '../service/http/response';

/** Returns the values of each parameter. */
export function queryOf(parameters: URLSearchParams): Readonly<Record<string, readonly string[]>> {
  const query = new Map<string, string[]>();
  for (const [name, value] of parameters) {
    const values = query.get(name);
    if (values) values.push(value);
    else query.set(name, [value]);
  }
  return Object.fromEntries(query);
}

/**
 * Returns the request with its whole body. Throws payload_too_large for a body above `mostBytes`,
 * as soon as it is known to be.
 */
export async function requestOf(
  message: IncomingMessage,
  about: { readonly url: URL; readonly requestId: string; readonly mostBytes: number },
): Promise<IncomingRequest> {
  const { url, requestId, mostBytes } = about;
  const [path = '/'] = (message.url ?? '/').split('?');
  return {
    method: message.method ?? 'GET',
    path,
    headers: headersOf(message.rawHeaders),
    query: queryOf(url.searchParams),
    body: await bodyOf(message, mostBytes),
    requestId,
  };
}

function headersOf(raw: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const headers = new Map<string, string[]>();
  for (let n = 0; n + 1 < raw.length; n += 2) {
    const name = raw[n] ?? '';
    const values = headers.get(name);
    if (values) values.push(raw[n + 1] ?? '');
    else headers.set(name, [raw[n + 1] ?? '']);
  }
  return Object.fromEntries(headers);
}

async function bodyOf(message: IncomingMessage, mostBytes: number): Promise<Uint8Array> {
  const { 'content-length': announced, 'transfer-encoding': coding } = message.headers;
  if (announced === undefined && coding === undefined) return EMPTY;
  requireFits(message, mostBytes);
  const chunks: Buffer[] = [];
  let size = 0;
  // A message that is destroyed takes its connection along, and the sender gets no response.
  for await (const chunk of message.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > mostBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size);
}

/** Throws payload_too_large for a body that is announced with more bytes than that. */
export function requireFits({ headers }: IncomingMessage, mostBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > mostBytes) throw tooLarge();
}

const EMPTY = new Uint8Array(0);

function tooLarge(): ServiceError {
  return new ServiceError('payload_too_large', {
    message: 'the body is too large for one request: upload it by POST /api/v2/storage/signed-url',
  });
}

/** Time for a client to notice a response to a request that it still sends, milliseconds. */
const NOTICE_MS = 10_000;

/**
 * Reads the rest of a request whose response was sent. A connection that closes with unread bytes
 * is reset, and a reset takes the response from the client.
 */
export function dropRest(message: IncomingMessage): void {
  if (message.complete) return;
  message.resume();
  const timer = setTimeout(() => message.complete || message.destroy(), NOTICE_MS).unref();
  message.once('close', () => clearTimeout(timer));
}

/** Sends a response. A body that fails cuts the connection, because its status is sent. */
export async function send(
  { status, headers, body }: HttpResponse,
  to: ServerResponse,
  more: Readonly<Record<string, string>>,
): Promise<void> {
  if (body instanceof Readable) {
    to.writeHead(status, { ...more, ...headers });
    return pipeline(body, to);
  }
  const bytes = body === undefined ? undefined : Buffer.from(body as string);
  const length = bytes && { 'Content-Length': bytes.length };
  to.writeHead(status, { ...more, ...headers, ...length });
  to.end(bytes);
}
