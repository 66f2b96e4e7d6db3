/** Passes requests through the distribution to the REST API, and sends the errors it keeps. */
import type { IncomingMessage } from 'node:http';
import type { Front, FrontContext, Gateway } from '../rest-api/gateway';
import { hasBody } from '../rest-api/request/body';
import { readFields } from '../rest-api/request/headers';
import {
  type Exchange,
  endAfterBody,
  isBodiless,
  isWellFormed,
} from '../rest-api/response/exchange';
import { forbidden } from '../websocket/handshake';
import { type Edge, type EdgeResponse, withOriginHeaders } from './edge';
import type { FunctionUrls } from './function-urls';
import { type KeptError, KeptErrors } from './kept-errors';
import { withPolicy } from './security-headers';

/**
 * `functionUrls` sends a request to the function whose URL is its origin, and returns undefined
 * when the origin is not such a URL.
 */
export function edgeFront(edge: Edge, functionUrls?: FunctionUrls): Front {
  return (gateway, context) => placeInFront(edge, functionUrls, gateway, context);
}

function placeInFront(
  edge: Edge,
  functionUrls: FunctionUrls | undefined,
  gateway: Gateway,
  { url, lingerMs, now }: FrontContext,
): Gateway {
  const errors = new KeptErrors(edge.errorTtls, now);
  const stage = new URL(url);
  return {
    ...gateway,
    handle: async (exchange) => {
      if (!isWellFormed(exchange)) return gateway.handle(exchange);
      const target = stageTarget(exchange.request, stage);
      if (target !== undefined) {
        if (target === '') return send(exchange, notAStage(exchange), lingerMs);
        exchange.request.url = target;
        return gateway.handle(exchange);
      }
      const decision = edge.decide(exchange.request);
      if (decision.kind === 'response') return send(exchange, decision, lingerMs);
      const { origin: page } = exchange.request.headers;
      exchange.editHeaders = (headers) => withPolicy(headers, decision.policy, page);
      const [path = ''] = decision.url.split('?');
      const kept = errors.find(exchange.request.method, path);
      if (kept !== undefined) return sendKept(exchange, kept);
      errors.watch(exchange, path);
      const { origin } = decision;
      const functionUrl = functionUrls?.at(origin);
      if (!functionUrl && `https://${origin.domainName}${origin.path}` !== url) {
        return send(exchange, notAStage(exchange), lingerMs);
      }
      exchange.request.url = decision.url;
      const sent = withOriginHeaders(exchange.request.rawHeaders, origin);
      exchange.request.rawHeaders = [...sent, ...decision.added];
      exchange.fields = readFields(exchange.request.rawHeaders);
      return functionUrl ? functionUrl(exchange) : gateway.handle(exchange);
    },
  };
}

/**
 * Returns the target below the stage of a request that names the API itself as its Host, and so
 * bypasses the distribution; '' when it names no stage. Returns undefined for other hosts.
 */
export function stageTarget(
  request: IncomingMessage,
  { host, pathname }: Pick<URL, 'host' | 'pathname'>,
): string | undefined {
  if (request.headers.host?.toLowerCase() !== host) return undefined;
  const { url = '' } = request;
  const rest = url.startsWith(pathname) ? url.slice(pathname.length) : undefined;
  if (rest === undefined || !/^(?:[/?]|$)/.test(rest)) return '';
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/**
 * The response of the WebSocket API to a request that is not a handshake, and of the REST API to
 * one that names no stage.
 */
function notAStage(exchange: Exchange): EdgeResponse {
  const { contentType, body } = forbidden();
  const headers = ['Content-Type', contentType, 'x-amzn-RequestId', exchange.requestId];
  return { kind: 'response', status: 403, headers, body };
}

function send(exchange: Exchange, { status, headers, body }: EdgeResponse, lingerMs: number): void {
  const { request, response } = exchange;
  const length = String(Buffer.byteLength(body));
  const close = hasBody(request) ? ['Connection', 'close'] : [];
  const all = [...headers, 'Content-Length', length, ...close];
  response.writeHead(status, exchange.editHeaders?.(all, status) ?? all);
  if (!isBodiless(exchange, status)) response.write(body);
  endAfterBody(exchange, lingerMs);
}

/** A GET or HEAD, so the request has no body to read. */
function sendKept(exchange: Exchange, { status, headers, body }: KeptError): void {
  const { request, response } = exchange;
  const length = String(body.length);
  response.writeHead(status, [
    ...(exchange.editHeaders?.(headers, status) ?? headers),
    ...(request.method === 'HEAD' ? [] : ['Content-Length', length]),
    'X-Cache',
    'Error from cloudfront',
  ]);
  response.end(request.method === 'HEAD' ? undefined : body);
}
