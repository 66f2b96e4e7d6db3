/** The client of a stowage service, for Node.js 20 and later and for browsers. */

import type { Permission, TemporaryKey } from './access';
import { BucketRequests } from './buckets';
import {
  type FollowedBuckets,
  Subscription,
  type SubscriptionOptions,
} from './channel/subscription';
import { requestTicket } from './channel/ticket';
import { globalWebSocket, type OpenWebSocket, sendsHeaders } from './channel/web-socket';
import {
  type ChangeConditions,
  type Commit,
  type CommitChanges,
  type CommitOptions,
  type CopySource,
  commitOne,
  deleteAll,
  type NewContent,
  type RemoveOptions,
  sendCommit,
} from './commits';
import { ConsumerRequests } from './consumers';
import { StowageError } from './errors';
import { restore, versionPage } from './history';
import { Http, REQUEST_MS } from './http';
import { FUNCTION_ORIGIN, invokingFetch } from './invocation';
import { LinkRequests } from './links';
import { type MirrorEvent, type MirrorOptions, mirror } from './mirror';
import type {
  GetOptions,
  InvokingClientOptions,
  ListOptions,
  PutOptions,
  RestoreOptions,
  SignedUrlOptions,
  StowageClientOptions,
  VersionsOptions,
} from './options';
import {
  type DeletedObject,
  isListPage,
  isRecord,
  type ListPage,
  type ObjectDescriptor,
  objectPath,
  type RestoreResult,
  type SignedUrl,
  type UploadState,
  type VersionPage,
} from './resources';
import { requestSignedUrl } from './signed-urls';
import { requestTemporaryKey } from './temporary-keys';

/**
 * A client of one service, by one API key or by invocations. It opens connections only for requests
 * and subscriptions, and does not need to be closed.
 */
export class StowageClient {
  /** Makes, lists and revokes links. */
  readonly links: LinkRequests;
  /** Stores, reads and deletes consumers. */
  readonly consumers: ConsumerRequests;
  /** Describes buckets and sets their lifecycle rules. */
  readonly buckets: BucketRequests;
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
    this.links = new LinkRequests(this.#http);
    this.consumers = new ConsumerRequests(this.#http);
    this.buckets = new BucketRequests(this.#http);
    // An invoking client has neither an API key nor a ticket, so its subscriptions poll.
    this.#openWebSocket = isInvoking ? undefined : (webSocket ?? globalWebSocket());
  }

  /**
   * Subscribes to buckets: returns every change after the given cursors, in order, each once, for
   * as long as you read.
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
   * Returns a snapshot of a bucket and then every change: a reader that applies the events holds an
   * exact copy. See MirrorEvent.
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
   * Returns one page of a bucket's objects in key order. Throws StowageError, as all requests of
   * the client do: none is repeated.
   */
  async list(bucket: string, options: ListOptions = {}): Promise<ListPage> {
    const { prefix, delimiter, startAfter, limit, pageToken, asOf, signal } = options;
    const page = await this.#http.json({
      path: `objects/${encodeURIComponent(bucket)}`,
      query: {
        // An empty text means the same as none, and not every gateway forwards one.
        prefix: prefix || undefined,
        delimiter: delimiter || undefined,
        start_after: startAfter || undefined,
        limit,
        page_token: pageToken,
        as_of: asOf,
      },
      signal,
      timeoutMs: REQUEST_MS,
    });
    if (isListPage(page)) return page;
    throw new StowageError('invalid_answer', 'the response of the service is not a list');
  }

  /**
   * Returns a response whose body is the content, with the object's headers. Throws StowageError
   * `not_found` when there is no such object, `cursor_expired` when `asOf` is past the retention.
   */
  get(bucket: string, key: string, options: GetOptions = {}): Promise<Response> {
    return this.#read('GET', objectPath(bucket, key), options);
  }

  /** Returns the headers of an object as `get` does, without its content. */
  head(bucket: string, key: string, options: GetOptions = {}): Promise<Response> {
    return this.#read('HEAD', objectPath(bucket, key), options);
  }

