/** Requests about links. */
import type { CreatedLink, LinkPage } from './access';
import { StowageError } from './errors';
import { type Http, REQUEST_MS } from './http';
import type { RequestOptions, WriteOptions } from './options';
import { segment } from './paths';
import { isRecord } from './resources';

/** The settings of a link; docs/api.md, "Links". */
export interface LinkOptions extends WriteOptions {
  /** The version that it opens. @default the current one, whichever it is */
  readonly version?: number | undefined;
  /** Seconds, to a year. @default a week */
  readonly expiresIn?: number | undefined;
  /** How often it can be opened. @default any number of times */
  readonly maxUses?: number | undefined;
  /** The password that opens it. @default none */
  readonly password?: string | undefined;
  /** Content-Disposition of the download. @default attachment, under the object's own name */
  readonly disposition?: string | undefined;
  /** Shown on its page. @default none */
  readonly note?: string | undefined;
}

/** Options of `links.list`. */
export interface ListLinksOptions extends RequestOptions {
  /** 1 to 1000. @default 100 */
  readonly limit?: number | undefined;
  /** `next_page_token` of the previous page. */
  readonly pageToken?: string | undefined;
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
  async revoke(id: string, options: RequestOptions = {}): Promise<void> {
    const { signal } = options;
    const path = `links/${segment(id, 'a link')}`;
    await this.#http.request({ method: 'DELETE', path, signal, timeoutMs: REQUEST_MS });
  }
}
