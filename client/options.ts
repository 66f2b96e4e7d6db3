/** The options of the client and of its requests. */
import type { OpenWebSocket } from './channel/web-socket';
import type { Fetch } from './http';
import type { Invoke } from './invocation';

/** Where the service is, and how to reach it. */
export interface StowageClientOptions {
  /** The origin of the service, and the path before `/api/v2/storage` if there is one. */
  readonly baseUrl: string;
  /** `osk_…`. Without it, requests carry no key, and `ticket` opens the channels. */
  readonly apiKey?: string | undefined;
  /**
   * Permits `http://` to another machine than this one: everybody on the way can read the key.
   *
   * @default false
   */
  readonly allowPlainHttp?: boolean | undefined;
  /** @default the global fetch */
  readonly fetch?: Fetch | undefined;
  /**
   * How often a request is repeated after a temporary failure: reads, and writes, which have an
   * idempotency key.
   *
   * @default 3
   */
  readonly retries?: number | undefined;
  /**
   * Opens WebSockets that send the headers, for example
   * `(url, headers) => new WebSocket(url, { headers })` with the package ws.
   *
   * @default the global WebSocket
   */
  readonly webSocket?: OpenWebSocket | undefined;
  /**
   * Returns the address of a new one-use ticket, for pages that must not know an API key: request
   * it from your own server, which calls `ticket(bucket, { prefix })` of its client.
   *
   * @default requests it with `apiKey`, where a WebSocket cannot send headers (in browsers)
   */
  readonly ticket?:
    | ((wanted: { readonly bucket: string; readonly prefix: string }) => Promise<string>)
    | undefined;
}

/**
 * For programs in the AWS account of the service that have access by `grantRead`, `grantWrite` or
 * `grantSync`.
 */
export interface InvokingClientOptions {
  /** Invokes the function whose ARN is `accessArn` of the construct. */
  readonly invoke: Invoke;
  /** Downloads content above 4 MiB by its signed URL. @default the global fetch */
  readonly fetch?: Fetch | undefined;
  /** How often a request is repeated after a temporary failure. @default 3 */
  readonly retries?: number | undefined;
}

