/** The published client with the key of the session, renewed when the service refuses it. */
import { StowageClient } from '../../../client/client';
import { bearer } from './client';
import type { SessionKey } from './session-key';

/** `root`: the folder of the service. S3 gets no key: signed URLs need none. */
export function sessionClient(root: string, key: SessionKey): StowageClient {
  return new StowageClient({
    baseUrl: root,
    // The page came the same way.
    allowPlainHttp: true,
    fetch: (url, init) => (url.startsWith(root) ? sendWithKey(key, url, init) : fetch(url, init)),
  });
}

/** Repeats a request once with a new key, because the key may be revoked at any time. */
async function sendWithKey(key: SessionKey, url: string, init: RequestInit): Promise<Response> {
  const session = await key.get();
  const response = await fetch(url, withKey(init, session.api_key));
  if (response.status !== 401) return response;
  key.refuse(session);
  return fetch(url, withKey(init, (await key.get()).api_key));
}

function withKey(init: RequestInit, apiKey: string): RequestInit {
  const headers = new Headers(init.headers);
  headers.set('authorization', bearer(apiKey).authorization);
  return { ...init, headers };
}
