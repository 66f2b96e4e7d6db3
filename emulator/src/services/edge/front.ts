/** Passes requests through the distribution to the REST API. */
import { type Exchange, endAfterBody, isBodiless, isWellFormed } from '../rest-api/exchange';
import type { Gateway } from '../rest-api/gateway';
import { hasBody } from '../rest-api/request/body';
import { forbidden } from '../websocket/handshake';
import type { Edge, EdgeResponse } from './edge';
import { withSecurityHeaders } from './security-headers';

export interface FrontOptions {
  /** The address of the gateway's stage in AWS. */
  readonly url: string;
  /** Milliseconds for which the rest of a refused body is read. */
  readonly lingerMs: number;
}

export function behindEdge(edge: Edge, gateway: Gateway, { url, lingerMs }: FrontOptions): Gateway {
  return {
    ...gateway,
    handle: async (exchange) => {
      if (!isWellFormed(exchange)) return gateway.handle(exchange);
      const decision = edge.decide(exchange.request);
      if (decision.kind === 'response') return send(exchange, decision, lingerMs);
      exchange.editHeaders = (headers) => withSecurityHeaders(headers, decision.headers);
      const { origin } = decision;
      if (`https://${origin.domainName}${origin.path}` !== url) {
        return send(exchange, noHandshake(exchange), lingerMs);
      }
      exchange.request.url = decision.url;
      return gateway.handle(exchange);
    },
  };
}

/** The response of the WebSocket API to a request that is not a handshake. */
function noHandshake(exchange: Exchange): EdgeResponse {
  const { contentType, body } = forbidden();
  const headers = ['Content-Type', contentType, 'x-amzn-RequestId', exchange.requestId];
  return { kind: 'response', status: 403, headers, body };
}

function send(exchange: Exchange, { status, headers, body }: EdgeResponse, lingerMs: number): void {
  const { request, response } = exchange;
  const length = String(Buffer.byteLength(body));
  const close = hasBody(request) ? ['Connection', 'close'] : [];
  const all = [...headers, 'Content-Length', length, ...close];
  response.writeHead(status, exchange.editHeaders?.(all) ?? all);
  if (!isBodiless(exchange, status)) response.write(body);
  endAfterBody(exchange, lingerMs);
}
