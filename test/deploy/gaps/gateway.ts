import { request } from 'node:https';
import type { Gap, Target } from './gap';

interface GatewayResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/**
 * Sends a request to the stage, without edge.ts, with exactly these headers: fetch would add Accept
 * and Content-Type. Returns the bytes received so far when the response breaks off.
 */
function ask(
  { gateway, key }: Target,
  method: 'GET' | 'PUT',
  path: string,
  options: { readonly body?: Buffer; readonly headers?: Record<string, string> } = {},
): Promise<GatewayResponse> {
  const headers = { authorization: `Bearer ${key}`, ...options.headers };
  return new Promise((resolve, reject) => {
    const asked = request(`${gateway}${path}`, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', () => undefined);
      response.on('close', () => {
        const { statusCode: status = 0, headers: sent } = response;
        resolve({ status, headers: sent, body: Buffer.concat(chunks) });
      });
    });
    asked.on('error', reject);
    asked.end(options.body);
  });
}

const described = ({ status, headers, body }: GatewayResponse) =>
  `${status} ${headers['content-type']} ${body.subarray(0, 200)}`;

const BINARY = Buffer.from('00ff80fe0102c3283d', 'hex');
const AS_BINARY = { 'content-type': 'application/octet-stream' };

export const gatewayGaps: readonly Gap[] = [
  {
    row: 'The path as sent',
    seen: async (target) => {
      const path = `/api/v2/storage/objects/${target.bucket}/a%2520b`;
      const response = await ask(target, 'PUT', path, { body: BINARY, headers: AS_BINARY });
      return response.body.includes('"key":"a b"') ? undefined : described(response);
    },
  },
  {
    row: 'Bodies without Content-Type',
    seen: async (target) => {
      const path = `/api/v2/storage/objects/${target.bucket}/typeless`;
      await ask(target, 'PUT', path, { body: BINARY });
      const stored = await ask(target, 'GET', path, { headers: { accept: '*/*' } });
      return stored.body.equals(BINARY) ? 'the bytes arrived as they were sent' : undefined;
    },
  },
  {
    row: 'Base64 responses without Accept',
    seen: async (target) => {
      const path = `/api/v2/storage/objects/${target.bucket}/binary`;
      await ask(target, 'PUT', path, { body: BINARY, headers: AS_BINARY });
      const response = await ask(target, 'GET', path);
      return response.body.equals(BINARY) ? 'the bytes arrive as they were stored' : undefined;
    },
  },
  {
    row: 'Content-Length',
    seen: async (target) => {
      const path = `/api/v2/storage/objects/${target.bucket}/length`;
      await ask(target, 'PUT', path, { body: BINARY, headers: AS_BINARY });
      // The gateway sends the function's header, the number of bytes. The base64 text is longer, so
      // that the gateway sends no body.
      const { headers } = await ask(target, 'GET', path);
      return headers['content-length'] === `${BINARY.length}`
        ? undefined
        : `it is ${headers['content-length']}`;
    },
  },
  {
    row: 'Payload limits',
    seen: async (target) => {
      const path = `/api/v2/storage/objects/${target.bucket}/large`;
      const body = Buffer.alloc(12_000_000);
      const response = await ask(target, 'PUT', path, { body, headers: AS_BINARY });
      // AWS refuses it in plain text, before the function sees it.
      return response.body.includes('"payload_too_large"') ? undefined : described(response);
    },
  },
];

/**
 * Checks of a stage with streamed responses and a throttle of one request a second, five at once.
 */
export const strictGaps: readonly Gap[] = [
  {
    row: 'Response streaming',
    seen: async (target) => {
      const path = `/api/v2/storage/objects/${target.bucket}/none`;
      const response = await ask(target, 'GET', path, { headers: { accept: '*/*' } });
      return response.status === 500 ? undefined : described(response);
    },
  },
  {
    // Not a gap: checks what ministack.md says under "What works".
    row: 'stage throttling',
    seen: async (target) => {
      const responses = await Promise.all(
        Array.from({ length: 20 }, () => ask(target, 'GET', '/api/v2/storage/buckets')),
      );
      const throttled = responses.filter(({ status }) => status === 429);
      const documented = throttled.every(
        ({ body, headers }) => body.includes('"rate_limited"') && headers['retry-after'] === '1',
      );
      return throttled.length >= 10 && documented
        ? undefined
        : `${throttled.length} of 20 requests were 429: ${throttled.map(described)[0]}`;
    },
  },
];
