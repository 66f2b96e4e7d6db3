import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';

const ANSWERS: ReadonlyMap<string | undefined, string> = new Map([
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', '413 Payload Too Large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
]);

/**
 * Answers bytes that are no HTTP request, or came too slowly, and ends the connection. `answering`:
 * another answer is on its way on this connection, into which nothing may be written.
 */
export function answerUnreadable(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  answering: boolean,
): void {
  if (answering || !socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status = ANSWERS.get(error.code) ?? '400 Bad Request';
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
