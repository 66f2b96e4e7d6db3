/**
 * Serves a WebSocket API (API Gateway v2) of the resolved template. emulator/README.md lists what
 * is emulated.
 */
import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Iam } from '../../iam/iam';
import type { ResolvedStack } from '../../template/model';
import type { Invoker } from '../lambda/invoker';
import type { Listening } from '../service';
import { Connection } from './connection';
import { disconnectEvent, type Ending, messageEvent, newId, type Peer } from './event';
import { ConnectionFaults } from './faults';
import { Handshakes } from './handshake';
import { asFailure, integrate } from './integration';
import { BOUNDS, QUOTAS } from './limits';
import { Management } from './management';
import { domainName, type Route, readWebSocketApi, type WebSocketModel } from './model';
import { createSelection } from './routing';

export interface WebSocketOptions {
  readonly stack: ResolvedStack;
  readonly invoker: Invoker;
  readonly iam: Iam;
  /** Path at which handshakes are accepted. Default: `/{stage}`, as in AWS. */
  readonly path?: string;
  /**
   * Idle time after which a connection is closed. Default 10 minutes, as in AWS.
   */
  readonly idleMilliseconds?: number;
  /** Lifetime of a connection. Default 2 hours, as in AWS. */
  readonly lifetimeMilliseconds?: number;
  /** @default - none */
  readonly faults?: ConnectionFaults;
  /** Receives the reason of each 5xx response and error frame, as AWS's execution log. */
  readonly executionLog?: (line: string) => void;
}

/** `endpoint` is that of @connections, with the stage: `http://127.0.0.1:PORT/{stage}`. */
export interface WebSocketApi extends Listening {
  readonly path: string;
  /**
   * The address in AWS, as in values of the template:
   * `wss://{api id}.execute-api.{region}.amazonaws.com/{stage}`.
   */
  readonly url: string;
  /** Takes a connection over from the HTTP server. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/**
 * Returns undefined when the stack has no WebSocket API. Throws UserError when the template cannot
 * be emulated.
 */
export async function startWebSocketApi(
  options: WebSocketOptions,
): Promise<WebSocketApi | undefined> {
  const model = readWebSocketApi(options.stack);
  if (model === undefined) return undefined;
  const gateway = new Gateway(model, options);
  const endpoint = await gateway.management.listen();
  return {
    endpoint,
    path: gateway.path,
    url: `wss://${domainName(model)}/${model.stage}`,
    upgrade: (request, socket, head) => gateway.upgrade(request, socket, head),
    stop: () => gateway.stop(),
  };
}

class Gateway {
  readonly path: string;
  readonly management: Management;
  private readonly connections = new Map<string, Connection>();
  private readonly handshakes: Handshakes;
  private readonly faults: ConnectionFaults;
  private readonly select: (body: string) => Route | undefined;
  /** Invocations of $disconnect that have not begun. */
  private readonly endings: (() => Promise<unknown>)[] = [];
  /** Those in progress. */
  private reporting = 0;
  private stopping: Promise<void> | undefined;
  private onEmpty: (() => void) | undefined;

  constructor(
    private readonly model: WebSocketModel,
    private readonly options: WebSocketOptions,
  ) {
    const { iam, invoker } = options;
    this.path = options.path ?? `/${model.stage}`;
    this.faults = options.faults ?? new ConnectionFaults(1);
    this.select = createSelection(model);
    this.management = new Management({
      model,
      iam,
      find: (id) => this.find(id),
      post: (connection, data) => this.post(connection, data),
    });
    this.handshakes = new Handshakes({
      model,
      invoker,
      path: this.path,
      onOpen: (socket, wire, peer) => this.opened(socket, wire, peer),
      onMissed: (peer) =>
        this.notifyEnd(peer, { code: 1006, reason: 'Connection closed abnormally' }),
      log: (requestId, text) => this.log(requestId, text),
    });
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Node's HTTP server always passes a Socket.
    if (socket instanceof Socket) this.handshakes.upgrade(request, socket, head);
    else socket.destroy();
  }

  stop(): Promise<void> {
    this.stopping ??= this.close();
    return this.stopping;
  }