  /**
   * Returns one page of an object's versions that are kept, newest first, deletions included.
   * Throws StowageError `not_found` when there is none.
   */
  versions(bucket: string, key: string, options: VersionsOptions = {}): Promise<VersionPage> {
    return versionPage(this.#http, { bucket, key }, options);
  }

  /**
   * Uploads at most 4 MiB and returns the object. Throws StowageError `precondition_failed` when a
   * condition does not hold, `payload_too_large` above 4 MiB.
   */
  async put(
    bucket: string,
    key: string,
    body: NonNullable<RequestInit['body']>,
    options: PutOptions = {},
  ): Promise<ObjectDescriptor> {
    const { contentType, metadata = {}, ifMatch, signal } = options;
    const response = await this.#http.json({
      method: 'PUT',
      path: objectPath(bucket, key),
      headers: {
        'content-type': contentType ?? 'application/octet-stream',
        'if-match': ifMatch === undefined ? undefined : `"${ifMatch}"`,
        'if-none-match': options.ifNoneMatch,
        'idempotency-key': options.idempotencyKey,
        'x-object-expires-at': options.expiresAt,
        ...Object.fromEntries(
          Object.entries(metadata).map(([name, value]) => [`x-object-meta-${name}`, value]),
        ),
      },
      body,
      signal,
    });
    return response as ObjectDescriptor;
  }

  /** Deletes an object. Throws StowageError `not_found` when there is no such object. */
  async delete(
    bucket: string,
    key: string,
    options: { signal?: AbortSignal } = {},
  ): Promise<DeletedObject> {
    const path = objectPath(bucket, key);
    const request = { method: 'DELETE', path, timeoutMs: REQUEST_MS } as const;
    return (await this.#http.json({ ...request, signal: options.signal })) as DeletedObject;
  }

  /**
   * Brings keys back to what they were, a part of them: repeat it with `next_page_token` as
   * `pageToken` while there is one. Throws StowageError `cursor_expired` past the retention.
   */
  restore(bucket: string, options: RestoreOptions): Promise<RestoreResult> {
    return restore(this.#http, bucket, options);
  }

  /**
   * Returns a URL that downloads or uploads one object without an API key:
   * `fetch(url, { method, headers, body })`.
   */
  signedUrl(bucket: string, key: string, options: SignedUrlOptions): Promise<SignedUrl> {
    return requestSignedUrl(this.#http, { bucket, key }, options);
  }

  /**
   * Returns what became of an upload by a signed URL. Throws StowageError `not_found` when there is
   * no such upload, it ended more than 7 days ago, or the key may not write its object.
   */
  async uploadState(
    uploadId: string,
    options: { signal?: AbortSignal } = {},
  ): Promise<UploadState> {
    const path = `uploads/${encodeURIComponent(uploadId)}`;
    const response = await this.#http.json({ path, signal: options.signal, timeoutMs: REQUEST_MS });
    if (isRecord(response) && typeof response.state === 'string') {
      return response as unknown as UploadState;
    }
    throw new StowageError('invalid_answer', 'the response of the service is not an upload');
  }

  /**
   * Makes a temporary key, which a client can use as its `apiKey`: it may do a part of what this
   * client's key may, and ends with it. Throws StowageError `forbidden` when the key may not do all
   * of it.
   */
  temporaryKey(
    permissions: readonly Permission[],
    options: { expiresIn?: number; signal?: AbortSignal } = {},
  ): Promise<TemporaryKey> {
    return requestTemporaryKey(this.#http, permissions, options);
  }

  /**
   * Makes several changes, all or nothing. Throws StowageError `precondition_failed` when a
   * condition does not hold, or something has changed since `ifCursor`.
   */
  commit(bucket: string, changes: CommitChanges, options: CommitOptions = {}): Promise<Commit> {
    return sendCommit(this.#http, bucket, changes, options);
  }

  /** Copies an object within the service, with the content of `content` or of the source. */
  copy(
    bucket: string,
    key: string,
    from: CopySource,
    content: NewContent = {},
  ): Promise<ObjectDescriptor> {
    return commitOne(this.#http, bucket, { op: 'copy', key, from, ...content });
  }

  /** Gives an object another key in its bucket. */
  move(
    bucket: string,
    key: string,
    from: string,
    conditions: ChangeConditions = {},
  ): Promise<ObjectDescriptor> {
    return commitOne(this.#http, bucket, { op: 'move', key, from: { key: from }, ...conditions });
  }

  /** Changes what describes an object, not its bytes. A field that is absent stays as it is. */
  patch(bucket: string, key: string, content: NewContent): Promise<ObjectDescriptor> {
    return commitOne(this.#http, bucket, { op: 'patch', key, ...content });
  }

  /**
   * Deletes the objects below a prefix, by several requests, and returns how many there were. Waits
   * while the key has no tokens. When it throws, some may have been deleted.
   */
  removeAll(bucket: string, prefix: string, options: RemoveOptions = {}): Promise<number> {
    return deleteAll(this.#http, bucket, prefix, options);
  }

  #read(method: 'GET' | 'HEAD', path: string, { version, asOf, signal }: GetOptions) {
    return this.#http.request({ method, path, query: { version, as_of: asOf }, signal });
  }

  #ticket(): StowageClientOptions['ticket'] {
    const { apiKey, ticket, webSocket } = this.#options;
    if (ticket || webSocket || apiKey === undefined || sendsHeaders()) return ticket;
    return (wanted) => requestTicket(this.#http, wanted);
  }
}
