/** The storage interface as this page uses it: with the key of the session, and another one when that is refused. */
import { StowageClient } from '../../../client/client';
import { StowageError } from '../../../client/errors';
import { Http, type HttpRequest } from '../../../client/http';
import type { ListPage, ObjectDescriptor } from '../../../client/resources';
import type { SessionKey } from '../session/session-key';
import type { Page } from './admin';

export interface Bucket {
  readonly name: string;
  readonly created_at: string;
  readonly cursor: number;
  readonly object_count: number;
  readonly total_size: number;
}

export interface SignedUrl {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly expires_at: string;
}

export interface SignedMultipart {
  readonly upload_id: string;
  readonly part_size: number;
  readonly parts: readonly { readonly number: number; readonly url: string }[];
  readonly complete: SignedRequest;
  readonly abort: SignedRequest;
  readonly expires_at: string;
}

export type SignedRequest = Pick<SignedUrl, 'url' | 'method' | 'headers'>;

const REQUEST_MS = 30_000;

/** Every method throws StowageError. */
export class StorageApi {
  readonly #root: string;
  readonly #key: SessionKey;

  constructor(root: string, key: SessionKey) {
    this.#root = root;
    this.#key = key;
  }

  /** The published client, with a key that is good for some time yet. */
  async client(): Promise<StowageClient> {
    const { api_key: apiKey } = await this.#key.get();
    return new StowageClient({ baseUrl: this.#root, apiKey });
  }

  async buckets(next: string | undefined, signal?: AbortSignal): Promise<Page<Bucket>> {
    const answer = (await this.#json({
      path: 'buckets',
      query: { limit: 1000, page_token: next },
      signal,
    })) as { readonly buckets: readonly Bucket[]; readonly next_page_token?: string };
    return { items: answer.buckets, next: answer.next_page_token };
  }

  async createBucket(name: string): Promise<void> {
    await this.#json({ method: 'POST', path: 'buckets', body: JSON.stringify({ name }) });
  }

  async deleteBucket(name: string): Promise<void> {
    const request = { method: 'DELETE', path: `buckets/${encodeURIComponent(name)}` } as const;
    await this.#with((http) => http.request({ ...request, timeoutMs: REQUEST_MS }));
  }

  list(
    bucket: string,
    options: { readonly prefix: string; readonly delimiter?: string; readonly next?: string },
    signal?: AbortSignal,
  ): Promise<ListPage> {
    const { prefix, delimiter, next: pageToken } = options;
    return this.#withClient((client) =>
      client.list(bucket, { prefix, delimiter, pageToken, limit: 200, signal }),
    );
  }

  /** `version`: an older one. */
  async describe(
    bucket: string,
    key: string,
    options: { readonly version?: number; readonly signal?: AbortSignal } = {},
  ): Promise<ObjectDescriptor> {
    const { version, signal } = options;
    const path = objectPath(bucket, key);
    const query = { view: 'descriptor', version };
    return (await this.#json({ path, query, signal })) as ObjectDescriptor;
  }

  async version(bucket: string, key: string, version: number): Promise<Response> {
    const path = objectPath(bucket, key);
    return this.#with((http) => http.request({ path, query: { version } }));
  }

  put(
    bucket: string,
    key: string,
    body: Blob,
    options: Parameters<StowageClient['put']>[3],
  ): Promise<ObjectDescriptor> {
    return this.#withClient((client) => client.put(bucket, key, body, options));
  }

  async delete(bucket: string, key: string): Promise<void> {
    await this.#withClient((client) => client.delete(bucket, key));
  }

  async signDownload(
    bucket: string,
    key: string,
    options: { readonly expiresIn: number; readonly disposition: string },
  ): Promise<SignedUrl> {
    const { expiresIn: expires_in, disposition: content_disposition } = options;
    return (await this.#sign({
      bucket,
      key,
      method: 'GET',
      expires_in,
      content_disposition,
    })) as SignedUrl;
  }

  async signMultipart(
    bucket: string,
    key: string,
    upload: { readonly size: number; readonly contentType: string; readonly mayReplace: boolean },
  ): Promise<SignedMultipart> {
    return (await this.#sign({
      bucket,
      key,
      method: 'PUT',
      expires_in: 3600,
      content_type: upload.contentType,
      multipart: { size: upload.size },
      ...(!upload.mayReplace && { if_none_match: '*' }),
    })) as SignedMultipart;
  }

  #sign(body: unknown): Promise<unknown> {
    return this.#json({ method: 'POST', path: 'signed-url', body: JSON.stringify(body) });
  }

  #json(request: HttpRequest): Promise<unknown> {
    const headers = request.body === undefined ? {} : { 'content-type': 'application/json' };
    return this.#with((http) => http.json({ timeoutMs: REQUEST_MS, headers, ...request }));
  }

  #with<T>(use: (http: Http) => Promise<T>): Promise<T> {
    return this.#withKey((key) => use(new Http(this.#root, key, (url, init) => fetch(url, init))));
  }

  #withClient<T>(use: (client: StowageClient) => Promise<T>): Promise<T> {
    return this.#withKey((apiKey) => use(new StowageClient({ baseUrl: this.#root, apiKey })));
  }

  /** A key may be revoked by others at any time: the request is tried once more with a new one. */
  async #withKey<T>(use: (apiKey: string) => Promise<T>): Promise<T> {
    const session = await this.#key.get();
    try {
      return await use(session.api_key);
    } catch (error) {
      if (!(error instanceof StowageError) || error.code !== 'unauthorized') throw error;
      this.#key.refuse(session);
      return use((await this.#key.get()).api_key);
    }
  }
}

/** Slashes stay: each segment is encoded by itself. */
function objectPath(bucket: string, key: string): string {
  const segments = key.split('/').map(encodeURIComponent);
  return `objects/${encodeURIComponent(bucket)}/${segments.join('/')}`;
}