  /** $disconnect is not invoked: a restart of API Gateway may skip it too. */
  private async close(): Promise<void> {
    this.handshakes.close();
    const managed = this.management.close(BOUNDS.stopMs);
    const gone = new Promise<void>((resolve) => {
      this.onEmpty = resolve;
    });
    for (const connection of this.connections.values()) {
      connection.close({ code: 1012, reason: 'Service restart' });
    }
    const force = setTimeout(() => {
      for (const connection of this.connections.values()) connection.cut();
    }, BOUNDS.stopMs);
    if (this.connections.size > 0) await gone;
    clearTimeout(force);
    await managed;
  }

  private log(requestId: string, text: string): void {
    this.options.executionLog?.(`(${requestId}) ${text}`);
  }

  private find(connectionId: string): Connection | undefined {
    const connection = this.connections.get(connectionId);
    return connection?.open ? connection : undefined;
  }

  private opened(socket: WebSocket, wire: Socket, peer: Peer): void {
    const { idleMilliseconds, lifetimeMilliseconds } = this.options;
    const connection: Connection = new Connection(socket, wire, {
      peer,
      idleMs: idleMilliseconds ?? QUOTAS.idleMs,
      lifetimeMs: lifetimeMilliseconds ?? QUOTAS.lifetimeMs,
      onMessage: (body) => this.received(connection, body),
      onClosed: (ending) => {
        this.connections.delete(peer.connectionId);
        if (this.connections.size === 0) this.onEmpty?.();
        this.notifyEnd(peer, ending);
      },
    });
    this.connections.set(peer.connectionId, connection);
  }

  private async received(connection: Connection, body: string): Promise<void> {
    const { faults } = this;
    if (faults.hits('cut')) return connection.cut();
    if (faults.hits('shuffle')) {
      await new Promise<void>((resolve) => connection.later(faults.holdTime(), resolve));
    }
    await this.dispatch(connection, body);
  }

  /** Ignores the output of the function: the API has no route responses. Never rejects. */
  private async dispatch(connection: Connection, body: string): Promise<void> {
    const { model, options } = this;
    const requestId = newId();
    const { peer } = connection;
    const sendError = (message: string) => {
      const { connectionId } = peer;
      connection.send(Buffer.from(JSON.stringify({ message, connectionId, requestId })));
    };
    const route = this.select(body);
    if (route === undefined) return sendError('Forbidden');
    const event = messageEvent({ model, peer, requestId, time: Date.now() }, route.routeKey, body);
    try {
      await integrate(options.invoker, model, route, event);
    } catch (error) {
      this.log(requestId, asFailure(error).message);
      sendError('Internal server error');
    }
  }

  private notifyEnd(peer: Peer, ending: Ending): void {
    const { model, options } = this;
    const route = model.routes.get('$disconnect');
    const isSkipped = this.stopping !== undefined || this.faults.hits('dropDisconnect');
    if (route === undefined || isSkipped) return;
    const requestId = newId();
    const event = disconnectEvent({ model, peer, requestId, time: Date.now() }, ending);
    this.endings.push(() =>
      integrate(options.invoker, model, route, event).catch((error) =>
        this.log(requestId, asFailure(error).message),
      ),
    );
    this.reportEndings();
  }

  /** A thousand connections that end at once must not take the processor from all other calls. */
  private reportEndings(): void {
    while (this.reporting < BOUNDS.endingsReported && this.stopping === undefined) {
      const report = this.endings.shift();
      if (report === undefined) return;
      this.reporting++;
      void report().finally(() => {
        this.reporting--;
        this.reportEndings();
      });
    }
  }

  /** Returns false when the buffer is full. Other failures happen after the response 200. */
  private post(connection: Connection, data: Buffer): boolean {
    const { faults } = this;
    if (!connection.hasRoom(data.length)) return false;
    if (faults.hits('cut')) {
      connection.cut();
      return true;
    }
    if (faults.hits('drop')) return true;
    const copies = faults.hits('repeat') ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      if (faults.hits('reorder')) connection.sendLater(data, faults.holdTime());
      else connection.send(data);
    }
    return true;
  }
}
