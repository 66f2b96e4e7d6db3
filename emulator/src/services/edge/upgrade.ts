/** Passes handshakes through the distribution to the WebSocket API. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { forbidden, refuse } from '../websocket/handshake';
import type { WebSocketApi } from '../websocket/websocket-api';
import { type Edge, withOriginHeaders } from './edge';
import { stageTarget } from './front';

export function upgradeBehindEdge(
  edge: Edge,
  websocket: WebSocketApi,
): (request: IncomingMessage, socket: Duplex, head: Buffer) => void {
  const stage = websocket.url.replace('wss:', 'https:');
  const address = new URL(stage);
  return (request, socket, head) => {
    const direct = stageTarget(request, address);
    if (direct !== undefined) {
      if (!/^\/(?:\?|$)/.test(direct)) return void refuse(socket, 403, forbidden());
      request.url = `${websocket.path}${direct.slice(1)}`;
      return websocket.upgrade(request, socket, head);
    }
    const decision = edge.decide(request);
    if (decision.kind === 'response') {
      const at = decision.headers.findIndex((name) => name.toLowerCase() === 'content-type');
      const contentType = decision.headers[at + 1] ?? 'text/plain';
      return void refuse(socket, decision.status, { contentType, body: decision.body });
    }
    const { origin, url } = decision;
    const [path, ...query] = url.split('?');
    const isRoot = `https://${origin.domainName}${origin.path}` === stage && path === '/';
    if (!isRoot) return void refuse(socket, 403, forbidden());
    // Locally, the root of the stage is at the path that clients use.
    request.url = [websocket.path, ...query].join('?');
    request.rawHeaders = withOriginHeaders(request.rawHeaders, origin);
    websocket.upgrade(request, socket, head);
  };
}
