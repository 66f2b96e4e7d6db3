/**
 * Sends one part to S3 by its signed URL. With XMLHttpRequest, because fetch does not report the
 * progress of an upload.
 */

export type PartFailure =
  /** Another attempt may succeed. */
  | 'temporary'
  /** The URL has expired: with another one it may succeed. */
  | 'expired'
  /** This upload cannot succeed. */
  | 'refused';

export class PartError extends Error {
  readonly failure: PartFailure;

  constructor(failure: PartFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}

/** Returns S3's ETag of the part. Throws PartError, or the reason of the aborted signal. */
export type SendPart = (
  url: string,
  bytes: Blob,
  progress: (sent: number) => void,
  signal: AbortSignal,
) => Promise<string>;

/** Without progress for this long the connection counts as lost. */
const STALLED_MS = 60_000;

export const sendPart: SendPart = (url, bytes, progress, signal) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    let watch: ReturnType<typeof setTimeout> | undefined;
    const moved = () => {
      clearTimeout(watch);
      watch = setTimeout(() => request.abort(), STALLED_MS);
    };
    const abort = () => request.abort();
    const settle = (done: () => void) => {
      clearTimeout(watch);
      signal.removeEventListener('abort', abort);
      done();
    };
    request.upload.onprogress = ({ loaded }) => {
      moved();
      progress(loaded);
    };
    request.onload = () => {
      const etag = request.getResponseHeader('etag');
      if (request.status === 200 && etag !== null) settle(() => resolve(etag));
      else settle(() => reject(partErrorOf(request.status, request.responseText)));
    };
    const lost = () => settle(() => reject(new PartError('temporary', 'The connection was lost.')));
    request.onerror = lost;
    request.onabort = () => {
      if (signal.aborted) settle(() => reject(signal.reason));
      else lost();
    };
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    signal.addEventListener('abort', abort, { once: true });
    request.open('PUT', url);
    moved();
    request.send(bytes);
  });

/** `body`: of S3's response. */
export function partErrorOf(status: number, body = ''): PartError {
  // ExpiredToken: the credentials that signed the URL expired before the URL itself.
  if (status === 403 || body.includes('<Code>ExpiredToken</Code>')) {
    return new PartError('expired', 'The signed URL has expired.');
  }
  if (status === 404) {
    return new PartError('refused', 'This upload has expired. It starts again from the beginning.');
  }
  if (status === 408 || status === 429 || status >= 500 || status === 0) {
    return new PartError('temporary', `The store responded with status ${status}.`);
  }
  // 200 without an ETag: the bucket's CORS rules do not expose the header.
  return new PartError('refused', `The store refused the part (status ${status}).`);
}
