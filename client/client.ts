/** The client of a stowage service, for Node.js 20 and later and for browsers. */

import {
  type FollowedBuckets,
  Subscription,
  type SubscriptionOptions,
} from './channel/subscription';
import { globalWebSocket, type OpenWebSocket, sendsHeaders } from './channel/web-socket';
import { StowageError } from './errors';
import { type Fetch, Http } from './http';
import { FUNCTION_ORIGIN, type Invoke, invokingFetch } from './invocation';
import { type MirrorEvent, type MirrorOptions, mirror } from './mirror';
import {
  type DeletedObject,
  isCursor,
  isRecord,
  type ListPage,
  type ObjectDescriptor,
  type SignedUrl,
} from './resources';

/** Where the service is, and how it is reached. */
export interface StowageClientOptions {
  /** Where the service is: the origin, and the path before `/api/v2/storage` if there is one. */
  readonly baseUrl: string;
  /** `osk_…`. Without it, requests carry no key, and channels are opened with `ticket`. */
  readonly apiKey?: string;
  /** @default the global fetch */
  readonly fetch?: Fetch;
  /**
   * Opens WebSockets that carry the headers, for example
   * `(url, headers) => new WebSocket(url, { headers })` with the package ws.
   *
   * @default the global WebSocket
   */
  readonly webSocket?: OpenWebSocket;
  /**
   * Answers the address of a new one-use ticket, for where a page must not know the key: ask your
   * own server, which asks `POST /signed-url` with `{"method": "SYNC", "bucket", "prefix"}`.
   *
   * @default asks the service with `apiKey`, where a WebSocket cannot carry headers (in browsers)
   */
  readonly ticket?: (wanted: {
    readonly bucket: string;
    readonly prefix: string;
  }) => Promise<string>;
}

/**
 * For programs in the service's own AWS account to which `grantRead`, `grantWrite` or `grantSync`
 * has granted something.
 */
export interface InvokingClientOptions {
  /** Invokes what `accessArn` of the construct names. */
  readonly invoke: Invoke;
  /** Gets content above 4 MiB by its signed URL. @default the global fetch */
  readonly fetch?: Fetch;
}

/** What to list. */
export interface ListOptions {
  /** Only keys that begin with it. @default every key */
  readonly prefix?: string;
  /**
   * What comes behind the prefix and this text is told once, as a prefix of the page: `/` lists a
   * folder.
   */
  readonly delimiter?: string;
  /** Only keys behind this one. */
  readonly startAfter?: string;
  /** 1 to 1000. @default 100 */
  readonly limit?: number;
  /** `next_page_token` of the page before. */
  readonly pageToken?: string;
  /** Gives the request up, which throws its reason. */
  readonly signal?: AbortSignal;
}

/** What goes with an upload. */
export interface PutOptions {
  /** @default 'application/octet-stream' */
  readonly contentType?: string;
  /** Texts by name, kept with the object: docs/api.md says how much. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** An etag without quotes: only replace that. */
  readonly ifMatch?: string;
  /** Only create. */
  readonly ifNoneMatch?: '*';
  /** Makes a retry safe. */
  readonly idempotencyKey?: string;
  /**
   * Gives the request up, which throws its reason; whether the object was written is then not
   * known.
   */
  readonly signal?: AbortSignal;
}

/** What the URL is to be good for; docs/api.md, "Signed URLs". */
export interface SignedUrlOptions {
  /** GET: downloads. PUT: uploads, once. */
  readonly method: 'GET' | 'PUT';
  /** Seconds, 1 to 3600. @default 300 */
  readonly expiresIn?: number;
  /** PUT: the content that is uploaded must have it. */
  readonly contentType?: string;
  /** PUT: bytes, exactly. */
  readonly contentLength?: number;
  /** GET: how browsers offer the download. */
  readonly contentDisposition?: string;
  /** Gives up waiting. */
  readonly signal?: AbortSignal;
}

const REQUEST_MS = 30_000;

/**
 * A client of one service, by one API key or by invocations. Nothing is open until something is
 * asked, and nothing needs to be closed.
 */
export class StowageClient {
  readonly #http: Http;
  readonly #options: StowageClientOptions;
  readonly #openWebSocket: OpenWebSocket | undefined;

  constructor(options: StowageClientOptions | InvokingClientOptions) {
    const fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
    const isInvoking = 'invoke' in options;
    this.#options = isInvoking
      ? { baseUrl: FUNCTION_ORIGIN, fetch: invokingFetch(options.invoke, fetch) }
      : options;
    const { baseUrl, apiKey, webSocket } = this.#options;
    this.#http = new Http(baseUrl, apiKey, this.#options.fetch ?? fetch);
    // A channel takes an API key: without one, changes come by pages.
    this.#openWebSocket = isInvoking ? undefined : (webSocket ?? globalWebSocket());
  }

  /**
   * Follows buckets: every change after the cursor that you name, in order, each once, for as
   * long as you read.
   *
   *     for await (const change of client.sync({ photos: { cursor: 8 } })) …
   */
  sync(follow: FollowedBuckets, options: SubscriptionOptions = {}): Subscription {
    const { apiKey } = this.#options;
    return new Subscription(follow, options, {
      http: this.#http,
      openWebSocket: this.#openWebSocket,
      canPoll: apiKey !== undefined || this.#options.ticket === undefined,
      ticket: this.#ticket(),
      now: () => performance.timeOrigin + performance.now(),
      random: Math.random,
    });
  }

