import type { IncomingMessage } from 'node:http';

/** The body exceeds the quota: 413 in plain text, which gateway responses do not change. */
export class PayloadTooLarge extends Error {}

/** The client closed the connection before its body was complete. */
export class ClientGone extends Error {}

/** Reports whether the framing of the request announces a body (RFC 9112, 6.3). */
export function hasBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

/** Largest chunk that Node.js reads from a socket: a longer body arrives in several. */
const CHUNK_BYTES = 64 * 1024;

/**
 * Rejects with PayloadTooLarge as soon as the body exceeds `limit` bytes, and with ClientGone when
 * the connection closes first.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const announced = Number(request.headers['content-length'] ?? 0);
    // Copied into one buffer on arrival; joining chunks at the end would need twice the memory.
    const whole =
      announced > CHUNK_BYTES && announced <= limit && Buffer.allocUnsafeSlow(announced);
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
    // The client may have gone while the authorizer ran.
    if (request.destroyed) onClose();
    // Never removed: an error after the body was read must not end the process.
    request.on('error', onClose);
  });
}
