/** Requests on their way through the distribution to the REST API. */

import { type Exchange, endAfterBody, isBodiless, isWellFormed } from '../rest-api/exchange';
import type { Gateway } from '../rest-api/gateway';
import { hasBody } from '../rest-api/request/body';
import { forbidden } from '../websocket/handshake';
import type { Edge, EdgeAnswer } from './edge';
import { withSecurityHeaders } from './security-headers';

export interface FrontOptions {
  /** In AWS: of the stage that `gateway` serves. */
  readonly url: string;
  /** How long a refused body is still read. */
  readonly lingerMs: number;
}

export function behindEdge(edge: Edge, gateway: Gateway, { url, lingerMs }: FrontOptions): Gateway {
  return {
    ...gateway,
    handle: async (exchange) => {
      if (!isWellFormed(exchange)) return gateway.handle(exchange);
      const verdict = edge.judge(exchange.request);
      if (verdict.kind === 'answer') return send(exchange, verdict, lingerMs);
      exchange.editHeaders = (headers) => withSecurityHeaders(headers, verdict.headers);
      const { origin } = verdict;
      if (`https://${origin.domainName}${origin.path}` !== url) {
        return send(exchange, noHandshake(exchange), lingerMs);
      }
      exchange.request.url = verdict.url;
      return gateway.handle(exchange);
    },
  };
}

/** The WebSocket API's answer to what is no upgrade. */
function noHandshake(exchange: Exchange): EdgeAnswer {
  const { contentType, body } = forbidden();
  const headers = ['Content-Type', contentType, 'x-amzn-RequestId', exchange.requestId];
  return { kind: 'answer', status: 403, headers, body };
}

function send(exchange: Exchange, { status, headers, body }: EdgeAnswer, lingerMs: number): void {
  const { request, response } = exchange;
  const length = String(Buffer.byteLength(body));
  const close = hasBody(request) ? ['Connection', 'close'] : [];
  const all = [...headers, 'Content-Length', length, ...close];
  response.writeHead(status, exchange.editHeaders?.(all) ?? all);
  if (!isBodiless(exchange, status)) response.write(body);
  endAfterBody(exchange, lingerMs);
}
