import { request } from 'node:https';
import type { Gap, Target } from './gap';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/**
 * Straight to the stage, with exactly these headers: fetch would add an Accept and a Content-Type.
 * What broke off counts as far as it came.
 */
function ask(
  { gateway, key }: Target,
  method: 'GET' | 'PUT',
  path: string,
  options: { readonly body?: Buffer; readonly headers?: Record<string, string> } = {},
): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, ...options.headers };
  return new Promise((resolve, reject) => {
    const asked = request(`${gateway}${path}`, { method, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('error', () => undefined);
      answer.on('close', () => {
        const { statusCode: status = 0, headers: sent } = answer;
        resolve({ status, headers: sent, body: Buffer.concat(chunks) });
      });
    });
    asked.on('error', reject);
    asked.end(options.body);
  });
}

const told = ({ status, headers, body }: Answer) =>
  `${status} ${headers['content-type']} ${body.subarray(0, 200)}`;

const BINARY = Buffer.from('00ff80fe0102c3283d', 'hex');
const AS_BINARY = { 'content-type': 'application/octet-stream' };

export const gatewayGaps: readonly Gap[] = [
  {
    row: 'The path as sent',
    seen: async (target) => {
      const path = `/api/v2/storage/objects/${target.bucket}/a%2520b`;
      const answer = await ask(target, 'PUT', path, { body: BINARY, headers: AS_BINARY });
      return answer.body.includes('"key":"a b"') ? undefined : told(answer);
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
    row: 'Base64 answers without Accept',
    seen: async (target) => {
      const path = `/api/v2/storage/objects/${target.bucket}/binary`;
      await ask(target, 'PUT', path, { body: BINARY, headers: AS_BINARY });
      const answer = await ask(target, 'GET', path);
      return answer.body.equals(BINARY) ? 'the bytes come as they were stored' : undefined;
    },
  },
  {
    row: 'Content-Length',
    seen: async (target) => {
      const path = `/api/v2/storage/objects/${target.bucket}/length`;
      await ask(target, 'PUT', path, { body: BINARY, headers: AS_BINARY });
      // The function's own, of the bytes; the text that should follow is longer, so nothing does.
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
      const answer = await ask(target, 'PUT', path, { body, headers: AS_BINARY });
      // AWS refuses it in plain text, before the function sees it.
      return answer.body.includes('"payload_too_large"') ? undefined : told(answer);
    },
  },
];

/**
 * Of the stage as it is with answers that are streamed, and with one request a second, five at
 * once.
 */
export const strictGaps: readonly Gap[] = [
  {
    row: 'Response streaming',
    seen: async (target) => {
      const path = `/api/v2/storage/objects/${target.bucket}/none`;
      const answer = await ask(target, 'GET', path, { headers: { accept: '*/*' } });
      return answer.status === 500 ? undefined : told(answer);
    },
  },
  {
    // No gap: what stands under "It deploys and runs" is to be true as well.
    row: 'stage throttling',
    seen: async (target) => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => ask(target, 'GET', '/api/v2/storage/buckets')),
      );
      const throttled = answers.filter(({ status }) => status === 429);
      const inOurShape = throttled.every(
        ({ body, headers }) => body.includes('"rate_limited"') && headers['retry-after'] === '1',
      );
      return throttled.length >= 10 && inOurShape
        ? undefined
        : `${throttled.length} of 20 requests were 429: ${throttled.map(told)[0]}`;
    },
  },
];