  /**
   * A snapshot of a bucket and then every change: whoever applies the events holds an exact copy.
   * See MirrorEvent.
   */
  mirror(
    bucket: string,
    options: MirrorOptions = {},
  ): AsyncGenerator<MirrorEvent, void, undefined> {
    return mirror(bucket, options, {
      list: (list) => this.list(bucket, list),
      follow: (from, signal) =>
        this.sync({ [bucket]: from }, { signal, transport: options.transport }).events(),
      random: Math.random,
    });
  }

  /**
   * One page of a bucket's objects in key order. Throws StowageError, as all requests here do: none
   * is repeated.
   */
  async list(bucket: string, options: ListOptions = {}): Promise<ListPage> {
    const { prefix, delimiter, startAfter, limit, pageToken, signal } = options;
    const page = await this.#http.json({
      path: `objects/${encodeURIComponent(bucket)}`,
      query: {
        // An empty text is as good as none, and not every gateway keeps one.
        prefix: prefix || undefined,
        delimiter: delimiter || undefined,
        start_after: startAfter || undefined,
        limit,
        page_token: pageToken,
      },
      signal,
      timeoutMs: REQUEST_MS,
    });
    if (isListPage(page)) return page;
    throw new StowageError('invalid_answer', 'the service did not answer with a list');
  }

  /**
   * The bytes: an answer of `fetch` whose status is 200, with the object's headers. Throws
   * StowageError `not_found` when there is none.
   */
  get(bucket: string, key: string, options: { signal?: AbortSignal } = {}): Promise<Response> {
    return this.#http.request({ path: objectPath(bucket, key), signal: options.signal });
  }

  /**
   * Uploads at most 4 MiB. Throws StowageError `precondition_failed` when a condition does not
   * hold, `payload_too_large` above 4 MiB.
   */
  async put(
    bucket: string,
    key: string,
    body: NonNullable<RequestInit['body']>,
    options: PutOptions = {},
  ): Promise<ObjectDescriptor> {
    const { contentType, metadata = {}, ifMatch, ifNoneMatch, idempotencyKey, signal } = options;
    const answer = await this.#http.json({
      method: 'PUT',
      path: objectPath(bucket, key),
      headers: {
        'content-type': contentType ?? 'application/octet-stream',
        'if-match': ifMatch === undefined ? undefined : `"${ifMatch}"`,
        'if-none-match': ifNoneMatch,
        'idempotency-key': idempotencyKey,
        ...Object.fromEntries(
          Object.entries(metadata).map(([name, value]) => [`x-object-meta-${name}`, value]),
        ),
      },
      body,
      signal,
    });
    return answer as ObjectDescriptor;
  }

  /** Deletes an object. Throws StowageError `not_found` when there is none. */
  async delete(
    bucket: string,
    key: string,
    options: { signal?: AbortSignal } = {},
  ): Promise<DeletedObject> {
    const { signal } = options;
    const path = objectPath(bucket, key);
    const request = { method: 'DELETE', path, signal, timeoutMs: REQUEST_MS } as const;
    return (await this.#http.json(request)) as DeletedObject;
  }

  /**
   * A URL that downloads or uploads one object, whoever holds it: `fetch(url, { method, headers,
   * body })`.
   */
  async signedUrl(bucket: string, key: string, options: SignedUrlOptions): Promise<SignedUrl> {
    const { method, expiresIn, contentType, contentLength, contentDisposition, signal } = options;
    const answer = await this.#http.json({
      method: 'POST',
      path: 'signed-url',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ bucket, key, method },
        ...{ expires_in: expiresIn, content_type: contentType, content_length: contentLength },
        content_disposition: contentDisposition,
      }),
      signal,
      timeoutMs: REQUEST_MS,
    });
    if (isSignedUrl(answer)) return answer;
    throw new StowageError('invalid_answer', 'the service did not answer with a signed URL');
  }

  #ticket(): StowageClientOptions['ticket'] {
    const { apiKey, ticket, webSocket } = this.#options;
    if (ticket || webSocket || apiKey === undefined || sendsHeaders()) return ticket;
    return (wanted) => this.#mintTicket(wanted);
  }

  async #mintTicket({ bucket, prefix }: { bucket: string; prefix: string }): Promise<string> {
    const answer = await this.#http.json({
      method: 'POST',
      path: 'signed-url',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ method: 'SYNC', bucket, ...(prefix !== '' && { prefix }) }),
      timeoutMs: REQUEST_MS,
    });
    if (isRecord(answer) && typeof answer.url === 'string') return answer.url;
    throw new StowageError('invalid_answer', 'the service did not answer with a ticket');
  }
}

/** Slashes stay: each segment is encoded by itself, and decoded exactly once by the service. */
function objectPath(bucket: string, key: string): string {
  const segments = key.split('/').map(encodeURIComponent);
  return `objects/${encodeURIComponent(bucket)}/${segments.join('/')}`;
}

function isSignedUrl(value: unknown): value is SignedUrl {
  return isRecord(value) && typeof value.url === 'string' && isRecord(value.headers);
}

function isListPage(value: unknown): value is ListPage {
  if (!isRecord(value) || !isCursor(value.cursor)) return false;
  return Array.isArray(value.objects) && typeof value.bucket_id === 'string';
}
