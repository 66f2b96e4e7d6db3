/**
 * Requests to the service: addresses, the API key, timeouts, errors as StowageError, and the
 * repetition of requests whose repetition has no further effect. The loops of `sync()` and
 * `mirror()` repeat their own requests without a limit: client/retry.ts.
 */
import { linkedTo } from './abort';
import { codeOfStatus, isErrorCode, StowageError } from './errors';
import { encoded, requireWhole } from './paths';
import { isRecord } from './resources';
import { retry } from './retry';

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
  /**
   * Whether a repetition has no further effect, so that the request may be repeated.
   *
   * @default true for GET and HEAD, and with an idempotency key
   */
  readonly isRepeatable?: boolean;
}

/** The timeout of a single request. */
export const REQUEST_MS = 30_000;

/** A failure that asks for a longer wait is thrown. */
const LONGEST_WAIT_SECONDS = 60;

/** How the requests of an Http are sent. */
export interface HttpOptions {
  /** Where the service is. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly fetch: Fetch;
  /** Whether `http://` may lead to another machine. @default false */
  readonly allowPlainHttp?: boolean | undefined;
  /** How often a request is repeated after a temporary failure. @default 0 */
  readonly retries?: number;
}

export interface PostOptions extends Pick<HttpRequest, 'signal' | 'timeoutMs' | 'isRepeatable'> {
  /** Makes a repeated request safe. */
  readonly idempotencyKey?: string;
}

/** A URL that shows the key to no network: of HTTPS, or of this machine. */
export const PRIVATE_URL = /^(https:|http:\/\/(localhost|127(\.\d+)+|\[::1])(:\d+)?(\/|$))/i;

export class Http {
  readonly #base: URL;
  readonly #apiKey: string | undefined;
  readonly #fetch: Fetch;
  readonly #retries: number;

  /** Throws TypeError when an option is not valid. */
  constructor({ baseUrl, apiKey, fetch, allowPlainHttp, retries = 0 }: HttpOptions) {
    if (!(allowPlainHttp ? /^https?:/i : PRIVATE_URL).test(baseUrl)) {
      throw new TypeError(`baseUrl must begin with https:, or set allowPlainHttp: ${baseUrl}`);
    }
    const root = baseUrl.replace(/\/api\/v2\/storage\/?$/, '');
    this.#base = new URL('api/v2/storage/', root.endsWith('/') ? root : `${root}/`);
    requireWhole('retries', retries, 0, 100);
    this.#apiKey = apiKey;
    this.#fetch = fetch;
    this.#retries = retries;
  }