/** Options of every request. */
export interface RequestOptions {
  /** Aborts the request, which throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a request that changes something. */
export interface WriteOptions extends RequestOptions {
  /** Makes a repeated request safe: it takes effect once. @default a new one */
  readonly idempotencyKey?: string | undefined;
}

/** Bytes of an object, counted from 0. */
export interface ByteRange {
  /** The first one. */
  readonly from: number;
  /** The last one. @default the last one of the object */
  readonly to?: number | undefined;
}

/** Options of `get` and `head`. */
export interface GetOptions extends RequestOptions {
  /** An older version. */
  readonly version?: number | undefined;
  /** The object as it was at this cursor of the bucket. Excludes `version`. */
  readonly asOf?: number | undefined;
  /** Only these bytes: `Range` of RFC 9110. */
  readonly range?: ByteRange | undefined;
  /**
   * The etag of the content that `range` is about: if the object has another, the response is the
   * whole content.
   */
  readonly ifRange?: string | undefined;
  /** An etag: unless the object has it, the request throws StowageError `precondition_failed`. */
  readonly ifMatch?: string | undefined;
  /**
   * The etag of content that you have: if the object has it, the response is 304 without content.
   */
  readonly ifNoneMatch?: string | undefined;
  /** As `ifNoneMatch`, but by the time of the last change, in whole seconds. */
  readonly ifModifiedSince?: Date | undefined;
}

/** Options of `describe`. */
export type DescribeOptions = Pick<GetOptions, 'version' | 'asOf' | 'signal'>;

/** Options of `delete`. */
export interface DeleteOptions extends WriteOptions {
  /** An etag: delete only the version that has it. */
  readonly ifMatch?: string | undefined;
}

/** Options of `objects`. */
export type ObjectsOptions = Omit<ListOptions, 'delimiter' | 'limit' | 'pageToken'>;

/** Options of `list`. */
export interface ListOptions extends RequestOptions {
  /** Only keys that begin with it. @default every key */
  readonly prefix?: string | undefined;
  /**
   * Keys that continue beyond this text after the prefix are grouped, and listed once as a prefix
   * of the page: `/` lists a folder.
   */
  readonly delimiter?: string | undefined;
  /** Only keys after this one. */
  readonly startAfter?: string | undefined;
  /** 1 to 1000. @default 100 */
  readonly limit?: number | undefined;
  /** `next_page_token` of the previous page. */
  readonly pageToken?: string | undefined;
  /** The list as it was at this cursor of the bucket. @default now */
  readonly asOf?: number | undefined;
}

/** Options of `versions`. */
export interface VersionsOptions extends RequestOptions {
  /** Only versions below this one: `next_before` of the previous page. */
  readonly before?: number | undefined;
  /** 1 to 1000. @default 100 */
  readonly limit?: number | undefined;
}

/** Headers, metadata and expiry of an object. */
export interface ContentOptions {
  /** @default the type of a Blob, else 'application/octet-stream' */
  readonly contentType?: string | undefined;
  /** Texts by name, stored with the object: docs/api.md has the limits. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** When the service deletes the object, ISO 8601. @default never */
  readonly expiresAt?: string | undefined;
  /** The Cache-Control of the object. */
  readonly cacheControl?: string | undefined;
  /** The Content-Disposition of the object. */
  readonly contentDisposition?: string | undefined;
  /** The Content-Encoding of the object, which is returned with its bytes as they are. */
  readonly contentEncoding?: string | undefined;
  /** The Content-Language of the object. */
  readonly contentLanguage?: string | undefined;
}

/** Properties and conditions of an upload. */
export interface PutOptions extends ContentOptions {
  /** An etag: replace only the version that has it. */
  readonly ifMatch?: string | undefined;
  /** Only create the object, do not replace one. */
  readonly ifNoneMatch?: '*' | undefined;
  /** SHA-256 of the content in base64: the service refuses a body with other bytes. */
  readonly checksumSha256?: string | undefined;
  /** Makes a repeated upload safe: it takes effect once. @default a new one */
  readonly idempotencyKey?: string | undefined;
  /**
   * Aborts the request, which throws the reason of the signal; whether the object was written is
   * then unknown.
   */
  readonly signal?: AbortSignal | undefined;
}

/** Which keys to restore, and to which state. */
export interface RestoreOptions extends RequestOptions {
  /** The cursor of the bucket whose state is wanted. */
  readonly asOf: number;
  /** Only keys that begin with it. @default every key */
  readonly prefix?: string | undefined;
  /** Returns what would change, and changes nothing. @default false */
  readonly dryRun?: boolean | undefined;
  /** `next_page_token` of the previous call. */
  readonly pageToken?: string | undefined;
}

/** The request that the URL permits; docs/api.md, "Signed URLs". */
export interface SignedUrlOptions extends RequestOptions {
  /** GET: downloads. PUT: uploads, once. */
  readonly method: 'GET' | 'PUT';
  /** Seconds, 1 to 3600. @default 300 */
  readonly expiresIn?: number | undefined;
  /** PUT: the upload must have this content type. */
  readonly contentType?: string | undefined;
  /** PUT: texts by name, stored with the object: docs/api.md has the limits. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** PUT: the Cache-Control of the object. */
  readonly cacheControl?: string | undefined;
  /** PUT: the Content-Encoding of the object, which is returned with its bytes as they are. */
  readonly contentEncoding?: string | undefined;
  /** PUT: the Content-Language of the object. */
  readonly contentLanguage?: string | undefined;
  /** PUT: when the service deletes the object, ISO 8601. @default never */
  readonly objectExpiresAt?: string | undefined;
  /** PUT: the upload must have exactly this many bytes. */
  readonly contentLength?: number | undefined;
  /** PUT: SHA-256 of the bytes in base64, which S3 compares. */
  readonly checksumSha256?: string | undefined;
  /** PUT: an etag: replace only the version that has it. */
  readonly ifMatch?: string | undefined;
  /** PUT: only create the object, do not replace one. */
  readonly ifNoneMatch?: '*' | undefined;
  /** PUT: `false` leaves the upload staged until a commit names it. @default true */
  readonly commit?: boolean | undefined;
  /** GET: the Content-Disposition of the response. PUT: of the object. */
  readonly contentDisposition?: string | undefined;
}
