/**
 * Single requests to the service: addresses, the API key, timeouts, and errors as StowageError. A
 * request is never repeated here; whether a failure is worth another attempt is `isTemporary` of
 * its error. The loops of `sync()` and `mirror()` repeat theirs with client/retry.ts.
 */
import { codeOfStatus, isErrorCode, StowageError } from './errors';
import { isRecord } from './resources';

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface HttpRequest {
  readonly method?: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** Relative to the root of the interface, percent-encoded. */
  readonly path: string;
  /** Undefined values are omitted. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: RequestInit['body'];
  readonly signal?: AbortSignal;
  /** Milliseconds until the headers of the response must have arrived. @default none */
  readonly timeoutMs?: number;
}

/** The timeout of a single request. */
export const REQUEST_MS = 30_000;

export interface PostOptions extends Pick<HttpRequest, 'signal' | 'timeoutMs'> {
  /** Makes a repeated request safe. */
  readonly idempotencyKey?: string;
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
    // URLSearchParams would write a space as a plus sign.
    url.search = Object.entries(query)
      .flatMap(([name, value]) =>
        value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
      )
      .join('&');
    return url;
  }

  /**
   * Returns a response of 2xx whose body is not yet read. Throws StowageError, or the reason of an
   * aborted signal.
   */
  async request(request: HttpRequest): Promise<Response> {
    const timeout = timeoutOf(request.signal, request.timeoutMs);
    try {
      return await this.#send(request, timeout.signal);
    } finally {
      timeout.stopTimer();
    }
  }

  /** Returns the JSON of a response of 2xx; the timeout includes the body. Throws as `request`. */
  async json(request: HttpRequest): Promise<unknown> {
    return (await this.answer(request)).value;
  }

  /** Sends a body of JSON by POST. Returns and throws as `json`. */
  post(path: string, body: unknown, options: PostOptions = {}): Promise<unknown> {
    return this.#sendJson('POST', path, body, options);
  }

  /** Sends a body of JSON by PUT. Returns and throws as `json`. */
  put(path: string, body: unknown, options: PostOptions = {}): Promise<unknown> {
    return this.#sendJson('PUT', path, body, options);
  }

  #sendJson(
    method: 'POST' | 'PUT',
    path: string,
    body: unknown,
    { idempotencyKey, signal, timeoutMs = REQUEST_MS }: PostOptions,
  ): Promise<unknown> {
    return this.json({
      ...{ method, path, signal, timeoutMs },
      headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
      body: JSON.stringify(body),
    });
  }

  /** As `json`, with the seconds that the response asks to wait before the next request. */
  async answer(
    request: HttpRequest,
  ): Promise<{ readonly value: unknown; readonly retryAfter: number | undefined }> {
    const timeout = timeoutOf(request.signal, request.timeoutMs);
    try {
      const response = await this.#send(request, timeout.signal);
      const text = await response
        .text()
        .catch((cause: unknown) => this.#throwNetworkError(request, cause));
      const value = parse(text);
      if (value !== undefined) return { value, retryAfter: retryAfterOf(response) };
      throw new StowageError('invalid_answer', `the response to ${request.path} is not JSON`);
    } finally {
      timeout.stopTimer();
      timeout.detach();
    }
  }

  async #send(request: HttpRequest, signal: AbortSignal): Promise<Response> {
    const response = await this.#fetch(this.url(request.path, request.query).href, {
      method: request.method ?? 'GET',
      headers: { ...this.authorization, ...present(request.headers) },
      signal,
      ...(request.body !== undefined && { body: request.body }),
    }).catch((cause: unknown) => this.#throwNetworkError(request, cause));
    if (!response.ok) {
      throw errorOf(response, parse(await response.text().catch(() => '')));
    }
    return response;
  }

  #throwNetworkError(request: HttpRequest, cause: unknown): never {
    request.signal?.throwIfAborted();
    if (cause instanceof StowageError) throw cause;
    throw new StowageError('network', `no response from ${this.#base.origin}`, { cause });
  }
}

function present(headers: HttpRequest['headers'] = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}

/** Not AbortSignal.any, whose signals stay in memory for as long as the caller's signal. */
function timeoutOf(signal: AbortSignal | undefined, milliseconds: number | undefined) {
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

/** Seconds. */
function retryAfterOf({ headers }: Pick<Response, 'headers'>): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return seconds >= 0 ? seconds : undefined;
}

/** The error of a response that is not 2xx. `body`: parsed JSON, perhaps not the service's. */
export function errorOf(
  response: Pick<Response, 'status' | 'headers'>,
  body: unknown,
): StowageError {
  const error = isRecord(body) && isRecord(body.error) ? body.error : {};
  const { code, message, request_id: requestId, details } = error;
  const retryAfter = retryAfterOf(response);
  return new StowageError(
    isErrorCode(code) ? code : codeOfStatus(response.status),
    typeof message === 'string' ? message : `the service responded with status ${response.status}`,
    {
      status: response.status,
      ...(typeof requestId === 'string' && { requestId }),
      ...(isRecord(details) && { details }),
      ...(retryAfter !== undefined && { retryAfter }),
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
