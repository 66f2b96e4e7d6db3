/** Start, stop and bodies of the HTTP servers of the services. */
import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listenError } from '../errors/listen-error';

/**
 * Listens on a port of 127.0.0.1, or on any free port for 0. Returns `http://127.0.0.1:PORT`.
 * `service` is the name in the message of the UserError that it throws when the port is taken.
 */
export async function listen(server: Server, port: number, service: string): Promise<string> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((error: unknown) => {
    throw listenError(error, port, service);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Closes the server, and cuts the connections that are still open after `graceMs`. Idempotent. */
export async function close(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  const force = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(force);
}

/** Reads the body of a request. Reads and discards the rest of one that is too large. */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<Buffer | 'too large' | 'aborted'> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      // The rest is read and discarded, so that the client sees the response.
      if (bytes <= maxBytes) chunks.push(chunk);
    });
    request.on('end', () => resolve(bytes > maxBytes ? 'too large' : Buffer.concat(chunks)));
    request.on('error', () => resolve('aborted'));
  });
}
