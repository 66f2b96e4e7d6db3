/** The HTTP side of the services whose every call is a signed POST. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { SignedRequest } from '../iam/signature';
import { UserError } from '../user-error';
import type { Listening } from './service';

export interface PostReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface PostEndpointOptions {
  /** 0: any that is free. */
  readonly port: number;
  /** As messages name it: `SQS`. */
  readonly service: string;
  readonly maxBodyBytes: number;
  /** Which paths are calls of the service. @default `/` alone */
  readonly paths?: RegExp;
  /**
   * `endpoint` is the own address. undefined: the connection is to be cut without an answer. Never
   * rejects.
   */
  readonly handle: (request: SignedRequest, endpoint: string) => Promise<PostReply | undefined>;
  /** The service's way to say what is no request to it. */
  readonly refuse: (status: 404 | 413, message: string) => PostReply;
}

/** Listens on 127.0.0.1. Throws UserError when the port is taken. */
export async function startPostEndpoint(options: PostEndpointOptions): Promise<Listening> {
  let endpoint = '';
  const server = createServer(async (request, response) => {
    const reply = await answer(request, endpoint, options);
    // While the service stops, no client is to send one more request on this connection.
    if (!server.listening) response.shouldKeepAlive = false;
    if (reply === undefined) {
      response.destroy();
      return;
    }
    response.writeHead(reply.status, { ...reply.headers, 'content-length': reply.body.length });
    response.end(reply.body);
  });
  // Longer than any client keeps an idle connection: closing first would race with its next
  // request.
  server.keepAliveTimeout = 600_000;
  endpoint = `http://127.0.0.1:${await listen(server, options)}`;
  let stopping: Promise<void> | undefined;
  return {
    endpoint,
    stop: () => {
      stopping ??= close(server);
      return stopping;
    },
  };
}

/** undefined: the connection is to be cut, or the client has cut it before it had said all. */
async function answer(
  request: IncomingMessage,
  endpoint: string,
  { service, maxBodyBytes, paths = /^\/$/, handle, refuse }: PostEndpointOptions,
): Promise<PostReply | undefined> {
  const { method, url = '', headers } = request;
  const [path = '', search = ''] = url.split('?', 2);
  if (method !== 'POST' || !paths.test(path)) {
    return refuse(404, `${service} has no call ${method} ${path}`);
  }
  const query = Object.fromEntries(new URLSearchParams(search));
  const body = await readBody(request, maxBodyBytes);
  if (body === 'too large') return refuse(413, `more than ${maxBodyBytes} bytes`);
  if (body === 'aborted') return undefined;
  return handle({ method, path, query, headers, body }, endpoint);
}

function readBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<Buffer | 'too large' | 'aborted'> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      // The rest is read and dropped, so that the client gets to see the answer.
      if (bytes <= maxBytes) chunks.push(chunk);
    });
    request.on('end', () => resolve(bytes > maxBytes ? 'too large' : Buffer.concat(chunks)));
    request.on('error', () => resolve('aborted'));
  });
}

function listen(server: Server, { port, service }: PostEndpointOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE' ? new UserError(`port ${port} for ${service} is taken`) : error,
      ),
    );
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

/** Requests in progress are answered first, but nobody is waited for who never ends his. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const impatience = setTimeout(() => server.closeAllConnections(), 5000);
    server.close(() => {
      clearTimeout(impatience);
      resolve();
    });
    server.closeIdleConnections();
  });
}
