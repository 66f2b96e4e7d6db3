/** Requests to the service: addresses, the key, time limits, and its errors as StowageError. */
import { codeOfStatus, isErrorCode, StowageError } from './errors';
import { isRecord } from './resources';

/** The part of `fetch` that is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface HttpRequest {
  readonly method?: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the root of the interface, percent-encoded. */
  readonly path: string;
  /** Those that are undefined are left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: RequestInit['body'];
  readonly signal?: AbortSignal;
  /** Milliseconds until the answer's head must be there. @default none */
  readonly timeoutMs?: number;
}

export class Http {
  readonly #base: URL;
  readonly #apiKey: string | undefined;
  readonly #fetch: Fetch;

  /** `root`: where the interface begins below `baseUrl`. */
  constructor(baseUrl: string, apiKey: string | undefined, fetch: Fetch, root = 'api/v2/storage/') {
    this.#base = new URL(root, baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`);
    if (!/^https?:$/.test(this.#base.protocol)) {
      throw new TypeError(`baseUrl must begin with http:// or https://, got ${baseUrl}`);
    }
    this.#apiKey = apiKey;
    this.#fetch = fetch;
  }

  get authorization(): Readonly<Record<string, string>> {
    return this.#apiKey === undefined ? {} : { authorization: `Bearer ${this.#apiKey}` };
  }

  url(path: string, query: HttpRequest['query'] = {}): URL {
    const url = new URL(path, this.#base);
    // Not by URLSearchParams, which writes a space as a plus sign.
    url.search = Object.entries(query)
      .flatMap(([name, value]) =>
        value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
      )
      .join('&');
    return url;
  }

  /**
   * An answer of 2xx; the body is still to be read. Throws StowageError, or the reason of an
   * aborted signal.
   */
  async request(request: HttpRequest): Promise<Response> {
    const limit = timeLimit(request.signal, request.timeoutMs);
    try {
      return await this.#send(request, limit.signal);
    } finally {
      limit.stopTimer();
    }
  }

  /** The JSON of an answer of 2xx; the time limit counts until it is read. */
  async json(request: HttpRequest): Promise<unknown> {
    const limit = timeLimit(request.signal, request.timeoutMs);
    try {
      const response = await this.#send(request, limit.signal);
      const text = await response
        .text()
        .catch((cause: unknown) => this.#unanswered(request, cause));
      const value = parse(text);
      if (value !== undefined) return value;
      throw new StowageError('invalid_answer', `the answer to ${request.path} is not JSON`);
    } finally {
      limit.stopTimer();
      limit.detach();
    }
  }

  async #send(request: HttpRequest, signal: AbortSignal): Promise<Response> {
    const response = await this.#fetch(this.url(request.path, request.query).href, {
      method: request.method ?? 'GET',
      headers: { ...this.authorization, ...present(request.headers) },
      signal,
      ...(request.body !== undefined && { body: request.body }),
    }).catch((cause: unknown) => this.#unanswered(request, cause));
    if (!response.ok) {
      throw errorOf(response, parse(await response.text().catch(() => '')));
    }
    return response;
  }

  #unanswered(request: HttpRequest, cause: unknown): never {
    request.signal?.throwIfAborted();
    if (cause instanceof StowageError) throw cause;
    throw new StowageError('network', `no answer from ${this.#base.origin}`, { cause });
  }
}

function present(headers: HttpRequest['headers'] = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}

/** AbortSignal.any would keep each request's signal for as long as the caller's lives. */
function timeLimit(signal: AbortSignal | undefined, milliseconds: number | undefined) {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  const timer =
    milliseconds === undefined ? undefined : setTimeout(() => controller.abort(), milliseconds);
  return {
    signal: controller.signal,
    stopTimer: () => clearTimeout(timer),
    detach: () => signal?.removeEventListener('abort', abort),
  };
}

/**
 * What an answer that is not 2xx tells. `body`: parsed; anything, where the answer is not the
 * service's.
 */
export function errorOf(
  response: Pick<Response, 'status' | 'headers'>,
  body: unknown,
): StowageError {
  const error = isRecord(body) && isRecord(body.error) ? body.error : {};
  const { code, message, request_id: requestId, details } = error;
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new StowageError(
    isErrorCode(code) ? code : codeOfStatus(response.status),
    typeof message === 'string' ? message : `the service answered ${response.status}`,
    {
      status: response.status,
      ...(typeof requestId === 'string' && { requestId }),
      ...(isRecord(details) && { details }),
      ...(retryAfter >= 0 && { retryAfter }),
    },
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
