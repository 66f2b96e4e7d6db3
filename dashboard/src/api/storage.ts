/**
 * The storage interface as this page uses it: with the key of the session, renewed when refused.
 */
import { StowageClient } from '../../../client/client';
import { StowageError } from '../../../client/errors';
import type { SessionKey } from '../session/session-key';
import {
  type ApiResponse,
  bearer,
  dataOf,
  done,
  invalidAnswer,
  type Page,
  type Schemas,
  type ServiceClient,
  serviceClient,
  unlimited,
} from './client';

export type Bucket = Schemas['Bucket'];
export type Consumer = Schemas['Consumer'];
export type SignedUrl = Schemas['SignedDownload'];
export type Link = Schemas['Link'];
export type CreatedLink = Schemas['CreatedLink'];
export type SignedMultipart = Schemas['MultipartUpload'];
export type SignedRequest = SignedMultipart['complete' | 'abort'];
type ObjectDescriptor = Schemas['ObjectDescriptor'];

const BUCKETS = '/api/v2/storage/buckets';
const BUCKET = '/api/v2/storage/buckets/{bucket}';
const CONSUMERS = '/api/v2/storage/buckets/{bucket}/consumers';
const OBJECTS = '/api/v2/storage/objects/{bucket}';
const OBJECT = '/api/v2/storage/objects/{bucket}/{key}';
const LINKS = '/api/v2/storage/links';
const LINK = '/api/v2/storage/links/{id}';

/** The longest lifetime of a signed URL. */
const SIGNED_SECONDS = 3600;

/** The headers that contain the key. */
type Authorized = ReturnType<typeof bearer>;

/** Every method throws StowageError. */
export class StorageApi {
  readonly #root: string;
  readonly #client: ServiceClient;
  readonly #key: SessionKey;

  constructor(root: string, key: SessionKey) {
    this.#root = root;
    this.#client = serviceClient(root);
    this.#key = key;
  }

  /** Returns the published client, for subscriptions, with a key that does not expire soon. */
  async client(): Promise<StowageClient> {
    const { api_key: apiKey } = await this.#key.get();
    return new StowageClient({ baseUrl: this.#root, apiKey });
  }

  async buckets(next: string | undefined, signal?: AbortSignal): Promise<Page<Bucket>> {
    const params = { query: { limit: 1000, page_token: next } };
    const page = await this.#read((headers) =>
      this.#client.GET(BUCKETS, { params, headers, signal }),
    );
    return { items: page.buckets, next: page.next_page_token };
  }

  async createBucket(name: string): Promise<void> {
    await this.#read((headers) => this.#client.POST(BUCKETS, { body: { name }, headers }));
  }

  async deleteBucket(bucket: string): Promise<void> {
    const params = { path: { bucket } };
    await this.#withKey((headers) => done(this.#client.DELETE(BUCKET, { params, headers })));
  }

  async consumers(
    bucket: string,
    next: string | undefined,
    signal?: AbortSignal,
  ): Promise<Page<Consumer>> {
    const params = { path: { bucket }, query: { page_token: next } };
    const page = await this.#read((headers) =>
      this.#client.GET(CONSUMERS, { params, headers, signal }),
    );
    return { items: page.consumers, next: page.next_page_token };
  }

  list(
    bucket: string,
    options: { readonly prefix: string; readonly delimiter?: string; readonly next?: string },
    signal?: AbortSignal,
  ): Promise<Schemas['ObjectPage']> {
    const { prefix, delimiter, next: page_token } = options;
    // An empty text means the same as none, and not every gateway forwards one.
    const query = { prefix: prefix || undefined, delimiter, limit: 200, page_token };
    const params = { path: { bucket }, query };
    return this.#read((headers) => this.#client.GET(OBJECTS, { params, headers, signal }));
  }

