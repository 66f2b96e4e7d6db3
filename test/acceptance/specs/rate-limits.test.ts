import { setTimeout as wait } from 'node:timers/promises';
import { it, needing } from '../support/behaviour';
import { BUCKETS, useBucket } from '../support/buckets';
import type { HttpResponse } from '../support/exchange';
import { call, callJson } from '../support/http';
import { useKey, useKeyOfTier } from '../support/keys';
import { listPath } from '../support/listing';
import { objectPath, put } from '../support/objects';
import {
  expectError,
  expectHeadError,
  expectStatus,
  headerOf,
  integerHeader,
} from '../support/responses';
import { SIGNED_URL } from '../support/signed';

/**
 * Parses the two headers. Throws when they do not have the form of the draft, or contradict each
 * other.
 */
function limitOf(response: HttpResponse) {
  const policy = /^"(\w+)";q=(\d+);w=(\d+)$/.exec(headerOf(response, 'ratelimit-policy'));
  const state = /^"(\w+)";r=(\d+);t=(\d+)$/.exec(headerOf(response, 'ratelimit'));
  if (!policy || !state || policy[1] !== state[1]) throw new Error('no limit in the headers');
  const [quota, window, left, more] = [policy[2], policy[3], state[2], state[3]].map(Number);
  expect(left).toBeLessThanOrEqual(quota ?? 0);
  return { name: policy[1], quota, window, left, more };
}

describe('Rate limits: every response reports the state of the limit', () => {
  const bucket = useBucket('limits');
  beforeAll(() => put(bucket, 'a', 'content'));

  for (const [what, name, status, ask] of [
    ['GET', 'read', 200, () => call('GET', objectPath(bucket, 'a'))],
    ['HEAD', 'read', 200, () => call('HEAD', objectPath(bucket, 'a'))],
    [
      'what is not modified',
      'read',
      304,
      () => call('GET', objectPath(bucket, 'a'), { headers: { 'If-None-Match': '*' } }),
    ],
    ['what is not there', 'read', 404, () => call('GET', objectPath(bucket, 'none'))],
    ['a bucket', 'read', 200, () => call('GET', `${BUCKETS}/${bucket}`)],
    ['a page of changes', 'read', 200, () => call('GET', `/api/v2/storage/sync?bucket=${bucket}`)],
    ['PUT', 'write', 200, () => call('PUT', objectPath(bucket, 'a'), { body: 'content' })],
    ['a malformed body', 'write', 400, () => call('POST', BUCKETS, { body: '{' })],
    ['a list of objects', 'list', 200, () => call('GET', listPath(bucket, {}))],
    ['a list of buckets', 'list', 200, () => call('GET', BUCKETS)],
    [
      'a signed URL',
      'sign',
      201,
      () => callJson('POST', SIGNED_URL, { bucket, key: 'a', method: 'GET' }),
    ],
  ] as const) {
    it(`${what}: ${name}`, async () => {
      const response = expectStatus(await ask(), status);
      expect(limitOf(response).name).toBe(name);
    });
  }
});

needing(['restricted-keys', 'rate-tiers'], () => {
  describe('Rate limits: what exceeds them', () => {
    const bucket = useBucket('limited');
    const everything = { buckets: [bucket], actions: ['read', 'write'] };
    const small = useKeyOfTier('small', everything);
    const other = useKey(everything);

    /** As fast as one client can, until the limit is met. */
    async function exceed(ask: () => Promise<HttpResponse>): Promise<HttpResponse> {
      for (let n = 0; n < 500; n++) {
        const response = await ask();
        if (response.status === 429) return response;
      }
      throw new Error('500 requests of a small tier were allowed');
    }

    it('returns 429 with Retry-After, is allowed after that time, and does not affect another key', async () => {
      const write = (key: string) => call('PUT', objectPath(bucket, 'w'), { key, body: 'x' });
      const refused = await exceed(() => write(small()));
      const error = expectError(refused, 429);
      const seconds = integerHeader(refused, 'retry-after');
      expect(error.details).toEqual({ class: 'write', retry_after: seconds });
      expect(limitOf(refused)).toEqual({
        name: 'write',
        quota: 5,
        window: 5,
        left: 0,
        more: seconds,
      });
      expectStatus(await write(other()), 200, 201);
      expectStatus(await call('GET', objectPath(bucket, 'w'), { key: small() }), 200);
      await wait(seconds * 1000);
      expectStatus(await write(small()), 200, 201);
    });

    it('returns 429 before any other check, and HEAD has no body', async () => {
      const head = () => call('HEAD', objectPath(bucket, 'none'), { key: small() });
      expectHeadError(await exceed(head), 429);
    });
  });
});
