/** A client whose requests reach the operations of the service, and S3, on the fakes. */
import { StowageClient } from '../../client';
import { BucketIds } from '../../core/buckets/bucket-ids';
import { DEFAULT_RATES } from '../../core/limits';
import { createApi } from '../../service/storage-api';
import { createFakes } from '../support/fakes/fakes';
import { send, type TestResponse } from '../support/requests';

export interface SentRequest {
  readonly method: string;
  /** The path below `/api/v2/storage`. */
  readonly path: string;
  readonly idempotencyKey: string | null;
}

export interface FakesOptions {
  /** Number of requests that get 503 in place of their response, after they took effect. */
  readonly failing?: number;
  readonly retries?: number;
  /** Called between the effect of each request and its response. */
  readonly after?: (request: SentRequest) => Promise<void>;
  /** Returns the response in place of the service and S3, or undefined. */
  readonly meddle?: (address: string, init: RequestInit) => Promise<Response | undefined>;
}

const ORIGIN = 'https://files.example';

export function clientOfFakes(options: FakesOptions = {}) {
  const unlimited = { ...DEFAULT_RATES, write: { rate: 10_000, burst: 10_000 } };
  const fakes = { ...createFakes(), rateTiers: { default: unlimited } };
  const app = createApi({
    ...fakes,
    bucketIds: new BucketIds(fakes.buckets),
    backoff: async () => undefined,
    responseMode: 'stream',
    tickets: { subscriptions: fakes.subscriptions, syncUrl: 'wss://files.example/sync' },
    linksAndKeys: { ...fakes, baseUrl: `${ORIGIN}/` },
  });
  const sent: SentRequest[] = [];
  let { failing = 0 } = options;
  const toS3 = async (address: string, init: RequestInit) => {
    const body = Buffer.from(await new Response(init.body).arrayBuffer());
    return responseOf(
      await fakes.s3.request(init.method ?? '', address, Object(init.headers), body),
    );
  };
  const fetch = async (address: string, init: RequestInit) => {
    const answer = await options.meddle?.(address, init);
    if (answer) return answer;
    if (!address.startsWith(`${ORIGIN}/`)) return toS3(address, init);
    const { pathname, searchParams } = new URL(address);
    const headers = new Headers(init.headers);
    const method = init.method ?? 'GET';
    const path = pathname.replace('/api/v2/storage', '');
    const request = { method, path, idempotencyKey: headers.get('idempotency-key') };
    sent.push(request);
    const body = init.body == null ? undefined : await new Response(init.body).text();
    const response = await send(app, {
      ...{ method, path, query: Object.fromEntries(searchParams) },
      headers: Object.fromEntries(headers),
      ...(body !== undefined && { body }),
    });
    await options.after?.(request);
    if (failing-- > 0) return new Response('', { status: 503, headers: { 'retry-after': '0' } });
    return responseOf(response);
  };
  const { retries } = options;
  const client = new StowageClient({ baseUrl: ORIGIN, fetch, retries });
  return { client, fakes, sent, fail: (count: number) => (failing = count) };
}

function responseOf({
  status,
  headers,
  body,
}: Pick<TestResponse, 'status' | 'headers' | 'body'>): Response {
  const isEmpty = status === 204 || status === 304;
  return new Response(isEmpty ? null : new Uint8Array(body), { status, headers });
}
