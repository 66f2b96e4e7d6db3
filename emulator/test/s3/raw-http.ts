/** Requests that no client library sends. They are signed here and written to a socket. */
import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Credentials } from '../../src/iam/iam';
import { NodeSha256 } from '../support/node-sha256';
import { until } from '../support/until';
import { REGION, type TestServer } from './server';

export const EMPTY_SHA256 = createHash('sha256').digest('hex');

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The code of an XML error. */
  readonly code?: string;
}

export interface RawRequest {
  readonly method: string;
  /** The path in the request line. */
  readonly path: string;
  /** The path that is signed; `path` by default. */
  readonly canonicalPath?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns the headers with a signature. `date` is the time of signing. */
export async function signHeaders(
  server: TestServer,
  request: RawRequest,
  {
    credentials = server.iam.root,
    date = new Date(),
    region = REGION,
  }: { readonly credentials?: Credentials; readonly date?: Date; readonly region?: string } = {},
): Promise<Record<string, string>> {
  const signer = new SignatureV4({
    credentials,
    region,
    service: 's3',
    sha256: NodeSha256,
    uriEscapePath: false,
    applyChecksum: false,
  });
  const signed = await signer.sign(
    {
      method: request.method,
      protocol: 'http:',
      hostname: '127.0.0.1',
      path: request.canonicalPath ?? request.path,
      query: { ...request.query },
      headers: {
        host: new URL(server.endpoint).host,
        'x-amz-content-sha256': EMPTY_SHA256,
        ...request.headers,
      },
    },
    { signingDate: date },
  );
  return signed.headers;
}

/** Returns the request line and the headers as text. */
export function head(request: RawRequest, headers: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams({ ...request.query }).toString().replaceAll('+', '%20');
  const target = query === '' ? request.path : `${request.path}?${query}`;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${request.method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** A connection that collects what the server sends. */
export class RawConnection {
  readonly socket: Socket;
  received = '';
  closed = false;

  constructor(server: TestServer) {
    const { port } = new URL(server.endpoint);
    this.socket = connect(Number(port), '127.0.0.1');
    this.socket.setEncoding('latin1');
    this.socket.on('data', (text: string) => {
      this.received += text;
    });
    this.socket.on('close', () => {
      this.closed = true;
    });
    // The server may close a connection with a reset after the response.
    this.socket.on('error', () => {});
  }

  write(data: string | Buffer): void {
    this.socket.write(data);
  }

  /** Waits for the first complete response that is not 100 (Continue). */
  response(): Promise<RawResponse> {
    return until(() => {
      const response = parseResponse(this.received.replace(/^HTTP\/1.1 100 Continue\r\n\r\n/, ''));
      if (response === undefined && this.closed) throw new Error(`no response: ${this.received}`);
      return response;
    }, 10_000);
  }
}

function parseResponse(text: string): RawResponse | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [line = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers: Record<string, string> = {};
  for (const header of lines) {
    const colon = header.indexOf(':');
    headers[header.slice(0, colon).toLowerCase()] = header.slice(colon + 1).trim();
  }
  const body = text.slice(end + 4);
  if (body.length < Number(headers['content-length'] ?? 0)) return undefined;
  const code = /<Code>(\w+)<\/Code>/.exec(body)?.[1];
  return { status: Number(line.split(' ')[1]), headers, body, code };
}

/** Signs and sends a request, and returns the response. */
export async function send(
  server: TestServer,
  request: RawRequest,
  body: string | Buffer = '',
): Promise<RawResponse> {
  const { 'x-amz-content-sha256': declared, ...headers } = request.headers ?? {};
  const hash = declared ?? createHash('sha256').update(body).digest('hex');
  const whole = { ...request, headers: { ...headers, 'x-amz-content-sha256': hash } };
  return exchange(server, whole, await signHeaders(server, whole), body);
}

/**
 * Sends a request with exactly these headers, and Content-Length if no header gives the length of
 * the body.
 */
export async function exchange(
  server: TestServer,
  request: RawRequest,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer = '',
): Promise<RawResponse> {
  const connection = new RawConnection(server);
  const names = Object.keys(headers);
  const length: Record<string, string> =
    names.includes('content-length') || names.includes('transfer-encoding')
      ? {}
      : { 'content-length': String(Buffer.byteLength(body)) };
  connection.write(head(request, { ...headers, ...length }));
  if (body.length > 0) connection.write(body);
  try {
    return await connection.response();
  } finally {
    connection.socket.destroy();
  }
}
