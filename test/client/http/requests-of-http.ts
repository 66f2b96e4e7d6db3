/** An Http whose requests are recorded and answered by the test. */
import { Http, type HttpOptions } from '../../../client/http';

export interface Sent {
  readonly url: string;
  readonly init: RequestInit & { readonly duplex?: string };
}

type Respond = (sent: Sent, count: number) => Promise<Response> | Response;

export const BASE_URL = 'https://files.example';

export function httpOf(respond: Respond, options: Partial<HttpOptions> = {}) {
  const sent: Sent[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    sent.push({ url, init });
    return respond({ url, init }, sent.length);
  };
  return { http: new Http({ baseUrl: BASE_URL, fetch, ...options }), sent };
}

/** Returns the fields of an error, or the other value that was thrown. */
export async function failureOf(failing: Promise<unknown>): Promise<unknown> {
  const error = await failing.then(
    (value) => ({ returned: value }),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Error) || !('code' in error)) return error;
  const { code, status, requestId, details, retryAfter } = error as never;
  return { code, status, requestId, details, retryAfter };
}