  /** Returns the given idempotency key, or a new one if requests are repeated. */
  idempotencyKey(given: string | undefined): string | undefined {
    return given ?? (this.#retries > 0 ? randomKey() : undefined);
  }

  get authorization(): Readonly<Record<string, string>> {
    return this.#apiKey === undefined ? {} : { authorization: `Bearer ${this.#apiKey}` };
  }

  url(path: string, query: HttpRequest['query'] = {}): URL {
    const url = new URL(path, this.#base);
    // URLSearchParams would write a space as a plus sign.
    url.search = Object.entries(query)
      .flatMap(([name, value]) =>
        value === undefined ? [] : [`${name}=${encoded(String(value))}`],
      )
      .join('&');
    return url;
  }

  /**
   * Returns a response of 2xx or 304 whose body is not yet read. Throws StowageError, TypeError for
   * a request that cannot be sent, or the reason of an aborted signal.
   */
  request(request: HttpRequest): Promise<Response> {
    return this.#repeated(request, () => this.#respond(request));
  }

  async #respond(request: HttpRequest): Promise<Response> {
    const timeout = timeoutOf(request.signal, request.timeoutMs);
    try {
      const response = await this.#send(request, timeout.signal);
      return request.signal ? untilRead(response, timeout.detach) : response;
    } catch (error) {
      timeout.detach();
      throw error;
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
    { idempotencyKey, signal, isRepeatable, timeoutMs = REQUEST_MS }: PostOptions,
  ): Promise<unknown> {
    return this.json({
      ...{ method, path, signal, isRepeatable, timeoutMs },
      headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
      body: JSON.stringify(body),
    });
  }

  /** Returns the JSON of a response with its Retry-After. Throws as `request`. */
  answer(request: HttpRequest): Promise<Answer> {
    return this.#repeated(request, () => this.#answer(request));
  }

  async #answer(request: HttpRequest): Promise<Answer> {
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

  #repeated<T>(request: HttpRequest, attempt: () => Promise<T>): Promise<T> {
    if (this.#retries === 0 || !isRepeatable(request)) return attempt();
    return retry(attempt, {
      signal: request.signal ?? new AbortController().signal,
      random: Math.random,
      maxAttempts: this.#retries + 1,
      isTemporary: (error) =>
        error instanceof StowageError &&
        error.isTemporary &&
        (error.retryAfter ?? 0) <= LONGEST_WAIT_SECONDS,
    });
  }

  async #send(request: HttpRequest, signal: AbortSignal): Promise<Response> {
    const headers = { ...this.authorization, ...present(request.headers) };
    // Throws TypeError for a header that cannot be sent, which `fetch` does not tell from a failure
    // of the network.
    new Headers(headers);
    const isStream = request.body instanceof ReadableStream;
    const response = await this.#fetch(this.url(request.path, request.query).href, {
      ...{ method: request.method ?? 'GET', headers, signal },
      ...(request.body !== undefined && { body: request.body }),
      ...(isStream && { duplex: 'half' }),
    }).catch((cause: unknown) => this.#throwNetworkError(request, cause));
    // 304 is the response to a condition of the caller.
    if (!response.ok && response.status !== 304) {
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

/** A response as JSON. */
export interface Answer {
  readonly value: unknown;
  /** Seconds that the response asks to wait before the next request. */
  readonly retryAfter: number | undefined;
}

function isRepeatable({ method = 'GET', headers, body, isRepeatable }: HttpRequest): boolean {
  // A stream can be read once.
  if (body instanceof ReadableStream) return false;
  if (isRepeatable !== undefined) return isRepeatable;
  return method === 'GET' || method === 'HEAD' || headers?.['idempotency-key'] !== undefined;
}

/** Not crypto.randomUUID, which pages without TLS do not have. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function present(headers: HttpRequest['headers'] = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}

function timeoutOf(signal: AbortSignal | undefined, milliseconds: number | undefined) {
  const linked = linkedTo(signal);
  const timer =
    milliseconds === undefined ? undefined : setTimeout(() => linked.abort(), milliseconds);
  return {
    signal: linked.signal,
    stopTimer: () => clearTimeout(timer),
    detach: linked.detach,
  };
}

/** Calls `ended` for a body that was collected before it was read to its end. */
const unread = new FinalizationRegistry((ended: () => void) => ended());

/** Returns the response, and calls `ended` as soon as its body has ended or is canceled. */
function untilRead(response: Response, ended: () => void): Response {
  if (!response.body) {
    ended();
    return response;
  }
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  // Not before the first read: `fetch` ends the connection of a response that nobody reads and that
  // was collected, if its body is not locked.
  const opened = () => {
    if (reader) return reader;
    reader = (response.body as ReadableStream<Uint8Array>).getReader();
    reader.closed.then(ended, ended);
    return reader;
  };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await opened().read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => opened().cancel(reason),
    },
    { highWaterMark: 0 },
  );
  unread.register(body, ended);
  const { url, redirected } = response;
  const watched = new Response(body, response);
  return Object.defineProperties(watched, {
    url: { value: url },
    redirected: { value: redirected },
  });
}

/** The status and the headers of a response. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: Pick<Headers, 'get'>;
}

/** Seconds. */
function retryAfterOf({ headers }: ResponseHead): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return seconds >= 0 ? seconds : undefined;
}

/**
 * Returns the error of a response that is not 2xx. `body`: parsed JSON; a proxy may have sent it.
 */
export function errorOf(response: ResponseHead, body: unknown): StowageError {
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

/** Returns undefined for a text that is not JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
