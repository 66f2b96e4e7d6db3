/**
 * Handles WebSocket handshakes: $connect accepts or refuses each. No message passes before.
 */
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Invoker } from '../lambda/invoker';
import { type Fields, headerBytes, headerValue, readFields } from '../rest-api/request/headers';
import { parseTarget, type Target } from '../rest-api/request/target';
import { traceId } from '../rest-api/response/exchange';
import { connectEvent, handshakeHeaders, newId, type Peer } from './event';
import { asFailure, integrate } from './integration';
import { QUOTAS } from './limits';
import type { WebSocketModel } from './model';

export interface HandshakeOptions {
  readonly model: WebSocketModel;
  readonly invoker: Invoker;
  /** Path at which handshakes are accepted. */
  readonly path: string;
  readonly onOpen: (socket: WebSocket, wire: Socket, peer: Peer) => void;
  /** $connect accepted a client that has gone in the meantime. */
  readonly onMissed: (peer: Peer) => void;
  readonly log: (requestId: string, text: string) => void;
}

interface Handshake {
  readonly peer: Peer;
  readonly requestId: string;
  readonly fields: Fields;
  readonly target: Target;
  readonly wire: Socket;
  /** The subprotocol that the function chose. */
  protocol?: string;
  open: boolean;
}

export class Handshakes {
  private readonly inProgress = new Map<IncomingMessage, Handshake>();
  private readonly server: WebSocketServer;
  private closed = false;

  constructor(private readonly options: HandshakeOptions) {
    this.server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: QUOTAS.messageBytes,
      // Called for a valid handshake. `connect` writes refusals itself.
      verifyClient: ({ req }, accept) => void this.connect(req, () => accept(true)),
      // The function chooses the subprotocol; `ws` would choose the first one offered.
      handleProtocols: () => false,
    });
    this.server.on('headers', (headers, request) => {
      const protocol = this.inProgress.get(request)?.protocol;
      if (protocol !== undefined) headers.push(`Sec-WebSocket-Protocol: ${protocol}`);
    });
  }

  /** Takes the connection over from the HTTP server. */
  upgrade(request: IncomingMessage, wire: Socket, head: Buffer): void {
    wire.on('error', () => wire.destroy());
    if (this.closed) return void wire.destroy();
    const handshake = this.admit(request, wire);
    if (handshake === undefined) return;
    this.inProgress.set(request, handshake);
    wire.once('close', () => this.inProgress.delete(request));
    this.server.handleUpgrade(request, wire, head, (socket) => {
      handshake.open = true;
      this.inProgress.delete(request);
      this.options.onOpen(socket, wire, handshake.peer);
    });
  }

  /** Cuts the handshakes in progress. */
  close(): void {
    this.closed = true;
    for (const { wire } of this.inProgress.values()) wire.destroy();
    this.server.close();
  }

  /** Returns undefined after it has refused the request. */
  private admit(request: IncomingMessage, wire: Socket): Handshake | undefined {
    const { url = '', rawHeaders } = request;
    const [path] = url.split('?', 1);
    if (path !== this.options.path) return refuse(wire, 403, forbidden());
    if (url.length > QUOTAS.urlLength) return refuse(wire, 414, plain('Request-URI Too Long'));
    if (headerBytes(rawHeaders) > QUOTAS.headerBytes) {
      const text = `HTTP header is larger than ${QUOTAS.headerBytes} bytes.`;
      return refuse(wire, 431, plain(text));
    }
    const target = parseTarget(url, this.options.model.stage);
    const fields = readFields(rawHeaders);
    if (target === undefined || (fields.get('host')?.values.length ?? 0) > 1) {
      return refuse(wire, 400, plain('Bad Request'));
    }
    const userAgent = headerValue(fields, 'user-agent');
    const sourceIp = (wire.remoteAddress ?? '').replace(/^::ffff:/, '');
    const identity = { ...(userAgent !== undefined && { userAgent }), sourceIp };
    const peer = { connectionId: newId(), connectedAt: Date.now(), identity };
    return { peer, requestId: newId(), fields, target, wire, open: false };
  }

  private async connect(request: IncomingMessage, accept: () => void): Promise<void> {
    const handshake = this.inProgress.get(request);
    if (handshake === undefined) return;
    const { peer, wire } = handshake;
    try {
      const refusal = await this.invokeConnect(handshake);
      if (refusal !== undefined) return refuse(wire, refusal.status, refusal);
    } catch (error) {
      const failure = asFailure(error);
      const { requestId } = handshake;
      this.options.log(requestId, failure.message);
      const { connectionId } = peer;
      const body = JSON.stringify({ message: 'Internal server error', connectionId, requestId });
      return refuse(wire, failure.status, { contentType: 'application/json', body });
    }
    accept();
    if (!handshake.open) this.options.onMissed(peer);
  }

  /** Invokes $connect. Returns undefined when it accepts the client. */
  private async invokeConnect(
    handshake: Handshake,
  ): Promise<(Refusal & { status: number }) | undefined> {
    const { model, invoker } = this.options;
    const route = model.routes.get('$connect');
    if (route === undefined) return undefined;
    const { peer, requestId, fields, target } = handshake;
    const seed = randomUUID().replaceAll('-', '');
    const time = peer.connectedAt;
    const trace = traceId(headerValue(fields, 'x-amzn-trace-id'), seed, time);
    const headers = handshakeHeaders(model, fields, peer.identity.sourceIp, trace);
    const event = connectEvent({ model, peer, requestId, time }, headers, target.query);
    const { status, headers: returned, body } = await integrate(invoker, model, route, event);
    if (status >= 200 && status <= 299) {
      handshake.protocol = headerOf(returned, 'sec-websocket-protocol');
      return undefined;
    }
    const contentType = headerOf(returned, 'content-type') ?? 'application/json';
    return { status, contentType, body: body.toString() };
  }
}

/** `headers`: name, value, name, value … */
function headerOf(headers: readonly string[], lowerCaseName: string): string | undefined {
  const at = headers.findIndex((text, i) => i % 2 === 0 && text.toLowerCase() === lowerCaseName);
  return at < 0 ? undefined : headers[at + 1];
}

export interface Refusal {
  readonly contentType: string;
  readonly body: string;
}

function plain(body: string): Refusal {
  return { contentType: 'text/plain; charset=utf-8', body };
}

export function forbidden(): Refusal {
  return { contentType: 'application/json', body: '{"message":"Forbidden"}' };
}

/** Writes a response to the connection, which the HTTP server has handed over. */
export function refuse(wire: Duplex, status: number, { contentType, body }: Refusal): undefined {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `x-amzn-RequestId: ${randomUUID()}`,
    'Connection: close',
  ];
  wire.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => wire.destroy());
}
