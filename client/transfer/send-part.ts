/** Sends bytes to S3 by a signed URL. */
import { linkedTo } from '../abort';
import { connectionLost, StowageError } from '../errors';
import type { Fetch, ResponseHead } from '../http';

/** The URL is not valid any more; another one may be. */
export class ExpiredUrl extends StowageError {
  constructor() {
    super(
      'forbidden',
      'S3 refused the signed URL: it has expired, or S3 rejects the credentials that signed it',
    );
  }
}

export interface PartOptions {
  /** Reports how many bytes of the part were sent. */
  readonly onProgress: (sent: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Returns the ETag of the part. Throws ExpiredUrl, another StowageError, or the reason of the
 * signal.
 */
export type SendPart = (url: string, part: PartRange, options: PartOptions) => Promise<string>;

/** The bytes [from, to) of the content. */
export interface PartRange {
  readonly from: number;
  readonly to: number;
}

/** Without progress, or without a response, for this long the connection counts as lost. */
export const STALLED_MS = 60_000;

/** Bytes per millisecond that a slow connection carries, where no progress is reported. */
const SLOWEST = 16;

/** With `fetch`, which does not report progress. */
function fetchPart(fetch: Fetch, content: Blob): SendPart {
  return async (url, { from, to }, { signal }) => {
    const part = content.slice(from, to);
    const stop = linkedTo(signal);
    const timer = setTimeout(() => stop.abort(), STALLED_MS + part.size / SLOWEST);
    try {
      // The Blob itself, and not its bytes: Node.js then reads a file as it sends it.
      const response = await fetch(url, { method: 'PUT', body: part, signal: stop.signal });
      return etagOf(response, await response.text());
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof StowageError ? error : connectionLost(error);
    } finally {
      clearTimeout(timer);
      stop.detach();
    }
  };
}

/** The part of XMLHttpRequest that is used here. Programs outside browsers have no types of it. */
interface XhrRequest {
  readonly upload: { onprogress: ((event: { readonly loaded: number }) => void) | null };
  readonly status: number;
  readonly responseText: string;
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  open(method: string, url: string): void;
  send(body: Blob): void;
  abort(): void;
  getResponseHeader(name: string): string | null;
}

const { XMLHttpRequest: Xhr } = globalThis as { readonly XMLHttpRequest?: new () => XhrRequest };

/**
 * Sends parts by XMLHttpRequest where there is one, because it reports progress, else by `fetch`.
 * They fail with StowageError `conflict` when the file of the Blob has changed.
 */
export function partSender(fetch: Fetch, content: Blob): SendPart {
  const send = Xhr === undefined ? fetchPart(fetch, content) : xhrPart(Xhr, content);
  return async (url, range, options) => {
    try {
      return await send(url, range, options);
    } catch (error) {
      if (error instanceof StowageError && error.code === 'network') {
        await requireReadable(content, range);
      }
      throw error;
    }
  };
}

/**
 * The Blob of a file that has changed cannot be read any more, which `fetch` and XMLHttpRequest
 * report like a lost connection: https://w3c.github.io/FileAPI/#NotReadableError.
 */
async function requireReadable(content: Blob, { from }: PartRange): Promise<void> {
  try {
    await content.slice(from, from + 1).arrayBuffer();
  } catch {
    throw fileChanged();
  }
}

export function fileChanged(): StowageError {
  return new StowageError('conflict', 'the file changed while it was sent: upload it again');
}

/** With XMLHttpRequest, which reports the progress within a part, as `fetch` does not. */
const xhrPart =
  (Request: new () => XhrRequest, content: Blob): SendPart =>
  (url, { from, to }, { onProgress, signal }) =>
    new Promise((resolve, reject) => {
      const part = content.slice(from, to);
      const request = new Request();
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
        onProgress(Math.min(loaded, part.size));
      };
      request.onload = () => {
        const etag = request.getResponseHeader('etag');
        settle(() => {
          if (request.status !== 200) reject(storeError(request.status, request.responseText));
          else if (etag === null) reject(withoutEtag());
          else resolve(etag);
        });
      };
      request.onerror = () => settle(() => reject(connectionLost()));
      request.onabort = () =>
        settle(() => reject(signal.aborted ? signal.reason : connectionLost()));
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      signal.addEventListener('abort', abort, { once: true });
      request.open('PUT', url);
      moved();
      request.send(part);
    });

/** The ETag of a response of S3 to a part. Throws StowageError for any other response. */
export function etagOf({ status, headers }: ResponseHead, body: string): string {
  if (status < 200 || status > 299) throw storeError(status, body);
  const etag = headers.get('etag');
  if (etag === null) throw withoutEtag();
  return etag;
}

/** Returns the error of a response of S3. `body`: S3's XML. */
export function storeError(status: number, body = ''): StowageError {
  const code = /<Code>([^<]+)<\/Code>/.exec(body)?.[1];
  if (status === 403 || code === 'ExpiredToken') return new ExpiredUrl();
  if (status === 404) return new StowageError('not_found', 'S3 does not know this upload any more');
  const message = `S3 responded with ${code ?? `status ${status}`}`;
  const isTemporary =
    status === 408 || status === 429 || status >= 500 || code === 'RequestTimeout';
  return new StowageError(isTemporary ? 'unavailable' : 'invalid_request', message, {
    status: isTemporary ? 503 : status,
  });
}

/** The header is absent, or the CORS rules of the bucket do not expose it. */
function withoutEtag(): StowageError {
  return new StowageError(
    'invalid_request',
    'the ETag of the response of S3 cannot be read: expose it in the CORS rules of the bucket',
  );
}
