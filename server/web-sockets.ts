/** The WebSocket connections of the channel: https://www.rfc-editor.org/rfc/rfc6455 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Channels, PostOutcome } from '../core/channel/ports';
import type { Log } from '../core/system';
import type { ChannelApp } from '../service/channel/channel-app';
import { singleQuery } from '../service/http/query';
import type { HttpResponse } from '../service/http/response';
import { BASE_PATH } from '../service/routes/routes';
import { queryOf } from './incoming';

export const CHANNEL_PATH = `${BASE_PATH}/sync`;

/** Bytes of a message of a client, as in API Gateway. */
const MAX_MESSAGE = 128 * 1024;

/** A client that has not read this much gets nothing more until it does. */
const MAX_UNREAD = 1024 * 1024;

/** A connection without a message in either direction ends, as in API Gateway. Milliseconds. */
const IDLE_MS = 10 * 60_000;

/** Time for the client to answer the end of the connection, milliseconds. */
const CLOSE_MS = 2_000;

/** A connection that is being opened keeps what is posted to it. */
type Connection = WebSocket | string[];

/** The Channels port on the connections of this process. */
export class WebSocketChannels implements Channels {
  private readonly connections = new Map<string, Connection>();
  private readonly server = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE });

  /** The number of open connections. */
  get count(): number {
    return this.connections.size;
  }

  async post(connectionId: string, message: string): Promise<PostOutcome> {
    const connection = this.connections.get(connectionId);
    if (connection === undefined) return 'gone';
    if (Array.isArray(connection)) {
      connection.push(message);
      return 'sent';
    }
    if (connection.readyState !== connection.OPEN) return 'gone';
    if (connection.bufferedAmount > MAX_UNREAD) return 'busy';
    connection.send(message);
    return 'sent';
  }

  async isOpen(connectionId: string): Promise<boolean> {
    return this.connections.has(connectionId);
  }

  async disconnect(connectionId: string): Promise<void> {
    const connection = this.connections.get(connectionId);
    this.connections.delete(connectionId);
    if (connection !== undefined && !Array.isArray(connection)) end(connection, 1000);
  }

  /** Opens the channels of an HTTP server. `mayOpen`: whether pages of this origin may. */
  attach(
    http: Server,
    app: ChannelApp,
    deps: { readonly log: Log; readonly mayOpen: (origin: string | undefined) => boolean },
  ): void {
    http.on('upgrade', (request, socket, head) => {
      if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
        return passOn(http, request, { socket, head });
      }
      socket.on('error', () => socket.destroy());
      this.open(request, { socket, head }, app, deps.mayOpen).catch((error: unknown) => {
        deps.log.error('handshake_failed', { error });
        socket.destroy();
      });
    });
  }

  /** Ends every connection. */
  close(): void {
    for (const connection of this.connections.values()) {
      if (!Array.isArray(connection)) end(connection, 1001);
    }
    this.connections.clear();
  }

  private async open(
    request: IncomingMessage,
    { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
    app: ChannelApp,
    mayOpen: (origin: string | undefined) => boolean,
  ): Promise<void> {
    const target = request.url ?? '/';
    if (!URL.canParse(target, 'http://service')) {
      return refuse(socket, { status: 400, headers: {} });
    }
    const { pathname, searchParams } = new URL(target, 'http://service');
    const { authorization, origin } = request.headers;
    if (pathname !== CHANNEL_PATH) return refuse(socket, { status: 404, headers: {} });
    const id = randomUUID();
    const waiting: string[] = [];
    this.connections.set(id, waiting);
    const refused = mayOpen(origin)
      ? await app.connect({
          ...{ connectionId: id, requestId: id, authorization },
          query: singleQuery(queryOf(searchParams)),
        })
      : { status: 403, headers: {} };
    if (refused || socket.destroyed) {
      this.connections.delete(id);
      if (!refused) await app.disconnect(id);
      return refuse(socket, refused ?? { status: 400, headers: {} });
    }
    // The library refuses a malformed handshake, and then opens no connection.
    socket.once('close', () => {
      if (this.connections.get(id) !== waiting) return;
      this.connections.delete(id);
      app.disconnect(id).catch(() => undefined);
    });
    this.server.handleUpgrade(request, socket, head, (opened) => {
      this.connections.set(id, opened);
      for (const message of waiting) opened.send(message);
      this.serve(id, opened, app);
    });
  }

  private serve(connectionId: string, opened: WebSocket, app: ChannelApp): void {
    const idle = setTimeout(() => end(opened, 1001), IDLE_MS);
    // Messages of one connection are handled in their order.
    let handled: Promise<unknown> = Promise.resolve();
    opened.on('message', (data, isBinary) => {
      if (isBinary) return end(opened, 1003);
      idle.refresh();
      const message = { connectionId, requestId: randomUUID(), body: String(data) };
      handled = handled.then(() => app.receive(message)).catch(() => end(opened, 1011));
    });
    opened.on('error', () => opened.terminate());
    opened.on('close', () => {
      clearTimeout(idle);
      this.connections.delete(connectionId);
      handled.then(() => app.disconnect(connectionId)).catch(() => undefined);
    });
  }
}

/**
 * Gives a request that offers another protocol, such as HTTP/2 in plain text, back to the server
 * without its offer, which a server may ignore (RFC 9110 §7.8).
 */
function passOn(
  http: Server,
  { method, url, rawHeaders }: IncomingMessage,
  { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
): void {
  const lines = [`${method} ${url} HTTP/1.1`];
  for (let n = 0; n + 1 < rawHeaders.length; n += 2) {
    const [name = '', value = ''] = rawHeaders.slice(n, n + 2);
    if (!/^(upgrade|connection|http2-settings)$/i.test(name)) lines.push(`${name}: ${value}`);
  }
  const text = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  socket.unshift(Buffer.concat([text, head]));
  http.emit('encrypted' in socket ? 'secureConnection' : 'connection', socket);
}

function end(connection: WebSocket, code: number): void {
  connection.close(code);
  setTimeout(() => connection.terminate(), CLOSE_MS).unref();
}

function refuse(socket: Duplex, { status, headers, body }: HttpResponse): void {
  const text = typeof body === 'string' ? body : '';
  const lines = Object.entries({
    ...headers,
    'Content-Length': String(Buffer.byteLength(text)),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  setTimeout(() => socket.destroy(), CLOSE_MS).unref();
  socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join('')}\r\n${text}`);
}
