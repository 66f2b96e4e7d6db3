/**
 * API Gateway REST API (v1) on one machine, served from the resolved template. See README.md for
 * emulated and gaps.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ResolvedStack } from '../../template/model';
import { UserError } from '../../user-error';
import type { Edge } from '../edge/edge';
import { behindEdge } from '../edge/front';
import type { Invoker } from '../lambda/invoker';
import type { Listening } from '../service';
import { type Exchange, openExchange, sendPlain } from './exchange';
import { createGateway, type Gateway, whenClosed } from './gateway';
import { BOUNDS, type Bounds } from './limits';
import { readRestApi } from './model/model';
import { domainName } from './request/context';
import { answerUnreadable } from './response/unreadable-request';

export interface RestApiOptions {
  readonly stack: ResolvedStack;
  /** Logical id. Default: the first of the stack. */
  readonly api?: string;
  readonly invoker: Invoker;
  /** What every request passes first. */
  readonly edge?: Edge;
  /** 0 = any free one. */
  readonly port: number;
  /**
   * One line per request in the format of the stage's AccessLogSetting; without that setting there
   * are none.
   */
  readonly accessLog?: (line: string) => void;
  /**
   * Why a request was answered 5xx or cut: what AWS writes to the execution log, not to the client.
   */
  readonly executionLog?: (line: string) => void;
  /**
   * Takes over connections on which a client asks for another protocol. Without it, they are
   * requests like others.
   */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Milliseconds since the epoch: request times and the age of cached authorizer results. */
  readonly now?: () => number;
  /** Only tests need others than the defaults. */
  readonly bounds?: Partial<Bounds>;
}

export interface RestApi extends Listening {
  /**
   * `http://127.0.0.1:PORT`: the stage's root, as behind CloudFront with the stage as origin path.
   */
  readonly baseUrl: string;
  /** In AWS: `https://{api id}.execute-api.{region}.amazonaws.com/{stage}` */
  readonly url: string;
  /** Forgets all authorizer results, as FlushStageAuthorizersCache does. */
  flushAuthorizerCache(): void;
}

/** Throws UserError for a template that cannot be emulated or a port that is taken. */
export async function startRestApi(options: RestApiOptions): Promise<RestApi> {
  const model = readRestApi(options.stack, options.api);
  const bounds = { ...BOUNDS, ...options.bounds };
  const now = options.now ?? Date.now;
  const url = `https://${domainName(model)}/${model.stage}`;
  const behind = createGateway(model, { ...options, bounds, now });
  const { edge } = options;
  const gateway = edge ? behindEdge(edge, behind, { url, lingerMs: bounds.lingerMs }) : behind;
  const server = createHttpServer(gateway, bounds, now, options.upgrade);
  const baseUrl = `http://127.0.0.1:${await listen(server, options.port)}`;
  return {
    endpoint: baseUrl,
    baseUrl,
    url,
    flushAuthorizerCache: gateway.flushAuthorizerCache,
    stop: () => stop(server, bounds.stopMs),
  };
}

/** The latest request of a connection. */
interface Turn {
  readonly exchange: Exchange;
  /** Answered or gone. */
  readonly done: Promise<void>;
  /** Another one was still being answered when it came. */
  readonly pipelined: boolean;
}

/**
 * An answer is on its way or owed, so that an error of the connection cannot be told in its place.
 */
function isAnswering(turn: Turn | undefined): boolean {
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
    // Room for a URL and headers somewhat above the quotas, so that they get API Gateway's answers.
    maxHeaderSize: 32_768,
    headersTimeout: bounds.headersMs,
    requestTimeout: bounds.requestMs,
    keepAliveTimeout: bounds.idleConnectionMs,
    connectionsCheckingInterval: bounds.checkEveryMs,
    noDelay: true,
    ...(upgrade && { shouldUpgradeCallback: asksForWebSocket }),
  });
  server.timeout = bounds.idleConnectionMs;
  server.maxHeadersCount = 0;
  const turns = new WeakMap<Duplex, Turn>();
  const serve = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => {
    const exchange = openExchange(request, response, { time: now(), expectsContinue });
    const before = turns.get(request.socket);
    // Pipelined requests wait for their turn, so that one connection never has two bodies in
    // memory.
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
      // Nothing may be written into an answer that is on its way.
      if (turns.has(socket)) socket.destroy();
      else upgrade(request, socket, head);
    });
  }
  server.on('clientError', (error, socket) => {
    answerUnreadable(error, socket, isAnswering(turns.get(socket)));
  });
  return server;
}

/**
 * To other wishes, such as `h2c`, Node.js answers like API Gateway from version 24 on: as if there
 * were none.
 */
function asksForWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      reject(taken ? new UserError(`port ${port} is taken: choose another one`) : error);
    };
    server.once('error', onError);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', onError);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Answers under way get a moment to finish. A server that was stopped already is no error. */
function stop(server: Server, stopMs: number): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), stopMs);
    server.close(() => {
      clearTimeout(force);
      resolve();
    });
  });
}
