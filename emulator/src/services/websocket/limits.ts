/**
 * API Gateway's quotas for WebSocket APIs, and the emulator's bounds where AWS publishes none.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-execution-service-websocket-limits-table.html
 */
export const QUOTAS = {
  /** Characters of the request target of a handshake. */
  urlLength: 4_096,
  /** Bytes of all headers of a handshake: names, values, line ends and white space. */
  headerBytes: 10_240,
  /** Bytes of a frame's payload, in both directions. */
  frameBytes: 32_768,
  /** Bytes of a message, in both directions. */
  messageBytes: 131_072,
  /** Time without a message in either direction. */
  idleMs: 600_000,
  lifetimeMs: 7_200_000,
  minTimeoutMs: 50,
  timeoutMs: 29_000,
  routes: 300,
} as const;

/** AWS has such bounds too, but does not document them. */
export const BOUNDS = {
  /** Bytes of unread messages of a client; a post that exceeds them gets 429. */
  bufferBytes: 1_048_576,
  /** Messages of a connection in progress; further ones wait in the client's socket. */
  messagesInProgress: 64,
  /** Ended connections that are reported to the function at the same time. */
  endingsReported: 8,
  /** Milliseconds in which a client must return a close frame. */
  closeMs: 2_000,
  /** Milliseconds in which clients must return the close frame of a stopping service. */
  stopMs: 250,
} as const;
