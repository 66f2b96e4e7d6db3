/** One attempt of a request to a service, over kept connections. */
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { AwsError, connectionError } from './aws-error';
import type { Endpoint } from './environment';

export interface WireRequest {
  readonly method: string;
  /** With the query, encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface WireResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly message: IncomingMessage;
}

export interface Timeouts {
  /** Until the connection stands, milliseconds. */
  readonly connection: number;
  /** Until the response begins, milliseconds. */
  readonly request: number;
}

/** The number of sockets is not bounded: callers bound how many calls they make at once. */
const AGENTS = {
  'http:': new http.Agent({ keepAlive: true }),
  'https:': new https.Agent({ keepAlive: true }),
};

/** The response to the request, once it begins. Destroying its message closes the connection. */
export function open(
  endpoint: Endpoint,
  request: WireRequest,
  timeouts: Timeouts,
): Promise<WireResponse> {
  const { protocol, hostname, port } = endpoint;
  const { method, path, headers, body } = request;
  return new Promise((resolve, reject) => {
    const outgoing = (protocol === 'https:' ? https : http).request({
      agent: AGENTS[protocol],
      // An IPv6 address is in brackets only in a URL.
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port,
      method,
      path,
      headers,
    });
    const expire = (what: string, after: number) =>
      afterTime(after, () => outgoing.destroy(timeout(what, after)));
    const stopOverall = expire('no response', timeouts.request);
    let stopConnecting: (() => void) | undefined;
    outgoing.once('socket', (socket) => {
      if (!socket.connecting) return;
      stopConnecting = expire('no connection', timeouts.connection);
      socket.once(protocol === 'https:' ? 'secureConnect' : 'connect', stopConnecting);
    });
    const stopTimers = () => {
      stopOverall();
      stopConnecting?.();
    };
    outgoing.once('response', (message) => {
      stopTimers();
      resolve({ status: message.statusCode ?? 0, headers: message.headers, message });
    });
    // Not `once`: a connection that breaks after the response began is reported here, too.
    outgoing.on('error', (error) => {
      stopTimers();
      reject(connectionError(error));
    });
    outgoing.end(body);
  });
}

/** The bytes of a response. Throws for more than `most`, and after `within` milliseconds. */
export function readAll(message: IncomingMessage, most: number, within: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const fail = (error: Error) => {
      stopTimer();
      reject(connectionError(error));
      message.destroy(error);
    };
    const stopTimer = afterTime(within, () => fail(timeout('no end of the response', within)));
    message.on('error', fail);
    message.on('data', (chunk: Buffer) => {
      length += chunk.length;
      chunks.push(chunk);
      if (length > most) fail(new AwsError('ResponseTooLarge'));
    });
    message.once('end', () => {
      stopTimer();
      const [first] = chunks;
      resolve(chunks.length === 1 && first ? first : Buffer.concat(chunks, length));
    });
  });
}

/**
 * Calls `expire` after so many milliseconds, unless the returned function is called before. A
 * process that was frozen or busy runs its timers first: what arrived meanwhile is taken in before
 * `expire` is called.
 */
function afterTime(ms: number, expire: () => void): () => void {
  let immediate: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    immediate = setImmediate(expire);
  }, ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}

function timeout(what: string, after: number): AwsError {
  return new AwsError('TimeoutError', { message: `${what} within ${after} ms`, code: 'ETIMEDOUT' });
}
