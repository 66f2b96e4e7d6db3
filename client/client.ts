/** The client of a stowage service, for Node.js 20 and later, Deno, Bun, browsers and workers. */

import { type Permission, requestTemporaryKey, type TemporaryKey } from './access';
import { BucketRequests } from './buckets';
import {
  type FollowedBuckets,
  Subscription,
  type SubscriptionOptions,
} from './channel/subscription';
import { globalWebSocket, type OpenWebSocket } from './channel/web-socket';
import * as commits from './commits';
import { ConsumerRequests } from './consumers';
import { restore, versionPage } from './history';
import { type Fetch, Http } from './http';
import { FUNCTION_ORIGIN, invokingFetch } from './invocation';
import { LinkRequests } from './links';
import { type MirrorEvent, type MirrorOptions, mirror } from './mirror';
import * as objects from './objects';
import type {
  DeleteOptions,
  DescribeOptions,
  GetOptions,
  InvokingClientOptions,
  ListOptions,
  ObjectsOptions,
  PutOptions,
  RequestOptions,
  RestoreOptions,
  SignedUrlOptions,
  StowageClientOptions,
  VersionsOptions,
} from './options';
import type {
  DeletedObject,
  ListPage,
  ObjectDescriptor,
  RestoreResult,
  SignedUrl,
  UploadState,
  VersionPage,
} from './resources';
import type { Random } from './retry';
import { requestSignedUrl } from './signed-urls';
import { requestTicket, ticketSource } from './tickets';
import { type DownloadOptions, type DownloadTarget, download } from './transfer/download';
import { type AbortedUpload, abortUpload } from './transfer/multipart';
import type { UploadSource } from './transfer/source';
import { type UploadedObject, type UploadOptions, upload } from './transfer/upload';
import { uploadState } from './transfer/upload-state';

/** Repetitions of a request. With the waits between them they take some seconds. */
const RETRIES = 3;

/**
 * A client of one service, by one API key or by invocations. It opens connections only for requests
 * and subscriptions, and does not need to be closed.
 */
export class StowageClient {
  /** Creates, lists and deletes buckets, and sets their lifecycle rules. */
  readonly buckets: BucketRequests;
  /** Makes, lists and revokes links. */
  readonly links: LinkRequests;
  /** Stores, reads and deletes consumers. */
  readonly consumers: ConsumerRequests;
  readonly #http: Http;
  /** Sends each request once, for loops that repeat requests themselves. */
  readonly #loopHttp: Http;
  /** How transfers reach S3: by the `fetch` of the options if there is one. */
  readonly #reach: { readonly fetch: Fetch; readonly mayUseNode: boolean; readonly random: Random };
  readonly #options: StowageClientOptions;
  readonly #openWebSocket: OpenWebSocket | undefined;

