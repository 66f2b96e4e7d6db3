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

/** Never holds more than `limit` bytes: what goes beyond stops the reading. */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (done: () => void) => {
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      done();
    };
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= limit) {
        chunks.push(chunk);
        return;
      }
      request.pause();
      settle(() => reject(new PayloadTooLarge()));
    };
    const onEnd = () =>
      settle(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    const onClose = () => settle(() => reject(new ClientGone()));
    request.on('data', onData).on('end', onEnd).on('close', onClose);
    // It may have gone while the authorizer was asked.
    if (request.destroyed) onClose();
    // Stays for ever: a request that errs after it was read must not end the process.
    request.on('error', onClose);
  });
}
