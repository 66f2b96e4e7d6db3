/** The options of the client and of its requests. */
import type { OpenWebSocket } from './channel/web-socket';
import type { Fetch } from './http';
import type { Invoke } from './invocation';

/** Where the service is, and how to reach it. */
export interface StowageClientOptions {
  /** The origin of the service, and the path before `/api/v2/storage` if there is one. */
  readonly baseUrl: string;
  /** `osk_…`. Without it, requests carry no key, and `ticket` opens the channels. */
  readonly apiKey?: string;
  /** @default the global fetch */
  readonly fetch?: Fetch;
  /**
   * How often a request is sent again after a temporary failure, when it has no effect the second
   * time: reads, and writes, to which the client gives an idempotency key.
   *
   * @default 3
   */
  readonly retries?: number;
  /**
   * Opens WebSockets that send the headers, for example
   * `(url, headers) => new WebSocket(url, { headers })` with the package ws.
   *
   * @default the global WebSocket
   */
  readonly webSocket?: OpenWebSocket;
  /**
   * Returns the address of a new one-use ticket, for pages that must not know an API key: request
   * it from your own server, which sends `POST /signed-url` with
   * `{"method": "SYNC", "bucket", "prefix"}`.
   *
   * @default requests it with `apiKey`, where a WebSocket cannot send headers (in browsers)
   */
  readonly ticket?: (wanted: {
    readonly bucket: string;
    readonly prefix: string;
  }) => Promise<string>;
}

/**
 * For programs in the AWS account of the service that have access by `grantRead`, `grantWrite` or
 * `grantSync`.
 */
export interface InvokingClientOptions {
  /** Invokes the function whose ARN is `accessArn` of the construct. */
  readonly invoke: Invoke;
  /** Downloads content above 4 MiB by its signed URL. @default the global fetch */
  readonly fetch?: Fetch;
  /** How often a request is sent again after a temporary failure. @default 3 */
  readonly retries?: number;
}

/** Bytes of an object, counted from 0. */
export interface ByteRange {
  /** The first one. */
  readonly from: number;
  /** The last one. @default the last one of the object */
  readonly to?: number;
}

/** What to download. */
export interface GetOptions {
  /** An older version. */
  readonly version?: number;
  /** The object as it was at this cursor of the bucket. Excludes `version`. */
  readonly asOf?: number;
  /** Only these bytes: `Range` of RFC 9110. */
  readonly range?: ByteRange;
  /** An etag: only if the object has it, else StowageError `precondition_failed`. */
  readonly ifMatch?: string;
  /** Aborts the request, which throws the reason of the signal. */
  readonly signal?: AbortSignal;
}

/** Which descriptor to read. */
export type DescribeOptions = Pick<GetOptions, 'version' | 'asOf' | 'signal'>;

/** Conditions of a deletion. */
export interface DeleteOptions {
  /** An etag: delete only the version that has it. */
  readonly ifMatch?: string;
  /** Makes a repeated deletion safe: it takes effect once. @default a new one */
  readonly idempotencyKey?: string;
  /** Aborts the request, which throws the reason of the signal. */
  readonly signal?: AbortSignal;
}

/** What to list, page by page. */
export type ObjectsOptions = Omit<ListOptions, 'delimiter' | 'limit' | 'pageToken'>;

/** What to list. */
export interface ListOptions {
  /** Only keys that begin with it. @default every key */
  readonly prefix?: string;
  /**
   * Keys that continue beyond this text after the prefix are grouped, and listed once as a prefix
   * of the page: `/` lists a folder.
   */
  readonly delimiter?: string;
  /** Only keys after this one. */
  readonly startAfter?: string;
  /** 1 to 1000. @default 100 */
  readonly limit?: number;
  /** `next_page_token` of the previous page. */
  readonly pageToken?: string;
  /** The list as it was at this cursor of the bucket. @default now */
  readonly asOf?: number;
  /** Aborts the request, which throws the reason of the signal. */
  readonly signal?: AbortSignal;
}

/** Which versions of an object to list. */
export interface VersionsOptions {
  /** Only versions below this one: `next_before` of the previous page. */
  readonly before?: number;
  /** 1 to 1000. @default 100 */
  readonly limit?: number;
  /** Aborts the request, which throws the reason of the signal. */
  readonly signal?: AbortSignal;
}

/** What is stored with the content of an object. */
export interface ContentOptions {
  /** @default the type of a Blob, else 'application/octet-stream' */
  readonly contentType?: string;
  /** Texts by name, stored with the object: docs/api.md has the limits. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** When the service deletes the object, ISO 8601. @default never */
  readonly expiresAt?: string;
  /** The Cache-Control of the object. */
  readonly cacheControl?: string;
  /** The Content-Disposition of the object. */
  readonly contentDisposition?: string;
  /** The Content-Encoding of the object, which is returned with its bytes as they are. */
  readonly contentEncoding?: string;
  /** The Content-Language of the object. */
  readonly contentLanguage?: string;
}

/** Properties and conditions of an upload. */
export interface PutOptions extends ContentOptions {
  /** An etag: replace only the version that has it. */
  readonly ifMatch?: string;
  /** Only create the object, do not replace one. */
  readonly ifNoneMatch?: '*';
  /** Makes a repeated upload safe: it takes effect once. @default a new one */
  readonly idempotencyKey?: string;
  /**
   * Aborts the request, which throws the reason of the signal; whether the object was written is
   * then unknown.
   */
  readonly signal?: AbortSignal;
}

/** What to bring back. */
export interface RestoreOptions {
  /** The cursor of the bucket whose state is wanted. */
  readonly asOf: number;
  /** Only keys that begin with it. @default every key */
  readonly prefix?: string;
  /** Only says what would change. @default false */
  readonly dryRun?: boolean;
  /** `next_page_token` of the previous call. */
  readonly pageToken?: string;
  /** Aborts the request, which throws the reason of the signal. */
  readonly signal?: AbortSignal;
}

/** What the URL permits; docs/api.md, "Signed URLs". */
export interface SignedUrlOptions {
  /** GET: downloads. PUT: uploads, once. */
  readonly method: 'GET' | 'PUT';
  /** Seconds, 1 to 3600. @default 300 */
  readonly expiresIn?: number;
  /** PUT: the upload must have this content type. */
  readonly contentType?: string;
  /** PUT: texts by name, stored with the object: docs/api.md has the limits. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** PUT: the Cache-Control of the object. */
  readonly cacheControl?: string;
  /** PUT: the Content-Encoding of the object, which is returned with its bytes as they are. */
  readonly contentEncoding?: string;
  /** PUT: the Content-Language of the object. */
  readonly contentLanguage?: string;
  /** PUT: when the service deletes the object, ISO 8601. @default never */
  readonly objectExpiresAt?: string;
  /** PUT: the upload must have exactly this many bytes. */
  readonly contentLength?: number;
  /** PUT: `false` leaves the upload staged until a commit names it. @default true */
  readonly commit?: boolean;
  /** GET: the Content-Disposition of the response. PUT: of the object. */
  readonly contentDisposition?: string;
  /** Aborts the request, which throws the reason of the signal. */
  readonly signal?: AbortSignal;
}
