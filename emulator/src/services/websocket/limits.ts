/**
 * API Gateway's quotas for WebSocket APIs, and our own bounds where AWS publishes none.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-execution-service-websocket-limits-table.html
 */
export const QUOTAS = {
  /** Characters of the request target of a handshake. */
  urlLength: 4_096,
  /** Bytes of all headers of a handshake: names, values, line ends and white space. */
  headerBytes: 10_240,
  /** Bytes of a frame's payload, either way. */
  frameBytes: 32_768,
  /** Bytes of a message, either way. */
  messageBytes: 131_072,
  /** A connection without a message either way. */
  idleMs: 600_000,
  lifetimeMs: 7_200_000,
  minTimeoutMs: 50,
  timeoutMs: 29_000,
  routes: 300,
} as const;

/** AWS has bounds like these too, but does not say which. */
export const BOUNDS = {
  /**
   * Bytes that wait for a client that does not read; what would exceed them is refused with 429.
   */
  bufferBytes: 1_048_576,
  /**
   * Messages of a connection that are being worked on; further ones wait in the client's socket.
   */
  messagesUnderWay: 64,
  /** Milliseconds in which a client must answer a close frame. */
  closeMs: 2_000,
  /** Milliseconds that clients have to answer the close frame of a service that stops. */
  stopMs: 250,
} as const;
