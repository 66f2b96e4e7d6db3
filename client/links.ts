/** Requests about links. */
import type { CreatedLink, LinkPage } from './access';
import { StowageError } from './errors';
import { type Http, REQUEST_MS } from './http';
import { isRecord } from './resources';

/** What a link permits; docs/api.md, "Links". */
export interface LinkOptions {
  /** The version that it opens. @default the current one, whichever it is */
  readonly version?: number;
  /** Seconds, to a year. @default a week */
  readonly expiresIn?: number;
  /** How often it can be opened. @default any number of times */
  readonly maxUses?: number;
  /** Opening it needs it. @default none */
  readonly password?: string;
  /** Content-Disposition of the download. @default attachment, under the object's own name */
  readonly disposition?: string;
  /** Shown on its page. @default none */
  readonly note?: string;
  /** Makes a repeated request safe: it makes one link. */
  readonly idempotencyKey?: string;
  /** Aborts the request, which throws the reason of the signal. */
  readonly signal?: AbortSignal;
}

/** Which links to list. */
export interface ListLinksOptions {
  /** 1 to 1000. @default 100 */
  readonly limit?: number;
  /** `next_page_token` of the previous page. */
  readonly pageToken?: string;
  /** Aborts the request, which throws the reason of the signal. */
  readonly signal?: AbortSignal;
}

/** Makes, lists and revokes links: `client.links`. */
export class LinkRequests {
  readonly #http: Http;

  /** @internal */
  constructor(http: Http) {
    this.#http = http;
  }

  /** Makes a link to an object. Throws StowageError `not_found` when there is no such object. */
  async create(bucket: string, key: string, options: LinkOptions = {}): Promise<CreatedLink> {
    const { expiresIn, maxUses, idempotencyKey, signal, ...settings } = options;
    const body = { bucket, key, ...settings, expires_in: expiresIn, max_uses: maxUses };
    const response = await this.#http.post('links', body, {
      idempotencyKey: this.#http.idempotencyKey(idempotencyKey),
      signal,
    });
    if (isRecord(response) && typeof response.url === 'string') return response as never;
    throw new StowageError('invalid_answer', 'the response of the service is not a link');
  }

  /** Returns one page of the links of a bucket that the API key may revoke. */
  async list(bucket: string, options: ListLinksOptions = {}): Promise<LinkPage> {
    const { limit, pageToken, signal } = options;
    const page = await this.#http.json({
      path: 'links',
      query: { bucket, limit, page_token: pageToken },
      signal,
      timeoutMs: REQUEST_MS,
    });
    if (isRecord(page) && Array.isArray(page.links)) return page as never;
    throw new StowageError('invalid_answer', 'the response of the service is not a list of links');
  }

  /** Revokes a link. Throws StowageError `not_found` when there is no such link. */
  async revoke(id: string, options: { signal?: AbortSignal } = {}): Promise<void> {
    const { signal } = options;
    const path = `links/${encodeURIComponent(id)}`;
    await this.#http.request({ method: 'DELETE', path, signal, timeoutMs: REQUEST_MS });
  }
}