  /** `version`: an older version. */
  async describe(
    bucket: string,
    key: string,
    options: { readonly version?: number; readonly signal?: AbortSignal } = {},
  ): Promise<ObjectDescriptor> {
    const { version, signal } = options;
    const query = { view: 'descriptor', version } as const;
    const params = { path: { bucket, key }, query };
    const body = await this.#read((headers) =>
      this.#client.GET(OBJECT, { params, headers, signal }),
    );
    // OpenAPI cannot describe that the response depends on `view`.
    return body as ObjectDescriptor;
  }

  /** Returns versions and deletions of a key, newest first. */
  async versions(
    bucket: string,
    key: string,
    next: string | undefined,
    signal?: AbortSignal,
  ): Promise<Page<Schemas['ObjectVersion']>> {
    const before = next === undefined ? undefined : Number(next);
    const query = { view: 'versions', limit: 50, before } as const;
    const params = { path: { bucket, key }, query };
    const body = await this.#read((headers) =>
      this.#client.GET(OBJECT, { params, headers, signal }),
    );
    // OpenAPI cannot describe that the response depends on `view`.
    const page = body as unknown as Schemas['VersionPage'];
    return { items: page.versions, next: page.next_before?.toString() };
  }

  /** Writes the content of an older version once more, also after a deletion. */
  async makeCurrent(bucket: string, key: string, version: number): Promise<void> {
    const changes: Schemas['CommitRequest']['changes'] = [
      { op: 'copy', key, from: { key, version } },
    ];
    await this.#read((headers) =>
      this.#client.POST('/api/v2/storage/commits', { body: { bucket, changes }, headers }),
    );
  }

  /** Returns the bytes of an older version. */
  version(bucket: string, key: string, version: number): Promise<ArrayBuffer> {
    const params = { path: { bucket, key }, query: { version } };
    return this.#read((headers) =>
      this.#client.GET(OBJECT, { params, headers, parseAs: 'arrayBuffer', ...unlimited }),
    );
  }

  /** Up to 4 MiB. */
  async put(
    bucket: string,
    key: string,
    body: Blob,
    options: {
      readonly contentType?: string;
      readonly ifNoneMatch?: '*';
      readonly idempotencyKey: string;
      readonly signal: AbortSignal;
    },
  ): Promise<void> {
    const { contentType = 'application/octet-stream', ifNoneMatch, signal } = options;
    const header = { 'If-None-Match': ifNoneMatch, 'Idempotency-Key': options.idempotencyKey };
    const params = { path: { bucket, key }, header };
    await this.#read((authorized) => {
      const headers = { ...authorized, 'content-type': contentType };
      const bodySerializer = () => body;
      return this.#client.PUT(OBJECT, {
        params,
        headers,
        body,
        bodySerializer,
        signal,
        ...unlimited,
      });
    });
  }

  async delete(bucket: string, key: string): Promise<void> {
    const params = { path: { bucket, key } };
    await this.#read((headers) => this.#client.DELETE(OBJECT, { params, headers }));
  }

  async links(bucket: string, next: string | undefined, signal?: AbortSignal): Promise<Page<Link>> {
    const params = { query: { bucket, limit: 1000, page_token: next } };
    const page = await this.#read((headers) =>
      this.#client.GET(LINKS, { params, headers, signal }),
    );
    return { items: page.links, next: page.next_page_token };
  }

  createLink(body: Schemas['NewLink']): Promise<CreatedLink> {
    return this.#read((headers) => this.#client.POST(LINKS, { body, headers }));
  }

  async revokeLink(id: string): Promise<void> {
    const params = { path: { id } };
    await this.#withKey((headers) => done(this.#client.DELETE(LINK, { params, headers })));
  }

  async signDownload(
    bucket: string,
    key: string,
    options: { readonly expiresIn: number; readonly disposition: string },
  ): Promise<SignedUrl> {
    const { expiresIn: expires_in, disposition: content_disposition } = options;
    const signed = await this.#sign({
      bucket,
      key,
      method: 'GET',
      expires_in,
      content_disposition,
    });
    return 'method' in signed && signed.method === 'GET' ? signed : invalidAnswer();
  }

  async signMultipart(
    bucket: string,
    key: string,
    upload: { readonly size: number; readonly contentType: string; readonly mayReplace: boolean },
  ): Promise<SignedMultipart> {
    const signed = await this.#sign({
      bucket,
      key,
      method: 'PUT',
      expires_in: SIGNED_SECONDS,
      commit: true,
      content_type: upload.contentType,
      multipart: { size: upload.size },
      ...(!upload.mayReplace && { if_none_match: '*' }),
    });
    return 'parts' in signed ? signed : invalidAnswer();
  }

  /** Returns new URLs of an upload in parts. */
  async signAgain(bucket: string, key: string, uploadId: string): Promise<SignedMultipart> {
    const signed = await this.#sign({
      bucket,
      key,
      method: 'PUT',
      expires_in: SIGNED_SECONDS,
      multipart: { upload_id: uploadId },
    });
    return 'parts' in signed ? signed : invalidAnswer();
  }

  #sign(body: Schemas['SignRequest']): Promise<Schemas['SignedRequest']> {
    return this.#read((headers) =>
      this.#client.POST('/api/v2/storage/signed-url', { body, headers }),
    );
  }

  #read<T>(call: (headers: Authorized) => Promise<ApiResponse<T>>): Promise<NonNullable<T>> {
    return this.#withKey((headers) => dataOf(call(headers)));
  }

  /** Repeats a request once with a new key, because the key may be revoked at any time. */
  async #withKey<T>(use: (headers: Authorized) => Promise<T>): Promise<T> {
    const session = await this.#key.get();
    try {
      return await use(bearer(session.api_key));
    } catch (error) {
      if (!(error instanceof StowageError) || error.code !== 'unauthorized') throw error;
      this.#key.refuse(session);
      return use(bearer((await this.#key.get()).api_key));
    }
  }
}
