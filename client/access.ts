/** Links and temporary keys, which give others access. */
import { StowageError } from './errors';
import type { Http } from './http';
import { isRecord } from './resources';

/** A link: a URL that opens an object for everybody who has it, until it is revoked. */
export interface Link {
  /** Identifies the link, and does not open it. */
  readonly id: string;
  /** Name of the bucket that it leads into. */
  readonly bucket: string;
  /** The key that it leads to. */
  readonly key: string;
  /** The version that it opens; absent: the current one, whichever it is. */
  readonly version?: number;
  /** When it was made; ISO 8601 UTC with milliseconds. */
  readonly created_at: string;
  /** The id of the API key that made it, or the name of the person. */
  readonly created_by: string;
  /** When it ends; ISO 8601 UTC with milliseconds. */
  readonly expires_at: string;
  /** How often it can be opened; absent: any number of times. */
  readonly max_uses?: number;
  /** How often it was opened. */
  readonly uses: number;
  /** Whether opening it needs a password. */
  readonly has_password: boolean;
  /** Content-Disposition of the download. */
  readonly disposition?: string;
  /** Shown on its page. */
  readonly note?: string;
}

/** A new link. */
export interface CreatedLink extends Link {
  /** The link itself, which the service returns once. */
  readonly url: string;
}

/** A permission of a key: docs/api.md, "Keys and permissions". */
export interface Permission {
  /** Names, or prefixes of names that end in `*`. */
  readonly buckets: readonly string[];
  /** The keys must begin with it. Absent: every key. */
  readonly prefix?: string;
  /** Such as `read`, `write`, `list`. */
  readonly actions: readonly string[];
}

/** A key that ends by itself. */
export interface TemporaryKey {
  /** The key: the `apiKey` of a client. */
  readonly token: string;
  /** Its permissions, for as long as the key that made it has them too. */
  readonly permissions: readonly Permission[];
  /** When it ends; ISO 8601 UTC. */
  readonly expires_at: string;
  /** The id of the API key that made it. */
  readonly key_id: string;
}

/** A page of the links of a bucket. */
export interface LinkPage {
  /** The links that the API key may revoke. */
  readonly links: readonly Link[];
  /** Token of the next page; absent on the last page. */
  readonly next_page_token?: string;
}

/** Requests a temporary key by the API key. */
export async function requestTemporaryKey(
  http: Http,
  permissions: readonly Permission[],
  { expiresIn, signal }: { readonly expiresIn?: number; readonly signal?: AbortSignal },
): Promise<TemporaryKey> {
  const response = await http.post(
    'tokens',
    { permissions, expires_in: expiresIn },
    { signal, isRepeatable: true },
  );
  if (isRecord(response) && typeof response.token === 'string') return response as never;
  throw new StowageError('invalid_answer', 'the response of the service is not a temporary key');
}
