import { type Permission, requestTemporaryKey, type TemporaryKey } from './access';
import { BucketRequests } from './buckets';
import { requestTicket } from './channel/ticket';
import * as commits from './commits';
import { ConsumerRequests } from './consumers';
import { restore, versionPage } from './history';
import type { Http } from './http';
import { LinkRequests } from './links';
import * as objects from './objects';
import type {
  DeleteOptions,
  DescribeOptions,
  GetOptions,
  ListOptions,
  ObjectsOptions,
  PutOptions,
  RequestOptions,
  RestoreOptions,
  SignedUrlOptions,
  VersionsOptions,
} from './options';
import type {
  DeletedObject,
  ListPage,
  ObjectDescriptor,
  RestoreResult,
  SignedUrl,
  VersionPage,
} from './resources';
import { requestSignedUrl } from './signed-urls';

/** The methods of a client that are requests to the service, and nothing else. */
export abstract class ServiceRequests {
  /** Creates, lists and deletes buckets, and sets their lifecycle rules. */
  readonly buckets: BucketRequests;
  /** Makes, lists and revokes links. */
  readonly links: LinkRequests;
  /** Stores, reads and deletes consumers. */
  readonly consumers: ConsumerRequests;
  readonly #http: Http;

  /** @internal */
  constructor(http: Http) {
    this.#http = http;
    this.buckets = new BucketRequests(http);
    this.links = new LinkRequests(http);
    this.consumers = new ConsumerRequests(http);
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
   * Makes a temporary key, which a client can use as its `apiKey`: it may do a part of what this
   * client's key may, and ends with it. Throws StowageError `forbidden` when the key may not do all
   * of it.
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
   * Copies an object within the service, with the content of `content` or of the source. Waits for
   * a copy of more than 5 GiB, which takes minutes, and needs `read` for it; it continues although
   * the signal ends the wait.
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

  /** Changes what describes an object, not its bytes. A field that is absent stays as it is. */
  patch(bucket: string, key: string, content: commits.NewContent): Promise<ObjectDescriptor> {
    return commits.commitOne(this.#http, bucket, { op: 'patch', key, ...content });
  }

  /**
   * Deletes the objects below a prefix, by several requests, and returns how many there were. Waits
   * while the key has no tokens. When it throws, some may have been deleted.
   */
  removeAll(bucket: string, prefix: string, options: commits.RemoveOptions = {}): Promise<number> {
    return commits.deleteAll(this.#http, bucket, prefix, options);
  }
}
