/** HTTP over a bare socket, because fetch and undici normalise requests and responses. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterTest } from '../support/clean-up';

export interface RawResponse {
  readonly status: number;
  /** Names, in the case in which they were sent, and values. */
  readonly headers: readonly (readonly [string, string])[];
  /** Returns the values of a header; the name has any case. */
  all(name: string): readonly string[];
  /** The only value of a header; undefined when it is absent. */
  header(name: string): string | undefined;
  /** Without the framing of chunks. */
  readonly body: Buffer;
  readonly text: string;
  /** False when the connection ended before the end of the body. */
  readonly complete: boolean;
  /** Bytes after this response. */
  readonly rest: Buffer;
}

/** Opens a connection, which is closed after the test. */
export async function dial(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  afterTest(() => socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Sends the bytes on a new connection, and reads until the server closes it. */
export async function exchange(port: number, ...bytes: (string | Buffer)[]): Promise<RawResponse> {
  const socket = await dial(port);
  for (const part of bytes) socket.write(part);
  return parseResponse(await untilClosed(socket), bytes[0]?.toString().startsWith('HEAD') ?? false);
}

/** Sends a request with `Connection: close` and the header lines `lines`. */
export function send(
  port: number,
  requestLine: string,
  lines: readonly string[] = [],
  body: string | Buffer = '',
): Promise<RawResponse> {
  const framing = body.length > 0 ? [`Content-Length: ${Buffer.byteLength(body)}`] : [];
  const head = [`${requestLine} HTTP/1.1`, 'Host: x', 'Connection: close', ...framing, ...lines];
  return exchange(port, `${head.join('\r\n')}\r\n\r\n`, body);
}

export async function untilClosed(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  if (!socket.closed) await once(socket, 'close');
  return Buffer.concat(chunks);
}

/** Reads until the text has arrived. Rejects when the connection ends first. */
export async function untilText(socket: Socket, text: string): Promise<string> {
  let seen = '';
  const chunks = socket.iterator({ destroyOnReturn: false });
  for await (const chunk of chunks) {
    seen += (chunk as Buffer).toString('latin1');
    if (seen.includes(text)) return seen;
  }
  throw new Error(`connection ended after ${JSON.stringify(seen)}`);
}

export function parseResponse(bytes: Buffer, head = false): RawResponse {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) throw new Error(`no response in ${JSON.stringify(bytes.toString('latin1'))}`);
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
  });
  const all = (name: string) =>
    headers.filter(([key]) => key.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
  const status = Number(statusLine.split(' ')[1]);
  const payload = bytes.subarray(end + 4);
  const bodiless = head || status === 204 || status === 304;
  const { body, complete, rest } = bodiless
    ? { body: Buffer.alloc(0), complete: true, rest: payload }
    : readBody(payload, all('content-length')[0], all('transfer-encoding')[0]);
  return {
    status,
    headers,
    all,
    header: (name) => {
      if (all(name).length > 1) throw new Error(`${name} is there more than once`);
      return all(name)[0];
    },
    body,
    text: body.toString('utf8'),
    complete,
    rest,
  };
}

function readBody(payload: Buffer, length: string | undefined, encoding: string | undefined) {
  if (length !== undefined) {
    const size = Number(length);
    const body = payload.subarray(0, size);
    return { body, complete: body.length === size, rest: payload.subarray(size) };
  }
  if (encoding !== 'chunked') return { body: payload, complete: true, rest: Buffer.alloc(0) };
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = payload.indexOf('\r\n', at);
    if (lineEnd < 0) return { body: Buffer.concat(chunks), complete: false, rest: Buffer.alloc(0) };
    const size = Number.parseInt(payload.toString('latin1', at, lineEnd), 16);
    const chunk = payload.subarray(lineEnd + 2, lineEnd + 2 + size);
    chunks.push(chunk);
    at = lineEnd + 2 + size + 2;
    const complete = size === 0 && at <= payload.length;
    if (complete || chunk.length < size || size === 0) {
      return { body: Buffer.concat(chunks), complete, rest: payload.subarray(at) };
    }
  }
}
