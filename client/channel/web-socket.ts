/** The part of a WebSocket that the client uses, and where to get one. */

/** The part of a WebSocket's events that the client reads. */
export interface WebSocketEvent {
  /** `open`, `message`, `close` or `error`. */
  readonly type?: string;
  /** The text of a message. */
  readonly data?: unknown;
  /** The code of a close. */
  readonly code?: number;
  /** The reason of a close. */
  readonly reason?: string;
}

/** The part of a WebSocket that the client uses. Browsers, Node.js and the package ws have it. */
export interface WebSocketLike {
  /** Adds a listener, as any EventTarget does. */
  addEventListener(
    type: 'open' | 'message' | 'close' | 'error',
    listener: (event: WebSocketEvent) => void,
  ): void;
  /** Sends a message. */
  send(text: string): void;
  /** Closes it, with a code of RFC 6455 or one from 4000 on. */
  close(code?: number, reason?: string): void;
}

/** Opens a WebSocket that sends `headers` with its handshake. */
export type OpenWebSocket = (
  url: string,
  headers: Readonly<Record<string, string>>,
) => WebSocketLike;

type Constructor = new (
  url: string,
  init?: { readonly headers: Readonly<Record<string, string>> },
) => WebSocketLike;

/** Returns undefined where there is no WebSocket (Node.js before 22). */
export function globalWebSocket(): OpenWebSocket | undefined {
  const WebSocket = constructorOf(globalThis);
  if (!WebSocket) return undefined;
  return (url, headers) =>
    Object.keys(headers).length === 0 ? new WebSocket(url) : new WebSocket(url, { headers });
}

/**
 * Returns whether the global WebSocket sends headers. Node.js, Deno and Bun support the option
 * `headers`, which is no part of the standard; a browser takes any object for the name of a
 * subprotocol. Only an implementation that supports the option reads it, and the address is invalid
 * for all, so the test sends nothing.
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
    // Expected: the address is no WebSocket address.
  }
  return wasRead;
}

function constructorOf(scope: { WebSocket?: unknown }): Constructor | undefined {
  // The types of the constructor's options differ between platforms.
  return typeof scope.WebSocket === 'function' ? (scope.WebSocket as Constructor) : undefined;
}
