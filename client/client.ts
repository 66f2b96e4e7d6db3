/** The client of a stowage service, for Node.js 20 and later, Deno, Bun, browsers and workers. */

import {
  type FollowedBuckets,
  Subscription,
  type SubscriptionOptions,
} from './channel/subscription';
import { ticketSource } from './channel/ticket';
import { globalWebSocket, type OpenWebSocket } from './channel/web-socket';
import { type Fetch, Http } from './http';
import { FUNCTION_ORIGIN, invokingFetch } from './invocation';
import { type MirrorEvent, type MirrorOptions, mirror } from './mirror';
import { listPage } from './objects';
import type { InvokingClientOptions, RequestOptions, StowageClientOptions } from './options';
import type { ObjectDescriptor, UploadState } from './resources';
import type { Random } from './retry';
import { ServiceRequests } from './service-requests';
import { type DownloadOptions, type DownloadTarget, download } from './transfer/download';
import { type AbortedUpload, abortUpload } from './transfer/multipart';
import type { UploadSource } from './transfer/source';
import { type UploadedObject, type UploadOptions, upload } from './transfer/upload';
import { uploadState } from './transfer/upload-state';

/** How often a request is sent again. With the backoff between them they take some seconds. */
const RETRIES = 3;

/**
 * A client of one service, by one API key or by invocations. It opens connections only for requests
 * and subscriptions, and does not need to be closed.
 */
export class StowageClient extends ServiceRequests {
  readonly #http: Http;
  /** For loops that wait out failures themselves. */
  readonly #loopHttp: Http;
  /** How transfers reach S3: by the caller's own `fetch` if there is one. */
  readonly #reach: { readonly fetch: Fetch; readonly mayUseNode: boolean; readonly random: Random };
  readonly #options: StowageClientOptions;
  readonly #openWebSocket: OpenWebSocket | undefined;

  constructor(options: StowageClientOptions | InvokingClientOptions) {
    const fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
    const isInvoking = 'invoke' in options;
    const reached: StowageClientOptions = isInvoking
      ? { baseUrl: FUNCTION_ORIGIN, fetch: invokingFetch(options.invoke, fetch) }
      : options;
    const { baseUrl, apiKey, webSocket } = reached;
    const reach = { baseUrl, apiKey, fetch: reached.fetch ?? fetch };
    const http = new Http({ ...reach, retries: options.retries ?? RETRIES });
    super(http);
    this.#http = http;
    this.#options = reached;
    this.#loopHttp = new Http(reach);
    const mayUseNode = options.fetch === undefined && !isInvoking;
    this.#reach = { fetch, mayUseNode, random: Math.random };
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
      http: this.#loopHttp,
      openWebSocket: this.#openWebSocket,
      canPoll: apiKey !== undefined || this.#options.ticket === undefined,
      ticket: ticketSource(this.#options, this.#loopHttp),
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
      list: (list) => listPage(this.#loopHttp, bucket, list),
      follow: (from, signal) =>
        this.sync({ [bucket]: from }, { signal, transport: options.transport }).events(),
      random: Math.random,
    });
  }

  /**
   * Uploads content of any size: bytes, a Blob or File, `{ path }`, or a stream. Content above 4
   * MiB goes to S3 in concurrent parts. Returns when the object is committed.
   *
   *     await client.upload('photos', 'film.mp4', { path: 'film.mp4' })
   *
   * Throws StowageError `precondition_failed` when a condition does not hold.
   */
  upload(
    bucket: string,
    key: string,
    source: UploadSource,
    options: UploadOptions = {},
  ): Promise<UploadedObject> {
    const put = (...request: Parameters<typeof this.put>) => this.put(...request);
    const deps = { ...this.#reach, http: this.#http, put };
    return upload(deps, { bucket, key }, source, options);
  }

  /**
   * Downloads an object of any size to `{ path }` or to a WritableStream, and returns it. A file is
   * written in concurrent ranges, and its checksum is compared; a repeated call continues where an
   * earlier one ended.
   */
  download(
    bucket: string,
    key: string,
    target: DownloadTarget,
    options: DownloadOptions = {},
  ): Promise<ObjectDescriptor> {
    const describe = (...request: Parameters<typeof this.describe>) => this.describe(...request);
    const deps = { ...this.#reach, http: this.#loopHttp, describe };
    return download(deps, { bucket, key }, target, options);
  }

  /**
   * Returns what became of an upload by a signed URL. Throws StowageError `not_found` when there is
   * no such upload, it ended more than 7 days ago, or the key may not write its object.
   */
  uploadState(uploadId: string, options: RequestOptions = {}): Promise<UploadState> {
    return uploadState(this.#http, uploadId, options.signal);
  }

  /**
   * Ends an upload that a ResumeStore has and that is not to be continued, so that its parts are
   * removed. Throws StowageError `not_found` when it has ended already.
   */
  abortUpload(saved: AbortedUpload, options: RequestOptions = {}): Promise<void> {
    const { signal = new AbortController().signal } = options;
    return abortUpload({ http: this.#http, fetch: this.#reach.fetch }, saved, signal);
  }
}
