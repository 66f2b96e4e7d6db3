/**
 * The storage interface as this page uses it, with the key of the session, renewed when refused.
 */
import { StowageClient } from '../../../client/client';
import { StowageError } from '../../../client/errors';
import {
  type ApiResponse,
  bearer,
  dataOf,
  done,
  type Page,
  type Schemas,
  type ServiceClient,
  serviceClient,
} from './client';
import type { SessionKey } from './session-key';

export type Bucket = Schemas['Bucket'];
export type Consumer = Schemas['Consumer'];
export type Link = Schemas['Link'];
export type CreatedLink = Schemas['CreatedLink'];

const BUCKETS = '/api/v2/storage/buckets';
const CONSUMERS = '/api/v2/storage/buckets/{bucket}/consumers';
const LINKS = '/api/v2/storage/links';
const LINK = '/api/v2/storage/links/{id}';

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
    return new StowageClient({ baseUrl: this.#root, apiKey, allowPlainHttp: true });
  }

  async buckets(next: string | undefined, signal?: AbortSignal): Promise<Page<Bucket>> {
    const params = { query: { limit: 1000, page_token: next } };
    const page = await this.#read((headers) =>
      this.#client.GET(BUCKETS, { params, headers, signal }),
    );
    return { items: page.buckets, next: page.next_page_token };
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

  /**
   * Returns at most `limit` (1-1000) changes after a cursor, in order. Without a cursor, returns
   * none, but the cursor at which the log ends.
   */
  changes(
    bucket: string,
    options: { readonly cursor?: number; readonly prefix?: string; readonly limit?: number },
    signal?: AbortSignal,
  ): Promise<Schemas['ChangesPage']> {
    const { cursor, prefix, limit = 1000 } = options;
    const query = { bucket, cursor, prefix: prefix || undefined, limit };
    return this.#read((headers) =>
      this.#client.GET('/api/v2/storage/sync', { params: { query }, headers, signal }),
    );
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