  constructor(options: StowageClientOptions | InvokingClientOptions) {
    const fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
    const isInvoking = 'invoke' in options;
    const reached: StowageClientOptions = isInvoking
      ? { baseUrl: FUNCTION_ORIGIN, fetch: invokingFetch(options.invoke, fetch) }
      : options;
    const { baseUrl, apiKey, webSocket, allowPlainHttp } = reached;
    const reach = { baseUrl, apiKey, allowPlainHttp, fetch: reached.fetch ?? fetch };
    this.#http = new Http({ ...reach, retries: options.retries ?? RETRIES });
    this.buckets = new BucketRequests(this.#http);
    this.links = new LinkRequests(this.#http);
    this.consumers = new ConsumerRequests(this.#http);
    this.#options = reached;
    this.#loopHttp = new Http(reach);
    const mayUseNode = options.fetch === undefined && !isInvoking;
    this.#reach = { fetch, mayUseNode, random: Math.random };
    // An invoking client has neither an API key nor a ticket, so its subscriptions poll.
    this.#openWebSocket = isInvoking ? undefined : (webSocket ?? globalWebSocket());
  }

  /** Returns one page of a bucket's objects in key order. */
  list(bucket: string, options: ListOptions = {}): Promise<ListPage> {
    return objects.listPage(this.#http, bucket, options);
  }

  /**
   * Returns the objects of a bucket in key order, page by page as they are read.
   *
   *     for await (const object of client.objects('photos', { prefix: '2026/' })) …
   */
  objects(
    bucket: string,
    options: ObjectsOptions = {},
  ): AsyncGenerator<ObjectDescriptor, void, undefined> {
    return objects.eachObject(this.#http, bucket, options);
  }

  /**
   * Returns a response whose body is the content, with the object's headers. Throws StowageError
   * `not_found` when there is no such object, `cursor_expired` when `asOf` is past the retention.
   */
  get(bucket: string, key: string, options: GetOptions = {}): Promise<Response> {
    return objects.readObject(this.#http, 'GET', { bucket, key }, options);
  }

  /** Returns the headers of an object as `get` does, without its content. */
  head(bucket: string, key: string, options: GetOptions = {}): Promise<Response> {
    return objects.readObject(this.#http, 'HEAD', { bucket, key }, options);
  }

  /** Returns the descriptor of an object. Throws as `get`. */
  describe(bucket: string, key: string, options: DescribeOptions = {}): Promise<ObjectDescriptor> {
    return objects.describeObject(this.#http, { bucket, key }, options);
  }

  /** Returns one page of an object's versions that are kept, newest first, with deletions. */
  versions(bucket: string, key: string, options: VersionsOptions = {}): Promise<VersionPage> {
    return versionPage(this.#http, { bucket, key }, options);
  }

  /**
   * Uploads at most 4 MiB in one request and returns the object. Throws StowageError
   * `precondition_failed` when a condition does not hold, `payload_too_large` above 4 MiB.
   */
  put(
    bucket: string,
    key: string,
    body: NonNullable<RequestInit['body']>,
    options: PutOptions = {},
  ): Promise<ObjectDescriptor> {
    return objects.putObject(this.#http, { bucket, key }, body, options);
  }

  /** Deletes an object. Throws StowageError `not_found` when there is no such object. */
  delete(bucket: string, key: string, options: DeleteOptions = {}): Promise<DeletedObject> {
    return objects.deleteObject(this.#http, { bucket, key }, options);
  }

  /**
   * Restores a part of the keys to an earlier state: repeat the call with `next_page_token` as
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
   * Returns the address of a one-use ticket, by which a page without an API key opens a channel for
   * the bucket and the prefix: see the option `ticket`.
   */
  ticket(
    bucket: string,
    { prefix = '', signal }: RequestOptions & { readonly prefix?: string | undefined } = {},
  ): Promise<string> {
    return requestTicket(this.#http, { bucket, prefix }, signal);
  }

  /**
   * Makes a temporary key, which a client can use as its `apiKey`. It has a subset of the
   * permissions of this client's key, and ends with that key. Throws StowageError `forbidden` when
   * this client's key lacks one of the permissions.
   */
  temporaryKey(
    permissions: readonly Permission[],
    options: RequestOptions & { readonly expiresIn?: number | undefined } = {},
  ): Promise<TemporaryKey> {
    return requestTemporaryKey(this.#http, permissions, options);
  }

  /**
   * Makes several changes, all or nothing. Throws StowageError `precondition_failed` when a
   * condition does not hold, or something has changed since `ifCursor`.
   */
  commit(
    bucket: string,
    changes: commits.CommitChanges,
    options: commits.CommitOptions = {},
  ): Promise<commits.Commit> {
    return commits.sendCommit(this.#http, bucket, changes, options);
  }

  /**
   * Copies an object within the service; the fields of `content` replace those of the source. Waits
   * for a copy of more than 5 GiB, which takes minutes and needs the permission `read`. The signal
   * ends the wait, not the copy.
   */
  copy(
    bucket: string,
    key: string,
    from: commits.CopySource,
    content: commits.NewContent = {},
  ): Promise<ObjectDescriptor> {
    return commits.sendCopy(this.#http, { bucket, key, from }, content);
  }

  /** Gives an object another key in its bucket. */
  move(
    bucket: string,
    key: string,
    from: string,
    options: commits.MoveOptions = {},
  ): Promise<ObjectDescriptor> {
    return commits.commitOne(this.#http, bucket, {
      op: 'move',
      key,
      from: { key: from },
      ...options,
    });
  }

  /**
   * Changes headers, metadata or expiry of an object, and not its bytes. An absent field stays as
   * it is.
   */
  patch(bucket: string, key: string, content: commits.NewContent): Promise<ObjectDescriptor> {
    return commits.commitOne(this.#http, bucket, { op: 'patch', key, ...content });
  }

  /**
   * Deletes the objects below a prefix by several requests, and returns how many there were. Waits
   * while the key is rate limited. When it throws, some objects may have been deleted.
   */
  removeAll(bucket: string, prefix: string, options: commits.RemoveOptions = {}): Promise<number> {
    return commits.deleteAll(this.#http, bucket, prefix, options);
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
      list: (list) => objects.listPage(this.#loopHttp, bucket, list),
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
   * Returns the state of an upload by a signed URL. Throws StowageError `not_found` when there is
   * no such upload, it ended more than 7 days ago, or the key may not write its object.
   */
  uploadState(uploadId: string, options: RequestOptions = {}): Promise<UploadState> {
    return uploadState(this.#http, uploadId, options.signal);
  }

  /**
   * Ends an upload that a ResumeStore has saved, so that S3 removes its parts. Throws StowageError
   * `not_found` when it has ended already.
   */
  abortUpload(saved: AbortedUpload, options: RequestOptions = {}): Promise<void> {
    const { signal = new AbortController().signal } = options;
    return abortUpload({ http: this.#http, fetch: this.#reach.fetch }, saved, signal);
  }
}

/** The methods of a client that send requests, and neither follow changes nor transfer files. */
export type ServiceRequests = Omit<
  StowageClient,
  'sync' | 'mirror' | 'upload' | 'download' | 'uploadState' | 'abortUpload'
>;
