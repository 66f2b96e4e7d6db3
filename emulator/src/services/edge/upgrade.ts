/** Handshakes on their way through the distribution to the WebSocket API. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { forbidden, refuse } from '../websocket/handshake';
import type { WebSocketApi } from '../websocket/websocket-api';
import type { Edge } from './edge';

export function upgradeBehindEdge(
  edge: Edge,
  websocket: WebSocketApi,
): (request: IncomingMessage, socket: Duplex, head: Buffer) => void {
  const stage = websocket.url.replace('wss:', 'https:');
  return (request, socket, head) => {
    const verdict = edge.judge(request);
    if (verdict.kind === 'answer') {
      const at = verdict.headers.findIndex((name) => name.toLowerCase() === 'content-type');
      const contentType = verdict.headers[at + 1] ?? 'text/plain';
      return void refuse(socket, verdict.status, { contentType, body: verdict.body });
    }
    const { origin, url } = verdict;
    const [path, ...query] = url.split('?');
    const isRoot = `https://${origin.domainName}${origin.path}` === stage && path === '/';
    if (!isRoot) return void refuse(socket, 403, forbidden());
    // The gateway takes the root of its stage by the path that clients know.
    request.url = [websocket.path, ...query].join('?');
    websocket.upgrade(request, socket, head);
  };
}
