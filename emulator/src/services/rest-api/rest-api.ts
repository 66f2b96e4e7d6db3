/**
 * Serves a REST API (API Gateway v1) of the resolved template over HTTP. emulator/README.md lists
 * what is emulated.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ResolvedStack } from '../../template/model';
import type { Invoker } from '../lambda/invoker';
import { close, listen } from '../server';
import type { Listening } from '../service';
import { createGateway, type Front, type Gateway, whenClosed } from './gateway';
import { BOUNDS, type Bounds } from './limits/limits';
import { readRestApi } from './model/model';
import { domainName } from './request/context';
import { type Exchange, openExchange, sendPlain } from './response/exchange';
import { refuseUnreadable } from './response/unreadable-request';

export interface RestApiOptions {
  readonly stack: ResolvedStack;
  /** Logical id. Default: the first of the stack. */
  readonly api?: string;
  readonly invoker: Invoker;
  /** The distribution. Absent: requests reach the API directly. */
  readonly front?: Front;
  /** 0: any free port. */
  readonly port: number;
  /**
   * Receives one line per request in the format of the stage's AccessLogSetting. Not called when
   * the stage has no such setting.
   */
  readonly accessLog?: (line: string) => void;
  /** Receives the reason of each 5xx response and each cut connection, as AWS's execution log. */
  readonly executionLog?: (line: string) => void;
  /** Takes over the connections of WebSocket handshakes. Absent: they are plain requests. */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Milliseconds since the epoch: of requests, cached authorizer results and kept errors. */
  readonly now?: () => number;
  /** Replaces some of the default bounds, in tests. */
  readonly bounds?: Partial<Bounds>;
}

export interface RestApi extends Listening {
  /**
   * `http://127.0.0.1:PORT`: the stage's root, as behind CloudFront with the stage as origin path.
   */
  readonly baseUrl: string;
  /** In AWS: `https://{api id}.execute-api.{region}.amazonaws.com/{stage}` */
  readonly url: string;
  /** What the user must know of how the API differs from the template. */
  readonly note?: string;
  /** Clears the cache of authorizer results, as FlushStageAuthorizersCache does. */
  flushAuthorizerCache(): void;
}

/** Throws UserError when the template cannot be emulated or the port is taken. */
export async function startRestApi(options: RestApiOptions): Promise<RestApi> {
  const model = readRestApi(options.stack, options.api);
  const bounds = { ...BOUNDS, ...options.bounds };
  const now = options.now ?? Date.now;
  const url = `https://${domainName(model)}/${model.stage}`;
  const direct = createGateway(model, { ...options, bounds, now });
  const { lingerMs } = bounds;
  const gateway = options.front?.(direct, { url, lingerMs, now }) ?? direct;
  const server = createHttpServer(gateway, bounds, now, options.upgrade);
  const baseUrl = await listen(server, options.port, 'the REST API');
  return {
    endpoint: baseUrl,
    baseUrl,
    url,
    note: model.note,
    flushAuthorizerCache: gateway.flushAuthorizerCache,
    stop: () => close(server, bounds.stopMs),
  };
}

/** The latest request of a connection. */
interface Turn {
  readonly exchange: Exchange;
  /** Resolves when the response was sent or the client has gone. */
  readonly done: Promise<void>;
  /** Whether it arrived before the response to the previous request was sent. */
  readonly pipelined: boolean;
}

/**
 * Reports whether a response is being sent or still due. An error response in its place would break
 * the framing.
 */
function isResponding(turn: Turn | undefined): boolean {
  if (turn === undefined) return false;
  const { request, response } = turn.exchange;
  return turn.pipelined || request.complete || response.headersSent;
}

function createHttpServer(
  gateway: Gateway,
  bounds: Bounds,
  now: () => number,
  upgrade: RestApiOptions['upgrade'],
): Server {
  const server = createServer({
    // Above the quotas, so that longer URLs and headers get API Gateway's own responses.
    maxHeaderSize: 32_768,
    headersTimeout: bounds.headersMs,
    requestTimeout: bounds.requestMs,
    keepAliveTimeout: bounds.idleConnectionMs,
    connectionsCheckingInterval: bounds.checkEveryMs,
    noDelay: true,
    ...(upgrade && { shouldUpgradeCallback: isWebSocketUpgrade }),
  });
  server.timeout = bounds.idleConnectionMs;
  server.maxHeadersCount = 0;
  const turns = new WeakMap<Duplex, Turn>();
  const serve = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => {
    const exchange = openExchange(request, response, { time: now(), expectsContinue });
    const before = turns.get(request.socket);
    // Pipelined requests run one after the other: a connection has at most one body in memory.
    const handled = before
      ? before.done.then(() => gateway.handle(exchange))
      : gateway.handle(exchange);
    const closed = new Promise<void>((resolve) => whenClosed(exchange, resolve));
    const done = Promise.all([handled, closed]).then(() => {
      if (turns.get(request.socket) === turn) turns.delete(request.socket);
    });
    const turn: Turn = { exchange, done, pipelined: before !== undefined };
    turns.set(request.socket, turn);
  };
  server.on('request', (request, response) => serve(request, response, false));
  server.on('checkContinue', (request, response) => serve(request, response, true));
  server.on('checkExpectation', (request, response) => {
    const exchange = openExchange(request, response, { time: now(), expectsContinue: false });
    sendPlain(exchange, 417, 'Expectation Failed');
  });
  if (upgrade !== undefined) {
    server.on('upgrade', (request, socket, head) => {
      // A response is still being sent, and nothing may be written into it.
      if (turns.has(socket)) socket.destroy();
      else upgrade(request, socket, head);
    });
  }
  server.on('clientError', (error, socket) => {
    refuseUnreadable(error, socket, isResponding(turns.get(socket)));
  });
  return server;
}

/** From version 24 on, Node.js ignores other Upgrade headers such as `h2c`, as API Gateway does. */
function isWebSocketUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}
