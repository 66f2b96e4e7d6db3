/** WebSockets on every supported version of Node.js. */
import type { OpenWebSocket } from '../../client/index';

/** For Node.js before version 22, which has no WebSocket: that of the package ws, if installed. */
export async function webSocket(): Promise<OpenWebSocket | undefined> {
  if ('WebSocket' in globalThis) return undefined;
  try {
    const { WebSocket } = await import('ws');
    return (url, headers) => new WebSocket(url, { headers });
  } catch {
    return undefined;
  }
}
