/** The listening socket of the server: HTTP or HTTPS, with bounds for slow and many clients. */
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface TlsFiles {
  /** The certificate with its chain, PEM. */
  readonly cert: string;
  /** Its private key, PEM. */
  readonly key: string;
}

export interface ListenOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly tls?: TlsFiles;
  /** Further connections are closed at once. @default 10000 */
  readonly maxConnections?: number;
}

/** Bytes of the headers of a request. */
const MAX_HEADERS = 64 * 1024;

/** Time for a client to send a request, milliseconds: signed URLs end by then. */
const UPLOAD_MS = 86_400_000;

/** A connection without a byte in either direction ends, milliseconds. */
const SILENCE_MS = 120_000;

/** How often files of TLS are looked at, milliseconds: a renewed certificate is used from then. */
const LOOK_MS = 60_000;

/** Listens. Throws when the port is taken, or a file of TLS cannot be used. */
export async function listen(options: ListenOptions): Promise<Server> {
  const { host, port, tls, maxConnections = 10_000 } = options;
  const bounds = { maxHeaderSize: MAX_HEADERS, requestTimeout: UPLOAD_MS };
  const server = tls ? secured(tls, bounds) : createServer(bounds);
  server.maxConnections = maxConnections;
  server.setTimeout(SILENCE_MS);
  await listening(server, host, port);
  return server;
}

/** Waits until the server listens. Throws when the port is taken. */
export async function listening(server: Server, host: string, port: number): Promise<void> {
  const started = once(server, 'listening');
  server.listen(port, host);
  await started;
}

/** Returns `http://127.0.0.1:7070` for a server that listens. */
export function addressOf(
  server: Server,
  { host, tls }: Pick<ListenOptions, 'host' | 'tls'>,
): string {
  const { port } = server.address() as AddressInfo;
  // A client cannot connect to "every address".
  const reached = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  const name = reached.includes(':') ? `[${reached}]` : reached;
  return `${tls ? 'https' : 'http'}://${name}:${port}`;
}

function secured(tls: TlsFiles, bounds: object): TlsServer {
  let since = changedAt(tls);
  const server = createTlsServer({ ...bounds, ...read(tls), minVersion: 'TLSv1.2' });
  const timer = setInterval(() => {
    try {
      const at = changedAt(tls);
      if (at === since) return;
      server.setSecureContext(read(tls));
      since = at;
    } catch {
      // Only one of the files is renewed yet: the next look takes both.
    }
  }, LOOK_MS).unref();
  server.once('close', () => clearInterval(timer));
  return server;
}

function read({ cert, key }: TlsFiles) {
  return { cert: readFileSync(cert), key: readFileSync(key) };
}

function changedAt({ cert, key }: TlsFiles): string {
  return [cert, key]
    .map((file) => statSync(file))
    .map((s) => `${s.mtimeMs}-${s.ino}`)
    .join();
}
