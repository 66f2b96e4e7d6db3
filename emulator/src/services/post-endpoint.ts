/** The HTTP server of the services whose calls are signed POST requests. */

import { createServer, type IncomingMessage } from 'node:http';
import type { SignedRequest } from '../iam/signature';
import { close, listen, readBody } from './server';
import type { Listening } from './service';

/** Milliseconds that a stop waits for the requests in progress. */
const GRACE_MS = 5_000;

export interface PostReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface PostEndpointOptions {
  /** 0: any free port. */
  readonly port: number;
  /** The name in messages: `SQS`. */
  readonly service: string;
  readonly maxBodyBytes: number;
  /** The paths of calls. @default `/` */
  readonly paths?: RegExp;
  /**
   * `endpoint` is the address of the service. Resolves with undefined to cut the connection without
   * a response. Never rejects.
   */
  readonly handle: (request: SignedRequest, endpoint: string) => Promise<PostReply | undefined>;
  /** Builds the response to a request that is not a call of the service. */
  readonly refuse: (status: 404 | 413, message: string) => PostReply;
}

/** Listens on 127.0.0.1. Throws UserError when the port is taken. */
export async function startPostEndpoint(options: PostEndpointOptions): Promise<Listening> {
  let endpoint = '';
  const server = createServer(async (request, response) => {
    const reply = await respond(request, endpoint, options);
    // While the service stops, clients must not send another request on this connection.
    if (!server.listening) response.shouldKeepAlive = false;
    if (reply === undefined) {
      response.destroy();
      return;
    }
    response.writeHead(reply.status, { ...reply.headers, 'content-length': reply.body.length });
    response.end(reply.body);
  });
  // Longer than the idle time of clients, because closing first would race with their requests.
  server.keepAliveTimeout = 600_000;
  endpoint = await listen(server, options.port, options.service);
  let stopping: Promise<void> | undefined;
  return {
    endpoint,
    stop: () => {
      stopping ??= close(server, GRACE_MS);
      return stopping;
    },
  };
}

/** Resolves with undefined to cut the connection, or after the client has cut it. */
async function respond(
  request: IncomingMessage,
  endpoint: string,
  { service, maxBodyBytes, paths = /^\/$/, handle, refuse }: PostEndpointOptions,
): Promise<PostReply | undefined> {
  const { method, url = '', headers } = request;
  const [path = '', search = ''] = url.split('?', 2);
  if (method !== 'POST' || !paths.test(path)) {
    return refuse(404, `${service} has no call ${method} ${path}`);
  }
  const query = search === '' ? {} : Object.fromEntries(new URLSearchParams(search));
  const body = await readBody(request, maxBodyBytes);
  if (body === 'too large') return refuse(413, `more than ${maxBodyBytes} bytes`);
  if (body === 'aborted') return undefined;
  return handle({ method, path, query, headers, body }, endpoint);
}
