/**
 * Serves a WebSocket API (API Gateway v2) of the resolved template. emulator/README.md lists what is
 * emulated.
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
   * A connection without a message either way is closed after so many. Default 10 minutes, as AWS.
   */
  readonly idleMilliseconds?: number;
  /** Every connection is closed after so many. Default 2 hours, as AWS. */
  readonly lifetimeMilliseconds?: number;
  /** @default - none */
  readonly faults?: ConnectionFaults;
  /**
   * Why a handshake was answered 5xx or a message with an error: what AWS writes to the execution
   * log.
   */
  readonly executionLog?: (line: string) => void;
}

/** `endpoint` is that of @connections, with the stage: `http://127.0.0.1:PORT/{stage}`. */
export interface WebSocketApi extends Listening {
  readonly path: string;
  /**
   * How the template's values begin that name the API: `wss://{api
   * id}.execute-api.{region}.amazonaws.com/{stage}`.
   */
  readonly url: string;
  /** Takes a connection over from the HTTP server on which it came. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/**
 * undefined: the stack has no such API. Throws UserError for a template that cannot be emulated.
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
  private stopping: Promise<void> | undefined;
  private emptied: (() => void) | undefined;

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
        this.tellEnd(peer, { code: 1006, reason: 'Connection closed abnormally' }),
      log: (requestId, text) => this.log(requestId, text),
    });
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // What Node's HTTP server hands over is always one.
    if (socket instanceof Socket) this.handshakes.upgrade(request, socket, head);
    else socket.destroy();
  }

  stop(): Promise<void> {
    this.stopping ??= this.close();
    return this.stopping;
  }

  /** Functions are not told: on AWS a service that restarts may say nothing either. */
  private async close(): Promise<void> {
    this.handshakes.close();
    const managed = this.management.close(BOUNDS.stopMs);
    const gone = new Promise<void>((resolve) => {
      this.emptied = resolve;
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
        if (this.connections.size === 0) this.emptied?.();
        this.tellEnd(peer, ending);
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

  /** What the function returns is dropped: the API has no route responses. Never rejects. */
  private async dispatch(connection: Connection, body: string): Promise<void> {
    const { model, options } = this;
    const requestId = newId();
    const { peer } = connection;
    const tell = (message: string) => {
      const { connectionId } = peer;
      connection.send(Buffer.from(JSON.stringify({ message, connectionId, requestId })));
    };
    const route = this.select(body);
    if (route === undefined) return tell('Forbidden');
    const event = messageEvent({ model, peer, requestId, time: Date.now() }, route.routeKey, body);
    try {
      await integrate(options.invoker, model, route, event);
    } catch (error) {
      this.log(requestId, asFailure(error).message);
      tell('Internal server error');
    }
  }

  private tellEnd(peer: Peer, ending: Ending): void {
    const { model, options } = this;
    const route = model.routes.get('$disconnect');
    const untold = this.stopping !== undefined || this.faults.hits('dropDisconnect');
    if (route === undefined || untold) return;
    const requestId = newId();
    const event = disconnectEvent({ model, peer, requestId, time: Date.now() }, ending);
    integrate(options.invoker, model, route, event).catch((error) =>
      this.log(requestId, asFailure(error).message),
    );
  }

  /**
   * The caller is told of full buffers only: all else may happen after API Gateway has answered
   * 200.
   */
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
