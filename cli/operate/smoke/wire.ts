/** Requests as they are on the wire: paths byte for byte, no redirects followed. */
import * as http from 'node:http';
import * as https from 'node:https';

export interface Outgoing {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface Reply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Time after which an incomplete response counts as hanging. */
const TIMEOUT_SECONDS = 30;

const AGENTS = {
  'http:': new http.Agent({ keepAlive: true }),
  'https:': new https.Agent({ keepAlive: true }),
};

/**
 * A longer body is sent on its own connection. A server that refuses the body before it has read it
 * closes the connection (RFC 9112, section 9.6), which would break the next request.
 */
const KEPT_BYTES = 1024 ** 2;

/** Attempts to send a long body when the response is lost with the connection. */
const LONG_ATTEMPTS = 4;

/** Ends the idle connections, so that the process can end. */
export function closeConnections(): void {
  for (const agent of Object.values(AGENTS)) agent.destroy();
}

/**
 * Sends a request and reads its whole response. Throws an Error that explains a missing response.
 * Repeats a request with a long body when the connection is closed, because the response may be
 * lost with it.
 */
export async function send(method: string, url: string, outgoing: Outgoing = {}): Promise<Reply> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await sendOnce(method, url, outgoing);
    } catch (error) {
      if (!isLong(outgoing) || attempt === LONG_ATTEMPTS || !isCut(error)) throw error;
    }
  }
}

function isLong({ body }: Outgoing): boolean {
  return body !== undefined && Buffer.byteLength(body) > KEPT_BYTES;
}

function isCut(error: unknown): boolean {
  const cause = (error as { readonly cause?: NodeJS.ErrnoException }).cause;
  return cause?.code === 'EPIPE' || cause?.code === 'ECONNRESET';
}

function sendOnce(method: string, url: string, outgoing: Outgoing): Promise<Reply> {
  const { headers, body } = outgoing;
  const options = {
    ...target(url),
    ...(isLong(outgoing) && { agent: false }),
    method,
    headers: { ...(body !== undefined && { 'content-length': lengthOf(body) }), ...headers },
  };
  return new Promise<Reply>((resolve, reject) => {
    const request = clientOf(url).request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', (error) => fail(`the response was cut: ${error.message}`));
      response.on('end', () => {
        clearTimeout(timer);
        const { statusCode: status = 0, headers: received } = response;
        resolve({ status, headers: received, body: Buffer.concat(chunks) });
      });
    });
    const fail = (message: string, cause?: Error) => {
      clearTimeout(timer);
      request.destroy();
      reject(new Error(`${method} ${shownPath(url)}: ${message}`, { cause }));
    };
    const timer = setTimeout(
      () => fail(`no complete response within ${TIMEOUT_SECONDS} s`),
      TIMEOUT_SECONDS * 1000,
    );
    request.on('error', (error) => fail(`no response: ${error.message}`, error));
    request.end(body);
  });
}

/** Attempts a WebSocket handshake. Returns 101, or the status and body of the refusal. */
export function shakeHands(url: string): Promise<Pick<Reply, 'status' | 'body'>> {
  const httpUrl = url.replace(/^ws/, 'http');
  return new Promise((resolve, reject) => {
    const request = clientOf(httpUrl).request({
      ...target(httpUrl),
      agent: false,
      timeout: TIMEOUT_SECONDS * 1000,
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      },
    });
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      resolve({ status: 101, body: Buffer.alloc(0) });
    });
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }),
      );
    });
    request.on('timeout', () => request.destroy(new Error('no answer')));
    request.on('error', (error) => reject(new Error(`the handshake failed: ${error.message}`)));
    request.end();
  });
}

/** Keeps the path as it is written: the URL class would normalize it. */
function target(url: string): http.RequestOptions {
  const { protocol, hostname, port } = new URL(url);
  const agent = protocol === 'https:' ? AGENTS['https:'] : AGENTS['http:'];
  return { protocol, hostname, port, path: pathOf(url), agent };
}

function pathOf(url: string): string {
  const afterScheme = url.slice(url.indexOf('://') + 3);
  const start = afterScheme.search(/[/?]/);
  return start === -1 ? '/' : afterScheme.slice(start);
}

/** Without the query, which may hold a signature. */
function shownPath(url: string): string {
  return pathOf(url).split('?')[0] ?? '';
}

function clientOf(url: string): typeof http | typeof https {
  return url.startsWith('https:') ? https : http;
}

function lengthOf(body: string | Uint8Array): string {
  return String(Buffer.byteLength(body));
}
