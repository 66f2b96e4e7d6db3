/** The part of a WebSocket that is used, and where to get one. */

/** What a WebSocket tells, as far as it is read. */
export interface WebSocketEvent {
  /** `open`, `message`, `close` or `error`. */
  readonly type?: string;
  /** Of a message: its text. */
  readonly data?: unknown;
  /** Of a close. */
  readonly code?: number;
  /** Of a close. */
  readonly reason?: string;
}

/** The part of a WebSocket that is used: those of browsers, Node.js and the package ws have it. */
export interface WebSocketLike {
  /** As of any EventTarget. */
  addEventListener(
    type: 'open' | 'message' | 'close' | 'error',
    listener: (event: WebSocketEvent) => void,
  ): void;
  /** Sends a message. */
  send(text: string): void;
  /** Closes it, with a code of RFC 6455 or one from 4000 on. */
  close(code?: number, reason?: string): void;
}

/** `headers` are to be sent with the handshake. */
export type OpenWebSocket = (
  url: string,
  headers: Readonly<Record<string, string>>,
) => WebSocketLike;

type Constructor = new (
  url: string,
  init?: { readonly headers: Readonly<Record<string, string>> },
) => WebSocketLike;

/** undefined: there is no WebSocket here (Node.js before 22). */
export function globalWebSocket(): OpenWebSocket | undefined {
  const WebSocket = constructorOf(globalThis);
  if (!WebSocket) return undefined;
  return (url, headers) =>
    Object.keys(headers).length === 0 ? new WebSocket(url) : new WebSocket(url, { headers });
}

/**
 * Node.js, Deno and Bun take `{ headers }`, which is no part of the standard; a browser takes any
 * object for the name of a subprotocol. Which it is shows before anything is sent: only who knows
 * the option reads it, and the address fails both.
 */
export function sendsHeaders(): boolean {
  const WebSocket = constructorOf(globalThis);
  if (!WebSocket) return false;
  let wasRead = false;
  try {
    new WebSocket('invalid:', {
      get headers() {
        wasRead = true;
        return {};
      },
    }).close();
  } catch {
    // As expected: not a WebSocket address.
  }
  return wasRead;
}

function constructorOf(scope: { WebSocket?: unknown }): Constructor | undefined {
  // Its constructor's options are typed differently everywhere.
  return typeof scope.WebSocket === 'function' ? (scope.WebSocket as Constructor) : undefined;
}
