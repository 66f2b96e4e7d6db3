/**
 * One part to S3, by its signed URL. XMLHttpRequest, because fetch tells nothing of what has been
 * sent so far.
 */

export type PartFailure =
  /** Another try may do. */
  | 'temporary'
  /** The URL is not good any more: with another one it may do. */
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

/** Answers S3's ETag of the part. Throws PartError, or the reason of the aborted signal. */
export type SendPart = (
  url: string,
  bytes: Blob,
  progress: (sent: number) => void,
  signal: AbortSignal,
) => Promise<string>;

/** Without any movement for so long the connection is taken for dead. */
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

/** `body`: S3's own words. */
export function partErrorOf(status: number, body = ''): PartError {
  // The second: what signed the URL has run out before the URL itself.
  if (status === 403 || body.includes('<Code>ExpiredToken</Code>')) {
    return new PartError('expired', 'The store does not take the signed URL.');
  }
  if (status === 404) {
    return new PartError('refused', 'The time for this upload has run out: it begins anew.');
  }
  if (status === 408 || status === 429 || status >= 500 || status === 0) {
    return new PartError('temporary', `The store answered ${status}.`);
  }
  // 200 without an ETag: the store does not let this page read it.
  return new PartError('refused', `The store did not take the part (status ${status}).`);
}
