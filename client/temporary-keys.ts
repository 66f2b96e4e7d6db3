import type { Permission, TemporaryKey } from './access';
import { StowageError } from './errors';
import type { Http } from './http';
import { isRecord } from './resources';

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
