/** One request and its response: the ids of both, and how responses are sent. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Fields, headerValue, readFields } from '../request/headers';
import type { ResponseHead } from './response';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** Ends in `=`, as AWS's do. */
  readonly extendedRequestId: string;
  /** `Root=1-…`, the client's when it sent one. */
  readonly traceId: string;
  /** The distribution replaces the headers that it sets itself. */
  fields: Fields;
  /** After X-HTTP-Method-Override. */
  readonly method: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly sourceIp: string;
  /** The client waits for `100 Continue` before it sends its body. */
  readonly expectsContinue: boolean;
  /** Applies the distribution's headers policy to a response: name, value, name, value … */
  editHeaders?: (headers: readonly string[], status: number) => string[];
  /** Payload bytes sent so far, for the access log. */
  responseLength: number;
  /** Milliseconds until the function returned or failed. Undefined: it was not called. */
  integrationLatency?: number;
}

export function openExchange(
  request: IncomingMessage,
  response: ServerResponse,
  { time, expectsContinue }: { readonly time: number; readonly expectsContinue: boolean },
): Exchange {
  const fields = readFields(request.rawHeaders);
  const seed = randomUUID().replaceAll('-', '');
  return {
    request,
    response,
    fields,
    time,
    expectsContinue,
    responseLength: 0,
    requestId: randomUUID(),
    extendedRequestId: Buffer.from(seed.slice(0, 22), 'hex').toString('base64'),
    traceId: traceId(headerValue(fields, 'x-amzn-trace-id'), seed, time),
    method: headerValue(fields, 'x-http-method-override') || request.method || '',
    sourceIp: (request.socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
  };
}

/** RFC 9110, 5.6.2. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * Checks what Node's parser does not: the version, the number of Host headers (RFC 9112, 3.2), and
 * an overridden method.
 */
export function isWellFormed({ request, fields, method }: Exchange): boolean {
  const { httpVersion } = request;
  const hosts = fields.get('host')?.values.length ?? 0;
  return (httpVersion === '1.1' || httpVersion === '1.0') && hosts < 2 && TOKEN.test(method);
}

const ROOT = /(?:^|;)\s*(Root=1-[0-9a-f]{8}-[0-9a-f]{24})(?:;|$)/;

/**
 * Returns the `Root` of the trace that the client sent, else a new one of the time and the seed (at
 * least 24 hexadecimal digits).
 */
export function traceId(sent: string | undefined, seed: string, time: number): string {
  const root = sent && ROOT.exec(sent)?.[1];
  if (root) return root;
  const seconds = Math.floor(time / 1000)
    .toString(16)
    .padStart(8, '0');
  return `Root=1-${seconds}-${seed.slice(0, 24)}`;
}

/** True for HEAD, also by override, and for the two statuses without a body. */
export function isBodiless(exchange: Exchange, status: number): boolean {
  return (
    status === 204 ||
    status === 304 ||
    exchange.request.method === 'HEAD' ||
    exchange.method === 'HEAD'
  );
}

/** The headers that every response carries. */
export function gatewayHeaders(exchange: Exchange): string[] {
  return [
    'x-amzn-RequestId',
    exchange.requestId,
    'x-amz-apigw-id',
    exchange.extendedRequestId,
    'X-Amzn-Trace-Id',
    exchange.traceId,
  ];
}

/**
 * Sends a complete response. Content-Length is that of the body; in the response to HEAD it is the
 * function's.
 */
export function sendComplete(exchange: Exchange, head: ResponseHead, body: Buffer): void {
  const bodiless = isBodiless(exchange, head.status);
  const announced = exchange.request.method === 'HEAD' ? head.contentLength : undefined;
  const length = announced ?? (bodiless && exchange.request.method !== 'HEAD' ? 0 : body.length);
  writeHead(exchange, head, head.status === 204 || head.status === 304 ? undefined : length);
  if (!bodiless) exchange.responseLength = body.length;
  exchange.response.end(bodiless ? undefined : body);
}

/** Responds in plain text, which gateway responses do not change. */
export function sendPlain(exchange: Exchange, status: number, text: string): undefined {
  const headers = ['Content-Type', 'text/plain; charset=utf-8'];
  sendComplete(exchange, { status, headers }, Buffer.from(text));
}

/**
 * Responds and closes the connection, but reads and discards the rest of the body for up to
 * `lingerMs`: closing with unread data resets the connection, and the client may lose the response.
 */
export function sendPlainAndClose(
  exchange: Exchange,
  { status, text, lingerMs }: { status: number; text: string; lingerMs: number },
): undefined {
  const body = Buffer.from(text);
  const headers = ['Content-Type', 'text/plain; charset=utf-8', 'Connection', 'close'];
  writeHead(exchange, { status, headers }, body.length);
  exchange.responseLength = body.length;
  exchange.response.write(body);
  endAfterBody(exchange, lingerMs);
}

/** Ends a response whose body is written, once the request's body was read or `lingerMs` passed. */
export function endAfterBody(exchange: Exchange, lingerMs: number): void {
  const { request, response } = exchange;
  if (exchange.expectsContinue || request.complete) {
    response.end();
    return;
  }
  const done = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(done, lingerMs);
  request
    .on('error', () => {})
    .once('end', done)
    .once('close', done)
    .resume();
}

export function writeHead(
  exchange: Exchange,
  head: ResponseHead,
  contentLength: number | undefined,
): void {
  const headers = [...head.headers, ...gatewayHeaders(exchange)];
  if (contentLength !== undefined) headers.push('Content-Length', String(contentLength));
  exchange.response.writeHead(head.status, exchange.editHeaders?.(headers, head.status) ?? headers);
}
