import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';

const STATUS_BY_CODE: ReadonlyMap<string | undefined, string> = new Map([
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', '413 Payload Too Large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
]);

/**
 * Responds to bytes that are not an HTTP request, or that arrive too slowly, and closes the
 * connection. With `isResponding`, another response is being sent on this connection, so it is only
 * cut.
 */
export function refuseUnreadable(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  isResponding: boolean,
): void {
  if (isResponding || !socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status = STATUS_BY_CODE.get(error.code) ?? '400 Bad Request';
  const text = status.slice(4);
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${text.length}`,
    `x-amzn-RequestId: ${randomUUID()}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`, () => socket.destroy());
}
