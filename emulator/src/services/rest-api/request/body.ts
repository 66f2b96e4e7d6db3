import type { IncomingMessage } from 'node:http';

/** Larger than API Gateway takes: 413 in plain text, which no gateway response changes. */
export class PayloadTooLarge extends Error {}

/** The client went away before its body was complete: nobody is left to answer. */
export class ClientGone extends Error {}

/** True when the request's framing announces a body (RFC 9112 6.3). */
export function hasBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

/** Bytes that come at once at most: a longer body comes in pieces. */
const PIECE = 64 * 1024;

/** Never holds more than `limit` bytes: what goes beyond stops the reading. */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const announced = Number(request.headers['content-length'] ?? 0);
    // Put together as it comes, or it would be in memory twice over.
    const whole = announced > PIECE && announced <= limit && Buffer.allocUnsafeSlow(announced);
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (done: () => void) => {
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      done();
    };
    const onData = (chunk: Buffer) => {
      if (whole) chunk.copy(whole, bytes);
      bytes += chunk.length;
      if (bytes <= limit) {
        if (!whole) chunks.push(chunk);
        return;
      }
      request.pause();
      settle(() => reject(new PayloadTooLarge()));
    };
    const joined = () => (chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    const onEnd = () => settle(() => resolve(whole || joined()));
    const onClose = () => settle(() => reject(new ClientGone()));
    request.on('data', onData).on('end', onEnd).on('close', onClose);
    // It may have gone while the authorizer was asked.
    if (request.destroyed) onClose();
    // Stays for ever: a request that errs after it was read must not end the process.
    request.on('error', onClose);
  });
}
