/** Refusals: their layer, their form, and that no cache keeps them. */
import { randomUUID } from 'node:crypto';
import { type Check, reported, saw } from '../check';
import { demand, json, requireError, requireStatus, shown } from '../demand';
import type { Service } from '../service';
import { type Reply, send } from '../wire';

const INLINE_BYTES = 4 * 1024 * 1024;

export const REFUSAL_CHECKS: readonly Check[] = [
  {
    assumption: 'a request without a valid key is refused with 401',
    run: async (service) => {
      const unknown = `osk_${'0'.repeat(12)}_${'0'.repeat(43)}_${'0'.repeat(6)}`;
      for (const authorization of [undefined, 'Bearer nonsense', `Bearer ${unknown}`]) {
        const headers = { ...(authorization !== undefined && { authorization }) };
        const reply = await service.send('GET', '/api/v2/storage/buckets', { headers });
        requireError(reply, 401, 'unauthorized');
        const challenge = reply.headers['www-authenticate'];
        demand(challenge === 'Bearer', `status 401 with WWW-Authenticate: ${challenge}`);
      }
      return saw('status 401, WWW-Authenticate: Bearer');
    },
  },
  {
    assumption: 'an unknown path is refused in the form of the contract',
    run: async (service) => {
      requireError(await service.call('GET', '/nothing/here'), 404, 'not_found');
      return saw('status 404');
    },
  },
  {
    assumption: 'a method that a resource lacks is refused in the form of the contract',
    run: async (service) => {
      const headers = { authorization: `Bearer ${service.target.apiKey}` };
      const reply = await service.send('POST', '/openapi.json', { headers });
      const code = reply.status === 405 ? 'method_not_allowed' : 'not_found';
      requireError(reply, reply.status === 405 ? 405 : 404, code);
      const isFallback = !reply.body.includes('paths begin with');
      return reported(
        isFallback
          ? `status ${reply.status}: API Gateway falls back to {proxy+}, and the service refuses`
          : `status ${reply.status}: API Gateway refuses, without a fallback to {proxy+}`,
      );
    },
  },
  {
    assumption: 'a body above 4 MiB is refused with 413',
    run: async (service) => {
      const body = Buffer.alloc(INLINE_BYTES + 1);
      const reply = await service.call('PUT', service.object('too-large'), { body });
      requireError(reply, 413, 'payload_too_large');
      return saw('status 413');
    },
  },
  {
    assumption: 'a refusal is not cached on the way',
    run: async (service) => {
      const path = service.object(`late-${randomUUID()}`);
      for (const _ of [1, 2]) requireError(await service.call('GET', path), 404, 'not_found');
      requireStatus(await service.call('PUT', path, { body: 'there' }), 201);
      const found = await service.call('GET', path);
      demand(found.status === 200, `${shown(found)} right after the object was stored`);
      const changes = `/sync?bucket=${service.bucket}`;
      const { bucket_id: id } = json(await service.call('GET', changes));
      const earlier = String(id).replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
      const other = await service.call('GET', `${changes}&cursor=0&bucket_id=${earlier}`);
      requireError(other, 410, 'cursor_expired');
      const page = await service.call('GET', changes);
      demand(page.status === 200, `${shown(page)} right after another query of the path got 410`);
      return saw('status 404, then 200; status 410, then 200');
    },
  },
  {
    assumption: 'the API behind the edge refuses requests that bypass the edge',
    run: async ({ target: { apiUrl, apiKey } }) => {
      if (apiUrl === undefined) {
        return reported('not asked: --api-url takes the output ApiUrl of the stack');
      }
      const url = `${apiUrl.replace(/\/$/, '')}/api/v2/storage/buckets`;
      const reply = await send('GET', url, { headers: { authorization: `Bearer ${apiKey}` } });
      requireStatus(reply, 403);
      return saw('status 403');
    },
  },
];

/** The most requests at once, fewer than the concurrency of an account with a raised quota. */
const PARALLEL = 20;

/** Takes the tokens of the key's class `list`, so it runs last. */
export const RATE_LIMIT_CHECK: Check = {
  assumption: 'a request above the rate of its key is refused with 429 and Retry-After',
  run: async (service) => {
    const first = await service.call('GET', '/buckets?limit=1');
    const quota = Number(/q=(\d+)/.exec(String(first.headers['ratelimit-policy']))?.[1]);
    demand(quota > 0, `RateLimit-Policy: ${first.headers['ratelimit-policy']}`);
    const refused = await firstRefusal(service, 2 * quota);
    if (refused === undefined) return reported(`none of ${2 * quota} requests was refused`);
    const after = refused.headers['retry-after'];
    demand(/^[1-9]\d*$/.test(after ?? ''), `${shown(refused)} with Retry-After: ${after}`);
    if (refused.status !== 429) {
      return reported(
        `${shown(refused)}, Retry-After: ${after}: the account has little concurrency`,
      );
    }
    requireError(refused, 429, 'rate_limited');
    return saw(`status 429, Retry-After: ${after}`);
  },
};

/** Sends at most `most` requests. Returns the first response that is not 200. */
async function firstRefusal(service: Service, most: number): Promise<Reply | undefined> {
  for (let sent = 0; sent < most; sent += PARALLEL) {
    const calls = Array.from({ length: PARALLEL }, () => service.call('GET', '/buckets?limit=1'));
    const refused = (await Promise.all(calls)).find(({ status }) => status !== 200);
    if (refused !== undefined) return refused;
  }
  return undefined;
}
