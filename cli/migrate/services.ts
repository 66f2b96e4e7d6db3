/** The two services of a migration, and what their clients cannot do. */
import { Http } from '../../client/http';
import {
  type ContentOptions,
  type ObjectDescriptor,
  StowageClient,
  StowageError,
} from '../../client/index';
import { objectPath } from '../../client/paths';
import { isRecord } from '../../client/resources';
import type { Profile } from '../shared/profiles';
import { webSocket } from '../shared/web-socket';

export class Service {
  private constructor(
    readonly url: string,
    readonly client: StowageClient,
    readonly http: Http,
  ) {}

  /** `profile`: of `findService`, which has checked where its key may go. */
  static async of({ url: baseUrl, key: apiKey }: Profile): Promise<Service> {
    const reach = { baseUrl, apiKey, allowPlainHttp: true };
    const client = new StowageClient({ ...reach, webSocket: await webSocket() });
    const fetch = (...request: Parameters<typeof globalThis.fetch>) => globalThis.fetch(...request);
    return new Service(baseUrl, client, new Http({ ...reach, fetch, retries: 3 }));
  }
}

/**
 * Requests an object by its signed URL: only that returns Cache-Control as it is stored. `range`:
 * of the bytes.
 */
export async function openStored(
  { http }: Service,
  object: ObjectDescriptor,
  range: string | undefined,
  signal: AbortSignal,
): Promise<Response> {
  const { bucket, key, version, etag } = object;
  const query = { version, redirect: 'false' };
  // The version selects the content; the etag detects a bucket that was created again.
  const headers = { 'if-match': `"${etag}"` };
  const path = objectPath(bucket, key);
  const signed = await http.json({ path, query, headers, signal });
  if (!isRecord(signed) || typeof signed.url !== 'string') {
    throw new StowageError('invalid_answer', 'the response of the service is not a signed URL');
  }
  let response: Response;
  try {
    response = await fetch(signed.url, { headers: range === undefined ? {} : { range }, signal });
  } catch (error) {
    signal.throwIfAborted();
    throw new StowageError('network', `no response for ${key}: ${String(error)}`);
  }
  if (response.ok) return response;
  await response.body?.cancel();
  throw new StowageError('unavailable', `the URL of ${key} responded ${response.status}`);
}

/** Returns everything that describes the content, as it was uploaded. */
export function contentOptionsOf(
  { content_type, metadata, expires_at }: ObjectDescriptor,
  { headers }: Response,
): ContentOptions {
  const header = (name: string) => headers.get(name) ?? undefined;
  return {
    ...{ contentType: content_type, metadata, expiresAt: expires_at },
    cacheControl: header('cache-control'),
    contentDisposition: header('content-disposition'),
    contentEncoding: header('content-encoding'),
    contentLanguage: header('content-language'),
  };
}
